#!/usr/bin/env bash
# Starts a service of the image: start.sh master|worker|connect|history|jupyter [ARGUMENT...]
# Spark on Kubernetes starts the image with `driver` and `executor`. Other words are a command.
set -euo pipefail

root=${BROADHEAD_ROOT:-/opt/broadhead}
export SPARK_HOME=${SPARK_HOME:-$root/spark}
export SPARK_CONF_DIR=${SPARK_CONF_DIR:-$root/conf}
# Services run in the foreground, and their logs are those of the container.
export SPARK_NO_DAEMONIZE=1
class="$SPARK_HOME/bin/spark-class"

role=${1:-}
shift || true
case $role in
  master)
    exec "$class" org.apache.spark.deploy.master.Master --port 7077 --webui-port 8080 "$@"
    ;;
  worker)
    exec "$class" org.apache.spark.deploy.worker.Worker --webui-port 8081 \
      "${SPARK_MASTER:-spark://master:7077}" "$@"
    ;;
  connect)
    exec "$SPARK_HOME/bin/spark-submit" --name "Spark Connect server" \
      --class org.apache.spark.sql.connect.service.SparkConnectServer \
      --master "${SPARK_MASTER:-spark://master:7077}" "$@"
    ;;
  history)
    # With the jar, the history server shows the tab of Broadhead.
    export SPARK_DAEMON_CLASSPATH="${SPARK_DAEMON_CLASSPATH:-$root/jars/*}"
    exec "$class" org.apache.spark.deploy.history.HistoryServer "$@"
    ;;
  jupyter)
    # Sessions of notebooks run on the cluster.
    export PYSPARK_SUBMIT_ARGS="--master ${SPARK_MASTER:-spark://master:7077} pyspark-shell"
    exec "$root/venv/bin/jupyter" lab --ip 0.0.0.0 --port 8888 --no-browser "$@"
    ;;
  driver)
    exec "$SPARK_HOME/bin/spark-submit" --deploy-mode client \
      --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS" "$@"
    ;;
  executor)
    # Spark passes the JVM's options in SPARK_JAVA_OPT_0, SPARK_JAVA_OPT_1 ...
    options=()
    for ((number = 0; ; number++)); do
      name=SPARK_JAVA_OPT_$number
      [[ -v $name ]] || break
      options+=("${!name}")
    done
    exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" "${options[@]}" \
      "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
      -cp "$SPARK_CONF_DIR:${SPARK_CLASSPATH:+$SPARK_CLASSPATH:}$SPARK_HOME/jars/*" \
      org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
      --driver-url "$SPARK_DRIVER_URL" \
      --executor-id "$SPARK_EXECUTOR_ID" \
      --cores "$SPARK_EXECUTOR_CORES" \
      --app-id "$SPARK_APPLICATION_ID" \
      --hostname "$SPARK_EXECUTOR_POD_IP" \
      --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" \
      --podName "$SPARK_EXECUTOR_POD_NAME"
    ;;
  "")
    exec bash
    ;;
  *)
    exec "$role" "$@"
    ;;
esac
