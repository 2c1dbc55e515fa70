#!/usr/bin/env bash
# Packs the Python of the executors: pack-python.sh [ARCHIVE [PYTHON [PACKAGE...]]]
# Made by: broadhead conf --for yarn
#
# Run it on a host like those of the cluster: the archive has the packages and a link to the
# interpreter, which must have the same path on every host. It replaces the hosts' Python
# for your own functions too: name the packages that they import, beside pandas.
set -euo pipefail

archive=${1:-environment.tar.gz}
python=${2:-python3}
requirement=${BROADHEAD_REQUIREMENT:-broadhead[pandas,cuda13]==0.1.0}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet "$requirement" "${@:3}"
# The jar brings Broadhead; a second copy could be of another version.
"$folder/bin/python" -m pip uninstall --quiet --yes broadhead
tar -czf "$archive" -C "$folder" .
