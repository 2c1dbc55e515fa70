#!/usr/bin/env bash
# Starts a Spark Connect server with the keys of spark-defaults.conf beside this file, and stays.
# Made by: broadhead conf --for connect
set -euo pipefail

# The server gives this Python to the functions of its clients, whatever the keys say.
export PYSPARK_PYTHON=./environment/bin/python

here=$(cd "$(dirname "$0")" && pwd)
exec "${SPARK_HOME:+$SPARK_HOME/bin/}spark-submit" \
  --class org.apache.spark.sql.connect.service.SparkConnectServer \
  --name "Spark Connect server" \
  --properties-file "$here/spark-defaults.conf" \
  "$@"
