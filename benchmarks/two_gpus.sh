#!/usr/bin/env bash
# Queries of TPC-H on one GPU and on two, in local mode and on a standalone cluster: seconds, whether the rows agree, and
# for each GPU the share of samples in which it was busy. JSON and logs go to $OUT. Ends within 400 seconds.
#
#   benchmarks/two_gpus.sh
#   STAGES="data one both" SF=1 benchmarks/two_gpus.sh
#
# The host needs two GPUs, Java 17, and a python3 that imports pyspark, pyarrow and cuDF (pylibcudf); tpchgen-cli on the
# PATH for the data. It needs no network. Carry jvm/dist where the jar cannot be compiled.
#
#   STAGES     data one both cluster         (in this order; each has a time limit of its own): one is local mode with the
#              first GPU alone, both is local mode with both, cluster has two executors, each with one GPU
#   OUT        folder for logs and JSON      (./gpu-results)
#   SF         scale factor                  (30)
#   QUERIES    queries                       (1,3,5,9,18,21)
#   DATA       folder for the data           (/dev/shm/broadhead)
#   CORES      cores of all executors        (all)
#   MEMORY     GiB of all executors          (a quarter of the machine's, at least 4)
#   DEVICE     spark.broadhead.device        (auto)
#   PYTHON     interpreter                   (python3)
#   LIMIT_x    seconds for stage x           (DATA=100 ONE=90 BOTH=90 CLUSTER=100)
set -uo pipefail

REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly REPOSITORY
cd "$REPOSITORY" || exit 1

export OUT=${OUT:-$PWD/gpu-results}
export STAGES=${STAGES:-data one both cluster}
export SF=${SF:-30} QUERIES=${QUERIES:-1,3,5,9,18,21}
export DATA=${DATA:-/dev/shm/broadhead}
export CORES=${CORES:-$(nproc)}
export DEVICE=${DEVICE:-auto}
export PYTHON=${PYTHON:-python3}
export PYTHONPATH=$REPOSITORY/python${PYTHONPATH:+:$PYTHONPATH}
export PYSPARK_PYTHON=$PYTHON
export LIMIT_DATA=${LIMIT_DATA:-100} LIMIT_ONE=${LIMIT_ONE:-90} LIMIT_BOTH=${LIMIT_BOTH:-90} LIMIT_CLUSTER=${LIMIT_CLUSTER:-100}

quarter_gib() {
  awk '/^MemTotal/ {gib = int($2 / 4194304); print (gib > 4 ? gib : 4)}' /proc/meminfo
}
export MEMORY=${MEMORY:-$(quarter_gib)}

spark_home() {
  "$PYTHON" -c 'import pathlib, pyspark; print(pathlib.Path(pyspark.__file__).parent)'
}
SPARK_HOME=${SPARK_HOME:-$(spark_home)}
export SPARK_HOME

