"""`python -m broadhead program.py ...`: an unchanged PySpark program with Broadhead."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the program in this process."""
    from broadhead.jar import LaunchError
    from broadhead.launch import run_environment
    from broadhead.script import run_script

    program = sys.argv[1:2]
    if not program or program[0].startswith("-"):
        sys.exit("usage: python -m broadhead PROGRAM.py [ARGUMENTS]; more: broadhead --help")
    try:
        os.environ.update(run_environment({}))
        run_script(program[0], sys.argv[2:])
    except LaunchError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current directory, as for `python -m`
    main()
