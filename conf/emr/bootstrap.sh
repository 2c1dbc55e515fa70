#!/usr/bin/env bash
# Bootstrap action: every node runs it before Spark is installed.
# Made by: broadhead conf --for emr
# Copy it and gpu-discovery.sh to s3://BUCKET/broadhead/
set -euo pipefail

sudo mkdir -p /opt/broadhead
sudo chown "$(id -u):$(id -g)" /opt/broadhead
# The Python of the executors, for the functions of all programs; EMR's own python3 is another.
python3.11 -m venv /opt/broadhead/venv
/opt/broadhead/venv/bin/python -m pip install --quiet "broadhead[pandas,cuda13]==0.1.0"

aws s3 cp s3://BUCKET/broadhead/gpu-discovery.sh /opt/broadhead/
chmod +x /opt/broadhead/gpu-discovery.sh

# YARN isolates GPUs by the cgroup of devices, which must be of version 1.
sudo mkdir -p /broadhead-cgroup/devices
sudo mount -t cgroup -o devices cgroupv1-devices /broadhead-cgroup/devices
sudo chmod -R a+rwx /broadhead-cgroup
