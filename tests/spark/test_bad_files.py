"""Files of CSV, JSON, text and ORC that are gone, cut, half-written, or hold something else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.orc
import pytest

from spark.answers import Answers
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id BIGINT, u STRING, _corrupt_record STRING"
TEXTS = [f"{'tëxt' * (n % 17)} {n * 7919 % 10007}" for n in range(3000)]


def content(kind: str) -> bytes:
    """A sound file."""
    if kind == "orc":
        sink = pa.BufferOutputStream()
        pyarrow.orc.write_table(pa.table({"id": range(3000), "u": TEXTS}), sink, stripe_size=20_000)
        return sink.getvalue().to_pybytes()
    lines = {
        "csv": (f'{n},"{text}"' for n, text in enumerate(TEXTS)),
        "json": (json.dumps({"id": n, "u": t}, ensure_ascii=False) for n, t in enumerate(TEXTS)),
        "text": TEXTS,
    }
    return "".join(f"{line}\n" for line in lines[kind]).encode()


def other(kind: str) -> bytes:
    """A file of another format."""
    return content("orc" if kind != "orc" else "csv")


DAMAGE: dict[str, Callable[[str, bytes], bytes | None]] = {
    "gone": lambda _, sound: None,
    "empty": lambda _, sound: b"",
    "cut": lambda _, sound: sound[: len(sound) // 2 + 1],
    "half written": lambda _, sound: sound[: len(sound) // 2] + bytes(len(sound) // 2),
    "other": lambda kind, sound: other(kind),
    "utf-16": lambda _, sound: sound.decode(errors="replace").encode("utf-16"),
    "latin-1": lambda _, sound: sound.decode(errors="replace").encode("latin-1", "replace"),
    "mixed": lambda _, sound: sound + sound.decode(errors="replace").encode("latin-1", "replace"),
}
COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda sound: gzip.compress(sound)[:-1000],
    "no checksum": lambda sound: gzip.compress(sound)[:-8],
    "wrong checksum": lambda sound: gzip.compress(sound)[:-8] + bytes(8),
    "bad second member": lambda sound: gzip.compress(sound) + gzip.compress(sound)[:40] + b"x" * 99,
    "garbage": lambda sound: gzip.compress(sound) + b"garbage",
    "zeros": lambda sound: gzip.compress(sound) + bytes(64),
    "plain": lambda sound: sound,
}
CASES = [(kind, damage) for kind in ("csv", "json", "text", "orc") for damage in DAMAGE]
CASES += [(f"{kind}.gz", damage) for kind in ("csv", "json", "text") for damage in COMPRESSED]
BY_DAY = {("orc", "cut"), ("json", "mixed"), ("csv.gz", "bad second member")}


@pytest.mark.parametrize(
    ("kind", "damage"),
    [pytest.param(*c, marks=[] if c in BY_DAY else pytest.mark.nightly) for c in CASES],
)
def test_bad_files(answers: Answers, folder: Path, kind: str, damage: str) -> None:
    plain, dot, _ = kind.partition(".")
    sound = content(plain)
    good, bad = folder / f"0.{kind}", folder / f"1.{kind}"
    good.write_bytes(gzip.compress(sound) if dot else sound)
    bad.write_bytes(good.read_bytes())

    def make(spark: SparkSession) -> DataFrame:
        bad.write_bytes(good.read_bytes())
        schema = "value STRING" if plain == "text" else SCHEMA.partition(", _")[0]
        schema = SCHEMA if plain in ("csv", "json") else schema
        frame = spark.read.format(plain).schema(schema).load(str(folder))
        # Spark lists the files here, and reads them when they are damaged.
        damaged = COMPRESSED[damage](sound) if dot else DAMAGE[damage](plain, sound)
        if damaged is None:
            bad.unlink()
        else:
            bad.write_bytes(damaged)
        texts = frame.columns[1 if plain != "text" else 0 :]
        return frame.selectExpr(*(f"sum(crc32({name}))" for name in texts), "count(*)")

    for key in (None, "spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles"):
        with configured(answers.session, {key: "true"} if key else {}):
            answers.same_outcome(make)
