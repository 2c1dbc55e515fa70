#!/usr/bin/env bash
# Prints the GPUs of this host as Spark wants them: {"name": "gpu", "addresses": ["0", "1"]}
# Made by: broadhead conf --for yarn
set -euo pipefail

addresses=$(nvidia-smi --query-gpu=index --format=csv,noheader | sed 's/.*/"&"/' | paste -sd, -)
echo "{\"name\": \"gpu\", \"addresses\": [$addresses]}"
