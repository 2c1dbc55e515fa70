#!/usr/bin/env bash
# A whole visit to a GPU host: data, GPU tests, benchmarks; logs and JSON go to $OUT.
#
#   benchmarks/gpu_host.sh                       all stages, under 8 minutes with the defaults
#   STAGES="data bench" SF=10 benchmarks/gpu_host.sh
#
# The host needs Java 17, and a python3 that imports pyspark, pyarrow and cuDF (pylibcudf); pytest for the
# tests, tpchgen-cli on the PATH for the data. It needs no network. The jar is compiled if it is missing and
# the Scala compiler is at hand, so carry jvm/dist where it is not.
#
#   STAGES     data kernels sql bench all    (in this order; each has a time limit of its own)
#   OUT        folder for logs and JSON      (./gpu-results)
#   SF         scale factor for Q1 and Q6    (30)
#   SF_ALL     scale factor for all queries  (10)
#   DATA       folder for the data           (/dev/shm/broadhead if it has room, else ./.data)
#   CORES      cores of each engine          (all)
#   MEMORY     driver memory of each engine  (a quarter of the machine's)
#   ENGINES    engines, baseline first       (spark,broadhead-gpu)
#   PYTHON     interpreter                   (python3)
#   LIMIT_x    seconds for stage x           (LIMIT_DATA=100 LIMIT_KERNELS=75 LIMIT_SQL=75 LIMIT_BENCH=110 LIMIT_ALL=110)
set -uo pipefail

readonly REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$REPOSITORY" || exit 1

export OUT=${OUT:-$PWD/gpu-results}
export STAGES=${STAGES:-data kernels sql bench all}
export SF=${SF:-30} SF_ALL=${SF_ALL:-10}
export CORES=${CORES:-$(nproc)}
export ENGINES=${ENGINES:-spark,broadhead-gpu}
export PYTHON=${PYTHON:-python3}
export PYTHONPATH=$REPOSITORY/python:$REPOSITORY/tests${PYTHONPATH:+:$PYTHONPATH}
export PYSPARK_PYTHON=$PYTHON
export LIMIT_DATA=${LIMIT_DATA:-100} LIMIT_KERNELS=${LIMIT_KERNELS:-75} LIMIT_SQL=${LIMIT_SQL:-75}
export LIMIT_BENCH=${LIMIT_BENCH:-110} LIMIT_ALL=${LIMIT_ALL:-110}

memory_gib() {
  awk '/^MemTotal/ {print int($2 / 1048576)}' /proc/meminfo
}
export MEMORY=${MEMORY:-$(($(memory_gib) / 4 > 8 ? $(memory_gib) / 4 : 8))g}

data_folder() {
  local needed free
  needed=$(awk -v a="$SF" -v b="$SF_ALL" 'BEGIN {print int((a + b) * 450000)}')
  free=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
  if [ "${free:-0}" -gt "$((needed * 2))" ]; then echo /dev/shm/broadhead; else echo "$PWD/.data"; fi
}
export DATA=${DATA:-$(data_folder)}

stage_data() {
  "$PYTHON" - "$DATA/tpch" "$SF" "$SF_ALL" <<'PY'
import sys, time
from pathlib import Path
from broadhead.demo.data import make_data
for scale in dict.fromkeys(map(float, sys.argv[2:])):
    started = time.monotonic()
    folder = make_data(Path(sys.argv[1]), scale)
    print(f"{folder}: {time.monotonic() - started:.1f} s", flush=True)
PY
}

stage_kernels() {
  BROADHEAD_TEST_KERNELS=cudf "$PYTHON" -m pytest -q -p no:cacheprovider tests/kernels tests/engine
}

stage_sql() {
  BROADHEAD_TEST_DEVICE=gpu "$PYTHON" -m pytest -q -p no:cacheprovider tests/spark/test_sql_files.py
}

benchmark() {
  "$PYTHON" benchmarks/run.py --suite tpch --engines "$ENGINES" --cores "$CORES" --memory "$MEMORY" \
    --data "$DATA" "$@"
}

stage_bench() {
  benchmark --queries 1,6 --scale "$SF" --runs 3 --warmups 1 --deadline $((LIMIT_BENCH - 30)) \
    --timeout $((LIMIT_BENCH - 20)) --output "$OUT/tpch-sf$SF-q1-q6.json"
}

stage_all() {
  benchmark --queries 1-22 --scale "$SF_ALL" --runs 1 --warmups 1 --deadline $((LIMIT_ALL - 20)) \
    --timeout 60 --no-profile --output "$OUT/tpch-sf$SF_ALL.json"
}

describe_host() {
  nvidia-smi 2>&1
  java -version 2>&1
  "$PYTHON" --version
  "$PYTHON" -c '
import importlib
for name in ("pyspark", "pyarrow", "numpy", "pylibcudf", "cupy", "pytest"):
    try:
        print(name, importlib.import_module(name).__version__)
    except Exception as error:
        print(name, "MISSING:", error)' 2>&1
  nproc
  free -g
  df -h "$PWD" /dev/shm
}

ensure_jar() {
  compgen -G "jvm/dist/broadhead_spark*.jar" >/dev/null && return 0
  "$PYTHON" jvm/compile.py && return 0
  echo "There is no jar in jvm/dist and it cannot be compiled here: build it with make jar and carry jvm/dist" >&2
  return 1
}

run_stage() {
  local name=$1 limit_name=LIMIT_${1^^} started=$SECONDS status
  timeout --kill-after=10 "${!limit_name}" "${BASH_SOURCE[0]}" --stage "$name" >"$OUT/$name.log" 2>&1
  status=$?
  echo "$name: exit status $status after $((SECONDS - started)) s (limit ${!limit_name} s)" | tee -a "$OUT/summary.txt"
  tail -n 25 "$OUT/$name.log"
  return $status
}

main() {
  local name failed=0
  mkdir -p "$OUT"
  : >"$OUT/summary.txt"
  describe_host >"$OUT/host.txt"
  for name in $STAGES; do
    if ! declare -F "stage_$name" >/dev/null; then
      echo "There is no stage '$name': choose from data kernels sql bench all" >&2
      exit 2
    fi
  done
  ensure_jar >"$OUT/jar.log" 2>&1 || { cat "$OUT/jar.log" >&2; failed=1; }
  for name in $STAGES; do
    run_stage "$name" || failed=1
  done
  exit $failed
}

if [ "${1:-}" = --stage ]; then
  "stage_$2"
else
  main
fi
