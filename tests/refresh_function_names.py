"""Asks Spark for the names of its functions, and writes where each is computed: `make docs`."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path

from function_examples import CONFIGURATION, make_one_row, places
from local_session import local_session

NAMES = Path(__file__).parents[1] / "docs" / "function_names.json"


def main() -> None:
    """Write docs/function_names.json."""
    session = local_session()
    # queries that Spark refuses are expected
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    for key, value in CONFIGURATION.items():
        session.conf.set(key, value)
    with tempfile.TemporaryDirectory() as folder:
        make_one_row(session, Path(folder))
        text = json.dumps(places(session), indent=1, sort_keys=True, ensure_ascii=False)
    NAMES.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{NAMES}\n")


if __name__ == "__main__":
    main()
