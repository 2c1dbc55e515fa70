"""The same as memory_program.py in a standalone cluster of two workers, which it starts.

python memory_cluster_program.py FOLDER DATA QUERY...
"""

from __future__ import annotations

import sys
from pathlib import Path

from clusters.standalone import Standalone
from tpch.memory_program import print_answers

CORES = 4


def main(folder: Path, data: str, names: list[str]) -> None:
    """Start the cluster, of which `folder` has the configuration, and print the answers."""
    cluster = Standalone(folder, CORES)
    try:
        cluster.start()
        print_answers(cluster.url, data, names)
    finally:
        cluster.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
