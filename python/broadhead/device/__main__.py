"""`python -m broadhead.device DIRECTORY DISK...`: serve an executor's tasks until stdin ends."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path


def main() -> None:
    """Serve the socket `device` in a directory that only the user can enter.

    The other arguments are directories for files of kept rows. Prints `ready` once tasks can
    connect. The executor holds stdin open as long as it lives.
    """
    threading.Thread(target=_end_with_executor, name="broadhead-end", daemon=True).start()
    from broadhead.device.server import serve

    serve(Path(sys.argv[1]) / "device", sys.argv[2:])


def _end_with_executor() -> None:
    # not by sys.stdin, whose lock this thread would hold when the process ends by itself
    while os.read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
