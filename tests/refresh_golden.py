"""Asks Spark for the answers that tests/golden keeps.

python tests/refresh_golden.py              that are missing: of changed tables, queries or runs
python tests/refresh_golden.py add window   of these `.sql` files
python tests/refresh_golden.py --all        of all files
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from golden_answers import (
    FOLDER,
    Answer,
    GoldenFile,
    asked_by_day,
    kept_answers,
    origin_of,
    path_of,
)
from local_session import local_session
from sql_files import parse
from sql_runs import FILES, SHARED, runs
from sql_sessions import SqlRunner, spark_version


def chosen(arguments: list[str], spark: str) -> list[Path]:
    """The files to ask for."""
    if "--all" in arguments:
        return FILES
    if arguments:
        unknown = set(arguments) - {path.stem for path in FILES}
        if unknown:
            raise SystemExit(f"no .sql file of this name: {', '.join(sorted(unknown))}")
        return [path for path in FILES if path.stem in arguments]
    asked = asked_by_day(FILES)
    return [path for path in FILES if not _is_current(path, spark, asked[path])]


def _is_current(path: Path, spark: str, asked: set[tuple[str, str]]) -> bool:
    golden = GoldenFile.read(path_of(path))
    current = (golden.spark, golden.origin) == (spark, origin_of(parse(path)))
    return current and golden.answers.keys() == asked


def refresh(
    runner: SqlRunner, path: Path, spark: str, known: dict[tuple[str, str], Answer]
) -> None:
    """Write what Spark answers to the queries of a file, but for what is known."""
    answers: dict[tuple[str, str], Answer] = {}
    for run in runs(path, nightly=False):
        keys = {query: (query.sql, run.name) for query in run.queries}
        unknown = [query for query, key in keys.items() if key not in known]
        asked = dict(runner.ask_spark(replace(run, queries=unknown))) if unknown else {}
        for query, key in keys.items():
            found = asked.get(query)
            answers[key] = known[key] if found is None else Answer.of(found, query.tolerance)
    GoldenFile(spark, origin_of(parse(path)), answers).write(path_of(path))


def remove_orphans() -> None:
    """Delete the answers of files that are gone."""
    wanted = {path_of(path) for path in FILES}
    for folder in {path.parent for path in wanted}:
        for path in folder.glob("*.jsonl"):
            if path not in wanted:
                path.unlink()


def main(arguments: list[str]) -> None:
    """Write the files, and say which."""
    session = local_session()
    spark = spark_version(session)
    with tempfile.TemporaryDirectory() as folder:
        runner = SqlRunner(local_session, Path(folder))
        runner.make_tables(parse(SHARED))
        for path in chosen(arguments, spark):
            refresh(runner, path, spark, {} if arguments else kept_answers(parse(path), spark))
            print(path_of(path).relative_to(FOLDER.parent))
    remove_orphans()


if __name__ == "__main__":
    main(sys.argv[1:])
