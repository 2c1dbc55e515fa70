"""Random formats of format_string, on Broadhead and on Spark alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from night import at_night
from spark.answers import plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

    from spark.answers import Answers

FORMATS = 25
VALUES = {"s": ("s", "i", "b", "p"), "d": ("b", "i", "l"), "x": ("b", "i", "l"), "f": ("d", "f")}
FLAGS = {"s": ("", "-"), "d": ("", "-", "0", ",", "+", "0,", "+0,", "-,"), "x": ("", "-", "0"),
         "f": ("", "-", "0", ",", "+", "+0", "0,")}  # fmt: skip
ROWS = (
    "SELECT CASE WHEN id % 9 = 0 THEN NULL ELSE repeat('ab', id % 4) END AS s, "
    "CAST(hash(id) % 128 AS TINYINT) AS b, IF(id % 7 = 0, NULL, hash(id, 1)) AS i, "
    "IF(id % 8 = 0, NULL, xxhash64(id)) AS l, id % 3 = 0 AS p, "
    "IF(id % 5 = 0, NULL, hash(id, 2) / pow(10, 1 + id % 12)) AS d, "
    "CAST(hash(id, 3) / pow(10, 1 + id % 9) AS FLOAT) AS f FROM range(500)"
)


def conversion(chance: random.Random) -> tuple[str, str]:
    """A conversion and the column that it takes."""
    letter = chance.choice("sdxf")
    flags = chance.choice(FLAGS[letter])
    needs_width = "0" in flags or "-" in flags
    width = str(chance.randrange(1, 20)) if needs_width or chance.random() < 0.3 else ""
    precision = f".{chance.randrange(10)}" if letter == "f" and chance.random() < 0.8 else ""
    written = "X" if letter == "x" and chance.random() < 0.5 else letter
    return f"%{flags}{width}{precision}{written}", chance.choice(VALUES[letter])


@pytest.mark.parametrize("part", [0, *at_night(*range(1, 40))])
def test_texts_are_those_of_spark(
    answers: Answers, tmp_path: Path, random_seed: str, part: int
) -> None:
    chance = random.Random(f"{random_seed} {part}")
    path = str(tmp_path / "t")
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.sql(ROWS).write.parquet(path)
    columns = []
    for _ in range(FORMATS):
        parts = [conversion(chance) for _ in range(chance.randrange(1, 4))]
        form = chance.choice(["{}", "<{}>", "100%% {}"]).format(" ".join(p for p, _ in parts))
        columns.append(f"format_string('{form}', {', '.join(name for _, name in parts)})")
    named = [f"{call} AS c{number}" for number, call in enumerate(columns)]
    frame = answers.same_rows(lambda spark: spark.read.parquet(path).selectExpr(*named))
    assert "BroadheadProject" in plan_of(frame), plan_of(frame)
