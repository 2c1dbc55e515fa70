"""Casts of random texts, most of them almost values: Broadhead must answer as Spark does."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers
from sql_sessions import configured

ROWS = 3000
CHARACTERS = (
    "0123456789" * 4
    + "+-..eE" * 3
    + " \t\x00\x7f\x1f\x85xXpPfFdDaAnNiItTrRuUyY"
    + "٣３０\u00a0é😀𝟘_,"
)
NUMBERS = (
    "0", "-1", "12.34", "-0.005", "127", "-32769", "2147483648", "9223372036854775808", "1.5e3",
    "1e-400", "1.7976931348623159E308", "3.4028236E38", "2.4703282292062327e-324", "NaN", "-inf",
    "Infinity", "0x1.8p1d", "0x1.0000010000000000001p0", "true", "FALSE", "Yes", "0e50", "1e38",
    "99999999999999999999999999999999999999", "16777217.000000000000000000001", "+.5", " 5 ",
)  # fmt: skip
TYPES = (
    "tinyint", "smallint", "int", "bigint", "boolean", "float", "double", "decimal(5,2)",
    "decimal(18,6)", "decimal(38,10)", "decimal(38,38)", "decimal(38,0)",
)  # fmt: skip
MOMENTS = (
    "2020-02-29", "2021-02-29", "2020-2-9", "0000-01-01", "9999-12-31", "-0044-03-15", "2020",
    "5881580-07-11", "2020-06-01 12:34:56", "2020-06-01T12:34:56.789Z", "2024-11-03 01:30:00",
    "2024-03-10 02:30:00.123456789", "1969-12-31 23:59:59.999999+01:00", "2020-6-1 1:2:3 +1:5",
    "2020-06-01T23:59:59-18:00", "+012345-01-01 00:00:00", "2020-06-01 12:34:56+010203",
)  # fmt: skip
MOMENT_TYPES = ("date", "timestamp", "timestamp_ntz")
MOMENT_CHARACTERS = "0123456789" * 2 + "--::.+  TZ\t\x7fé٣"
TIME_ONLY = re.compile(r"\s*(T|\d{1,2}:)")
"""Such texts are times of the current date, and left to Spark."""
ZONES = ("America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")
TINY = re.compile(r"[eE]-\d{5}")
"""Decimals with such exponents are left to Spark."""


def changed(random: Random, text: str, letters: str) -> str:
    """The text with up to three characters inserted, removed or replaced."""
    characters = list(text)
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        place = random.randrange(len(characters) + 1)
        removed = random.choice((0, 0, 1, 1))
        inserted = random.choice(("", random.choice(letters), random.choice(letters)))
        characters[place : place + removed] = inserted
    return "".join(characters)


@pytest.mark.parametrize("ansi", [False, True])
def test_numbers(answers: Answers, random_seed: str, tmp_path: Path, *, ansi: bool) -> None:
    random = Random(f"{random_seed} {ansi}")
    texts = [changed(random, random.choice(NUMBERS), CHARACTERS) for _ in range(ROWS)]
    usual = [text for text in texts if not TINY.search(text)]
    _check(answers, tmp_path / "texts", [*usual, None], TYPES, ansi=ansi)


@pytest.mark.parametrize("ansi", [False, True])
def test_moments(answers: Answers, random_seed: str, tmp_path: Path, *, ansi: bool) -> None:
    random = Random(f"{random_seed} {ansi}")
    texts = [changed(random, random.choice(MOMENTS), MOMENT_CHARACTERS) for _ in range(ROWS)]
    usual = [text for text in texts if not TIME_ONLY.match(text)]
    with configured(answers.session, {"spark.sql.session.timeZone": random.choice(ZONES)}):
        _check(answers, tmp_path / "texts", [*usual, None], MOMENT_TYPES, ansi=ansi)


def _check(
    answers: Answers, path: Path, texts: list[str | None], types: tuple[str, ...], *, ansi: bool
) -> None:
    """All texts in each type."""
    pq.write_table(pa.table({"x": pa.array(texts, pa.string())}), path)
    form = "try_cast" if ansi else "cast"
    columns = ", ".join(f"{form}(x AS {type}) AS c{n}" for n, type in enumerate(types))
    settings = {"spark.sql.ansi.enabled": str(ansi).lower(), "spark.broadhead.batchRows": "100"}
    with configured(answers.session, settings):
        answers.session.read.parquet(str(path)).createOrReplaceTempView("random_texts")
        answers.same_rows(lambda session: session.sql(f"SELECT x, {columns} FROM random_texts"))
