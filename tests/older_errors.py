"""Errors of Spark 3.5, which wraps those of tasks and has other names of their conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from sql_answers import Rows

CAUSE = re.compile(r"((?:[a-z]\w*\.)+\w*(?:Exception|Error)): ([^\n]*)")
CHANGING = re.compile(r"#\d+|TID \d+|stage \d+\.\d+")


def is_older(session: SparkSession) -> bool:
    """Whether the session's Spark is 3.5."""
    return session.version.startswith("3.")


def rows_or_cause(
    ask: Callable[[], tuple[Rows, DataFrame]], *, analysed: bool
) -> tuple[Rows, DataFrame] | tuple[str, None]:
    """The rows and their frame, or class and message of the last cause of the error.

    With `analysed` an error of the analysis is raised: Spark does not know the query.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        return ask()
    except (Py4JJavaError, PySparkException) as error:
        if analysed and isinstance(error, AnalysisException):
            raise
        *_, (name, message) = CAUSE.findall(str(error)) or [(type(error).__name__, str(error))]
        return f"{name}: {CHANGING.sub('N', message)}", None
