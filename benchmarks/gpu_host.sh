#!/usr/bin/env bash
# A whole visit to a GPU host: data, GPU tests, benchmarks; logs and JSON go to $OUT.
#
#   benchmarks/gpu_host.sh                       all stages but answers, about 15 minutes on one H200 with 16 cores
#   STAGES="data bench" SF=10 benchmarks/gpu_host.sh
#   STAGES="data answers" benchmarks/gpu_host.sh
#
# The host needs Java 17, and a python3 that imports pyspark, pyarrow and cuDF (pylibcudf); pytest with xdist
# for the tests, tpchgen-cli on the PATH for the data. It needs no network. The jar is compiled if it is missing and
# the Scala compiler is at hand, so carry jvm/dist where it is not.
#
#   STAGES     data kernels sql bench all    (in this order; each has a time limit of its own): bench is Q1 and
#              Q6 warm, all is the 22 queries, warm without the baseline and then once and cold with it;
#              answers compares the 22 queries in all settings with Spark's
#   OUT        folder for logs and JSON      (./gpu-results)
#   SF         scale factor of benchmarks    (30)
#   ANSWERS_SF scale factor of answers       (10)
#   DATA       folder for the data           (/dev/shm/broadhead if it has room, else ./.data)
#   CORES      cores of each engine          (all)
#   MEMORY     driver memory of each engine  (a quarter of the machine's)
#   ENGINES    engines, baseline first       (spark,broadhead-gpu)
#   PYTHON     interpreter                   (python3)
#   LIMIT_x    seconds for stage x           (DATA=100 KERNELS=150 SQL=300 ANSWERS=1200 BENCH=240 ALL=540)
set -uo pipefail

REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly REPOSITORY
cd "$REPOSITORY" || exit 1

export OUT=${OUT:-$PWD/gpu-results}
export STAGES=${STAGES:-data kernels sql bench all}
export SF=${SF:-30} ANSWERS_SF=${ANSWERS_SF:-10}
export CORES=${CORES:-$(nproc)}
export ENGINES=${ENGINES:-spark,broadhead-gpu}
export PYTHON=${PYTHON:-python3}
export PYTHONPATH=$REPOSITORY/python:$REPOSITORY/tests${PYTHONPATH:+:$PYTHONPATH}
export PYSPARK_PYTHON=$PYTHON
export LIMIT_DATA=${LIMIT_DATA:-100} LIMIT_KERNELS=${LIMIT_KERNELS:-150} LIMIT_SQL=${LIMIT_SQL:-300}
export LIMIT_ANSWERS=${LIMIT_ANSWERS:-1200} LIMIT_BENCH=${LIMIT_BENCH:-240} LIMIT_ALL=${LIMIT_ALL:-540}

memory_gib() {
  awk '/^MemTotal/ {print int($2 / 1048576)}' /proc/meminfo
}
export MEMORY=${MEMORY:-$(($(memory_gib) / 4 > 8 ? $(memory_gib) / 4 : 8))g}

data_folder() {
  local needed free
  needed=$(awk -v a="$SF" 'BEGIN {print int(a * 450000)}')
  free=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
  if [ "${free:-0}" -gt "$((needed * 2))" ]; then echo /dev/shm/broadhead; else echo "$PWD/.data"; fi
}
export DATA=${DATA:-$(data_folder)}

stage_data() {
  local scales=("$SF")
  case " $STAGES " in *" answers "*) scales+=("$ANSWERS_SF") ;; esac
  "$PYTHON" - "$DATA/tpch" "${scales[@]}" <<'PY'
import sys, time
from pathlib import Path
from broadhead.demo.data import make_data
for scale in dict.fromkeys(map(float, sys.argv[2:])):
    started = time.monotonic()
    folder = make_data(Path(sys.argv[1]), scale)
    print(f"{folder}: {time.monotonic() - started:.1f} s", flush=True)
PY
}

in_parallel() {
  # pytest-benchmark, where it is installed, warns beside xdist, and warnings fail the tests.
  # Runs of one file write the same tables, so one worker gets them all, as in the Makefile.
  "$PYTHON" -m pytest -q -p no:cacheprovider -p no:benchmark -n "$CORES" --dist loadgroup --no-loadscope-reorder "$@"
}

# The applications of all tests share the GPU through one service.
share_gpu() {
  command -v nvidia-cuda-mps-control >/dev/null || return 0
  CUDA_MPS_PIPE_DIRECTORY=$(mktemp -d /tmp/broadhead-mps-XXXXXX)
  export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY=$CUDA_MPS_PIPE_DIRECTORY
  trap 'echo quit | nvidia-cuda-mps-control; rm -rf "$CUDA_MPS_PIPE_DIRECTORY"' EXIT
  nvidia-cuda-mps-control -d
}

stage_kernels() {
  share_gpu
  BROADHEAD_TEST_KERNELS=cudf in_parallel tests/kernels tests/engine
}

stage_sql() {
  share_gpu
  BROADHEAD_TEST_DEVICE=gpu in_parallel tests/spark/test_sql_files.py tests/spark/test_many_rows.py \
    tests/spark/test_stage_order.py tests/spark/test_sample.py tests/spark/test_collations.py \
    tests/spark/test_malformed_text.py tests/spark/test_sorted_results.py \
    tests/spark/test_random_plans.py tests/spark/test_random_expressions.py
}

# Four applications, each with some of the queries in all settings.
stage_answers() {
  share_gpu
  BROADHEAD_TEST_DEVICE=gpu BROADHEAD_TEST_CORES=$((CORES / 4 > 2 ? CORES / 4 : 2)) BROADHEAD_TPCH_DATA=$DATA/tpch \
    BROADHEAD_TPCH_SCALE=$ANSWERS_SF \
    in_parallel -n 4 --dist loadgroup --nightly --timeout 1200 tests/tpch/test_answers.py
}

benchmark() {
  "$PYTHON" benchmarks/run.py --suite tpch --cores "$CORES" --memory "$MEMORY" --data "$DATA" --scale "$SF" "$@"
}

stage_bench() {
  benchmark --engines "$ENGINES" --queries 1,6 --runs 3 --warmups 1 --deadline $((LIMIT_BENCH - 30)) \
    --timeout $((LIMIT_BENCH - 20)) --output "$OUT/tpch-sf$SF-q1-q6.json"
}

stage_all() {
  local failed=0
  benchmark --engines "${ENGINES##*,}" --queries 1-22 --runs 2 --warmups 1 --timeout 60 \
    --deadline $((LIMIT_ALL / 3)) --output "$OUT/tpch-sf$SF.json" || failed=1
  benchmark --engines "$ENGINES" --queries 1-22 --runs 1 --warmups 0 --no-profile --timeout 90 \
    --deadline $((LIMIT_ALL * 3 / 5)) --output "$OUT/tpch-sf$SF-against-spark.json" || failed=1
  return $failed
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
      echo "There is no stage '$name': choose from data kernels sql answers bench all" >&2
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
