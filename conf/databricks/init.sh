#!/usr/bin/env bash
# Init script: every node runs it before Spark starts.
# Made by: broadhead conf --for databricks
set -euo pipefail

# Plugins are loaded when the cluster starts, before spark.jars.
cp /Volumes/main/default/broadhead/broadhead_spark4.1_2.13-0.1.0.jar /databricks/jars/
# The packages of the cluster's Python, which the executors use.
/databricks/python/bin/python -m pip install --quiet "broadhead[cuda13]==0.1.0"
