"""What IPython calls at `%load_ext broadhead` and `%unload_ext broadhead`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.notebook.magics import BroadheadMagics

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add `%broadhead` and `%%broadhead`."""
    shell.register_magics(BroadheadMagics)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Remove `%broadhead` and `%%broadhead`."""
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("broadhead", None)
