#!/usr/bin/env bash
# Initialization action: every node runs it as root.
# Made by: broadhead conf --for dataproc
set -euo pipefail

mkdir -p /opt/broadhead
# The Python of the executors, for the functions of all programs, apart from the image's own.
"$(command -v python3.12 || command -v python3.11 || command -v python3)" -m venv /opt/broadhead/venv
/opt/broadhead/venv/bin/python -m pip install --quiet "broadhead[pandas,cuda13]==0.1.0"

gcloud storage cp gs://BUCKET/broadhead/gpu-discovery.sh /opt/broadhead/
chmod a+rx /opt/broadhead/gpu-discovery.sh
