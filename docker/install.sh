#!/usr/bin/env bash
# Installs Spark and Broadhead in a folder: the steps of docker/Dockerfile, which tests run too.
#
#   install.sh spark FOLDER [PYTHON]          a virtual environment with Spark
#   install.sh package FOLDER WHEEL [DEVICE]  Broadhead's wheel for cpu, cuda12 or cuda13, and its
#                                             configuration
#   install.sh jupyter FOLDER                 JupyterLab
#   install.sh check FOLDER                   `broadhead doctor`, and one query
set -euo pipefail

SPARK=${BROADHEAD_SPARK:-4.1}
UV_VERSION=0.13.9

usage() {
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# Installs packages in the environment of a folder. uv is in the cache, which no image contains.
packages() {
  local folder=$1 uv=${XDG_CACHE_HOME:-$HOME/.cache}/broadhead/uv-$UV_VERSION
  shift
  if [[ ! -x $uv/bin/uv ]]; then
    "$folder/venv/bin/python" -m venv "$uv"
    "$uv/bin/python" -m pip install --quiet "uv==$UV_VERSION"
  fi
  "$uv/bin/uv" pip install --quiet --python "$folder/venv/bin/python" "$@"
}

spark() {
  local folder=$1 python=${2:-python3}
  "$python" -m venv "$folder/venv"
  packages "$folder" "pyspark[connect]==$SPARK.*"
  # One path for SPARK_HOME, whatever the version of Python.
  ln -sfn "$("$folder/venv/bin/python" -c 'import pyspark; print(pyspark.__path__[0])')" \
    "$folder/spark"
}

package() {
  local folder=$1 wheel=$2 device=${3:-cpu} extras=spark,pandas options=(--device cpu)
  if [[ $device != cpu ]]; then
    extras+=,$device
    options=(--device gpu --cuda "${device#cuda}")
  fi
  packages "$folder" "broadhead[$extras] @ file://$(realpath "$wheel")" "pyspark==$SPARK.*"
  mkdir -p "$folder/jars" "$folder/conf" "$folder/events" "$folder/local"
  ln -sf "$(SPARK_HOME=$folder/spark "$folder/venv/bin/broadhead" jar)" "$folder/jars/"
  local jar=("$folder"/jars/broadhead_spark*.jar)
  # An executor has two cores here, so that the services fit on a laptop.
  "$folder/venv/bin/broadhead" conf --for standalone --output "$folder/conf" "${options[@]}" \
    --cores 2 --memory 3g --jar "local://${jar[0]}" --python "$folder/venv/bin/python" \
    --local-dir "$folder/local" --gpu-discovery "$folder/conf/gpu-discovery.sh" \
    --set spark.eventLog.enabled=true --set "spark.eventLog.dir=file://$folder/events" \
    --set "spark.history.fs.logDirectory=file://$folder/events"
}

jupyter() {
  packages "$1" "jupyterlab>=4"
}

check() {
  local folder=$1
  export SPARK_HOME=$folder/spark PYSPARK_PYTHON=$folder/venv/bin/python
  "$folder/venv/bin/broadhead" doctor
  "$folder/venv/bin/broadhead" run "$(dirname "$0")/first_query.py"
}

[[ $# -ge 2 ]] || usage
case $1 in
  spark | package | jupyter | check) "$@" ;;
  *) usage ;;
esac