# Spark's scripts set it, and a worker without it does not find Spark's jars.
scala_version() {
  local core
  core=$(echo "$SPARK_HOME"/jars/spark-core_*.jar)
  core=${core##*spark-core_}
  echo "${core%%-*}"
}
SPARK_SCALA_VERSION=$(scala_version)
export SPARK_SCALA_VERSION

stage_data() {
  "$PYTHON" - "$DATA/tpch" "$SF" <<'PY'
import sys, time
from pathlib import Path
from broadhead.demo.data import make_data
started = time.monotonic()
folder = make_data(Path(sys.argv[1]), float(sys.argv[2]))
print(f"{folder}: {time.monotonic() - started:.1f} s")
PY
}

# The engine of a case: its name, the value of CUDA_VISIBLE_DEVICES, and further lines of its configuration.
write_engine() {
  cat >"$OUT/$1.toml" <<TOML
name = "$1"
description = "Broadhead on the GPUs $2"
jars = ["jvm/dist/broadhead_spark4*.jar"]

[environment]
CUDA_VISIBLE_DEVICES = "$2"

[conf]
"spark.plugins" = "io.broadhead.BroadheadPlugin"
"spark.broadhead.device" = "$DEVICE"
"spark.driver.memory" = "$3g"
"spark.driver.maxResultSize" = "0"
"spark.sql.shuffle.partitions" = "$((2 * CORES))"
"spark.ui.showConsoleProgress" = "false"
$4
TOML
}

# The first case has the rows that the others are compared with.
run_case() {
  local limit=$2 same=()
  if [ "$1" != one ] && [ -e "$OUT/one.json" ]; then same=(--same-as "$OUT/one.json"); fi
  "$PYTHON" benchmarks/gpu_case.py --engine "$OUT/$1.toml" --data "$DATA" --scale "$SF" --queries "$QUERIES" \
    --output "$OUT/$1.json" --deadline "$limit" "${same[@]}"
}

# The UUIDs of so many GPUs of the host, with commas.
gpus() {
  nvidia-smi --query-gpu=uuid --format=csv,noheader | head -n "$1" | paste -sd, -
}

stage_one() {
  write_engine one "$(gpus 1)" "$MEMORY" "\"spark.master\" = \"local[$CORES]\""
  run_case one $((LIMIT_ONE - 15))
}

stage_both() {
  write_engine both "$(gpus 2)" "$MEMORY" "\"spark.master\" = \"local[$CORES]\""
  run_case both $((LIMIT_BOTH - 15))
}

free_port() {
  "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until a log has a line with these words.
await_line() {
  local left=200
  until grep -q "$2" "$1" 2>/dev/null; do
    left=$((left - 1))
    if [ "$left" = 0 ]; then
      echo "$1 has no line '$2' after 40 seconds" >&2
      return 1
    fi
    sleep 0.2
  done
}

start_service() {
  local name=$1
  shift
  SPARK_LOCAL_IP=127.0.0.1 java -cp "$SPARK_HOME/jars/*" "$@" >"$OUT/$name.log" 2>&1 &
  services+=($!)
}

start_worker() {
  local number=$1 script=$OUT/gpu-of-worker-$1.sh
  printf '#!/bin/sh\necho '\''{"name": "gpu", "addresses": ["%s"]}'\''\n' "$number" >"$script"
  chmod +x "$script"
  start_service "worker-$number" -Xmx512m -Dspark.worker.resource.gpu.amount=1 \
    -Dspark.worker.resource.gpu.discoveryScript="$script" org.apache.spark.deploy.worker.Worker \
    --host 127.0.0.1 --port 0 --webui-port 0 --cores $((CORES / 2)) --memory $((MEMORY / 2))g \
    --work-dir "$OUT/work-$number" "$2"
}

# The services end with the stage, whatever ends it.
stage_cluster() {
  local port number master share
  services=()
  trap 'kill "${services[@]}" 2>/dev/null; wait' EXIT
  trap 'exit 143' TERM
  port=$(free_port)
  master=spark://127.0.0.1:$port
  start_service master -Xmx512m -Dspark.master.rest.enabled=false org.apache.spark.deploy.master.Master --host 127.0.0.1 --port "$port" --webui-port 0
  await_line "$OUT/master.log" "Starting Spark master at" || return 1
  for number in 0 1; do start_worker "$number" "$master"; done
  for number in 0 1; do await_line "$OUT/worker-$number.log" "Successfully registered with master" || return 1; done
  share=$(awk -v cores=$((CORES / 2)) 'BEGIN {printf "%.4f", 1 / cores - 0.00005}')
  write_engine cluster "" 4 "\"spark.master\" = \"$master\"
\"spark.driver.host\" = \"127.0.0.1\"
\"spark.executor.cores\" = \"$((CORES / 2))\"
\"spark.executor.memory\" = \"$((MEMORY / 4 > 1 ? MEMORY / 4 : 1))g\"
\"spark.executor.resource.gpu.amount\" = \"1\"
\"spark.task.resource.gpu.amount\" = \"$share\""
  # of the driver alone: the executors have the GPUs that Spark gives to them
  sed -i '/CUDA_VISIBLE_DEVICES/d' "$OUT/cluster.toml"
  run_case cluster $((LIMIT_CLUSTER - 30))
}

describe_host() {
  nvidia-smi -L 2>&1
  java -version 2>&1
  "$PYTHON" --version
  nproc
  free -g
}

# Seconds of each query in each case, whether the rows are those of the first, and the use of each GPU.
summarize() {
  "$PYTHON" - "$OUT" <<'PY'
import json, sys
from pathlib import Path
folder = Path(sys.argv[1])
cases = {name: json.loads((folder / f"{name}.json").read_text())
         for name in ("one", "both", "cluster") if (folder / f"{name}.json").exists()}
(folder / "two-gpus.json").write_text(json.dumps(cases, indent=1) + "\n")
for name, case in cases.items():
    print(f"{name}: {case.get('error', '')}")
    for gpu in case["gpus"]:
        print(f"  GPU {gpu['index']}: busy in {gpu['busy']:.0%} of {gpu['samples']} samples, at most {gpu['memory_mib']} MiB")
    for query, found in case["queries"].items():
        same = {True: ", same rows", False: ", OTHER ROWS"}.get(found.get("same_rows"), "")
        print(f"  {query}: {found.get('seconds', '-')} s{same} {found.get('error', '')}")
PY
}

run_stage() {
  local name=$1 limit_name=LIMIT_${1^^} started=$SECONDS status
  timeout --kill-after=10 "${!limit_name}" "${BASH_SOURCE[0]}" --stage "$name" >"$OUT/$name-stage.log" 2>&1
  status=$?
  echo "$name: exit status $status after $((SECONDS - started)) s (limit ${!limit_name} s)" | tee -a "$OUT/summary.txt"
  [ "$status" = 0 ] || tail -n 25 "$OUT/$name-stage.log"
  return $status
}

main() {
  local name failed=0
  mkdir -p "$OUT"
  : >"$OUT/summary.txt"
  describe_host >"$OUT/host.txt"
  for name in $STAGES; do
    if ! declare -F "stage_$name" >/dev/null; then
      echo "There is no stage '$name': choose from data one both cluster" >&2
      exit 2
    fi
  done
  if ! compgen -G "jvm/dist/broadhead_spark4*.jar" >/dev/null && ! "$PYTHON" jvm/compile.py; then
    echo "There is no jar in jvm/dist and it cannot be compiled here: build it with make jar and carry jvm/dist" >&2
    exit 1
  fi
  for name in $STAGES; do
    rm -f "$OUT/$name.json"
    run_stage "$name" || failed=1
  done
  summarize | tee -a "$OUT/summary.txt"
  exit $failed
}

if [ "${1:-}" = --stage ]; then
  "stage_$2"
else
  main
fi
