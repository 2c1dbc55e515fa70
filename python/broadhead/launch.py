"""Starts Spark with Broadhead: sessions, builders, and commands that run unchanged programs."""

from __future__ import annotations

import logging
import os
import re
import shlex
import sys
from functools import wraps
from typing import TYPE_CHECKING, Any

from broadhead.jar import LaunchError, Spark, find_jar, find_java, find_spark
from broadhead.submit_arguments import (
    SubmitArguments,
    append_to_list,
    parse_submit_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import SparkSession

PLUGIN = "io.broadhead.BroadheadPlugin"
EXTENSIONS = "io.broadhead.BroadheadExtensions"

_LISTS = ("spark.jars", "spark.plugins")
_OWN_JAR = re.compile(r"(?:.*/)?broadhead_spark[^/]*\.jar")
_log = logging.getLogger(__name__)


def plugin_conf(existing: Mapping[str, str], spark: Spark) -> dict[str, str]:
    """Give the keys that load the plugin, appended to the user's values of these lists."""
    jars = existing.get("spark.jars", "")
    if not any(_OWN_JAR.fullmatch(entry.strip()) for entry in jars.split(",")):
        jars = append_to_list(jars, str(find_jar(spark).path))
    return {
        "spark.jars": jars,
        "spark.plugins": append_to_list(existing.get("spark.plugins", ""), PLUGIN),
    }


def session(
    *,
    master: str | None = None,
    app_name: str | None = None,
    conf: Mapping[str, object] | None = None,
    **settings: object,
) -> SparkSession:
    """Give a SparkSession with Broadhead.

    Parameters
    ----------
    master, app_name
        As in `SparkSession.builder`, with Spark's defaults.
    conf
        Any keys of Spark.
    settings
        Broadhead's own keys: `device="cpu"` sets `spark.broadhead.device`. Whole keys can be
        given too: `session(**{"spark.sql.shuffle.partitions": 8})`.
    """
    find_spark()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    if master is not None:
        builder = builder.master(master)
    if app_name is not None:
        builder = builder.appName(app_name)
    for key, value in {**(conf or {}), **settings}.items():
        builder = builder.config(
            key if "." in key else f"spark.broadhead.{_camel_case(key)}", _conf_value(value)
        )
    return configure(builder).getOrCreate()


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Give the builder with Broadhead added to its plugins and jars.

    This sets the keys `spark.jars` and `spark.plugins`. PYSPARK_PYTHON is set to this interpreter
    if the executors are on this machine and their Python is not configured.
    """
    spark = find_spark()
    options: dict[str, str] = {key: str(value) for key, value in builder._options.items()}
    if _is_remote(options):
        _log.info("Broadhead runs in the Spark Connect server; nothing is set on its client")
        return builder
    running = _running_conf()
    if running is not None:
        if PLUGIN in running.get("spark.plugins", "") or EXTENSIONS in running.get(
            "spark.sql.extensions", ""
        ):
            return builder
        message = (
            "a SparkSession is running already without Broadhead, and Spark loads plugins only "
            "when it starts: call spark.stop() first, or start the program with: broadhead run"
        )
        raise LaunchError(message)
    existing = _conf_before_start(spark) | options
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        find_java(spark)
    use_this_python(existing, os.environ)
    for key, value in plugin_conf(existing, spark).items():
        builder = builder.config(key, value)
    if _starts_local_connect(options):
        merge_into_contexts()
    return builder


def use_this_python(existing: Mapping[str, str], environment: Any) -> None:
    """Make this interpreter that of local executors, if none is configured."""
    local = existing.get("spark.master", os.environ.get("MASTER", "local")).startswith("local")
    named = existing.get("spark.pyspark.python") or environment.get("PYSPARK_PYTHON")
    if local and not named:
        environment["PYSPARK_PYTHON"] = sys.executable


def submit_environment(arguments: SubmitArguments, spark: Spark) -> dict[str, str]:
    """Give the environment for spark-submit and pyspark."""
    environment = dict(os.environ)
    environment["SPARK_HOME"] = str(spark.home)
    use_this_python(arguments.properties(spark.home), environment)
    return environment


def submit_command(program: str, words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Give the command and environment of one of Spark's own programs, with Broadhead added."""
    spark = find_spark()
    find_java(spark)
    arguments = parse_submit_arguments(words)
    conf = plugin_conf(arguments.properties(spark.home), spark)
    command = [str(spark.home / "bin" / program), *arguments.command(conf)]
    return command, submit_environment(arguments, spark)


def run_environment(conf: Mapping[str, str]) -> dict[str, str]:
    """Give the environment in which every PySpark program starts Spark with Broadhead."""
    spark = find_spark()
    find_java(spark)
    arguments = parse_submit_arguments(shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")))
    existing = {**arguments.properties(spark.home), **conf}
    application = arguments.application or ("pyspark-shell",)
    merged = SubmitArguments(arguments.options, {**arguments.conf, **conf}, application)
    environment = submit_environment(merged, spark)
    environment["PYSPARK_SUBMIT_ARGS"] = shlex.join(merged.command(plugin_conf(existing, spark)))
    return environment


def merge_into_contexts() -> None:
    """Keep Broadhead in the lists that others set in the conf of this process's SparkContext.

    A program's own `.config("spark.jars", ...)` replaces the arguments of spark-submit, and the
    server that PySpark starts for `remote("local")` overwrites `spark.plugins`.
    """
    from pyspark import SparkContext

    spark = find_spark()
    start: Callable[..., None] = SparkContext.__init__
    if hasattr(start, "__wrapped__"):
        return

    @wraps(start)
    def start_with_broadhead(self: Any, *args: Any, **kwargs: Any) -> None:
        conf = kwargs.get("conf")
        if conf is not None:
            own = {key: conf.get(key) for key in _LISTS if conf.contains(key)}
            merged = plugin_conf(own, spark)
            for key in own:
                conf.set(key, merged[key])
        start(self, *args, **kwargs)

    SparkContext.__init__ = start_with_broadhead


def _conf_before_start(spark: Spark) -> dict[str, str]:
    """Give the settings of files, arguments and a JVM that waits for this program."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        from pyspark import SparkConf, SparkContext

        SparkContext._ensure_initialized()
        return dict(SparkConf(_jvm=SparkContext._jvm).getAll())
    words = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    return parse_submit_arguments(words).properties(spark.home)


def _running_conf() -> dict[str, str] | None:
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    return None if context is None else dict(context.getConf().getAll())


def _remote(options: Mapping[str, str]) -> str:
    return options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")


def _is_remote(options: Mapping[str, str]) -> bool:
    return _remote(options).startswith("sc://")


def _starts_local_connect(options: Mapping[str, str]) -> bool:
    mode = options.get("spark.api.mode") or os.environ.get("SPARK_API_MODE", "")
    return bool(_remote(options)) or mode.lower() == "connect"


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _conf_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
