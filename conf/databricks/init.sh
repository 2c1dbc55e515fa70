#!/usr/bin/env bash
# Init script: every node runs it before Spark starts.
# Made by: broadhead conf --for databricks
set -euo pipefail

# Plugins are loaded when the cluster starts, before spark.jars.
cp /Volumes/main/default/broadhead/broadhead_spark4.1_2.13-0.1.0.jar /databricks/jars/
# Adds packages to the cluster's Python, which the executors use, and changes none of its own.
python=/databricks/python/bin/python
own=$(mktemp)
"$python" -c 'from importlib.metadata import distributions
for each in distributions(): print(f"{each.name}=={each.version}")' > "$own"
if ! "$python" -m pip install --quiet --constraint "$own" "broadhead[cuda13]==0.1.0"; then
  echo "Broadhead needs other versions of the runtime's packages: all queries stay with Spark" >&2
fi
