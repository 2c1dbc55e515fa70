"""The jar against the Spark at hand: one jar serves several versions of Spark.

A method that this version lacks shows only when something calls it: all references are looked up.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from broadhead.jar import find_jar, find_spark, packaged_jars

CLASS, STRING, NAME_AND_TYPE, UTF8, LONG, DOUBLE = 7, 8, 12, 1, 5, 6
MEMBERS = {9, 10, 11}
WIDTHS = {3: 4, 4: 4, LONG: 8, DOUBLE: 8, CLASS: 2, STRING: 2, 9: 4, 10: 4, 11: 4,
          NAME_AND_TYPE: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}  # fmt: skip
"""Bytes of each kind of constant after its tag, but for texts."""
UNCALLED = {
    "MDC$", "logBasedOnLevel$", "getAliasMap$", "mergeAliases$", "mergeAndTrimAliases$"
}  # fmt: skip
"""Methods that traits of Spark 4.1 put into our classes, and that nothing of ours calls."""


@dataclass(frozen=True)
class ClassFile:
    """What a class extends, has, and refers to."""

    parents: tuple[str, ...]
    members: frozenset[tuple[str, str]]
    references: frozenset[tuple[str, str, str]]


def parse(data: bytes) -> ClassFile:
    (count,) = struct.unpack_from(">H", data, 8)
    position, index = 10, 1
    constants: dict[int, tuple[int, bytes]] = {}
    while index < count:
        tag = data[position]
        length = struct.unpack_from(">H", data, position + 1)[0] + 2 if tag == UTF8 else WIDTHS[tag]
        constants[index] = (tag, data[position + 1 : position + 1 + length])
        position += 1 + length
        index += 2 if tag in {LONG, DOUBLE} else 1

    def text(number: int) -> str:
        return constants[number][1][2:].decode("utf-8", "replace")

    def class_name(number: int) -> str:
        return text(struct.unpack(">H", constants[number][1])[0])

    references = set()
    for tag, body in constants.values():
        if tag in MEMBERS:
            owner, pair = struct.unpack(">HH", body)
            name, kind = struct.unpack(">HH", constants[pair][1])
            references.add((class_name(owner), text(name), text(kind)))
    above, interfaces = struct.unpack_from(">HH", data, position + 4)
    numbers = struct.unpack_from(f">{interfaces}H", data, position + 8)
    parents = tuple(class_name(n) for n in (above, *numbers) if n)
    members = set()
    position += 8 + 2 * interfaces
    for _ in range(2):
        (count,) = struct.unpack_from(">H", data, position)
        position += 2
        for _ in range(count):
            name, kind, attributes = struct.unpack_from(">HHH", data, position + 2)
            members.add((text(name), text(kind)))
            position += 8
            for _ in range(attributes):
                position += 6 + struct.unpack_from(">I", data, position + 2)[0]
    return ClassFile(parents, frozenset(members), frozenset(references))


class Classes:
    """The classes of Spark's jars and of ours, read when they are asked for."""

    def __init__(self, jars: list[Path]) -> None:
        self._archives = [zipfile.ZipFile(jar) for jar in jars]
        self._places = {
            name.removesuffix(".class"): archive
            for archive in self._archives
            for name in archive.namelist()
            if name.endswith(".class")
        }
        self.find = cache(self._find)

    def _find(self, name: str) -> ClassFile | None:
        archive = self._places.get(name)
        return None if archive is None else parse(archive.read(f"{name}.class"))

    def has(self, owner: str, name: str, kind: str) -> bool:
        """Whether a class or what it extends has the member; what lies outside the jars has all."""
        found = self.find(owner)
        if found is None:
            return not owner.startswith("org/apache/spark/")
        if (name, kind) in found.members:
            return True
        inside = [parent for parent in found.parents if not parent.startswith("java/")]
        outside = len(inside) < len(found.parents) and name != "<init>"
        return any(self.has(parent, name, kind) for parent in inside) or (
            outside and (name, kind) in INHERITED
        )


INHERITED = {
    ("getCause", "()Ljava/lang/Throwable;"), ("get", "()Ljava/lang/Object;"),
    ("getClass", "()Ljava/lang/Class;"), ("hashCode", "()I"), ("toString", "()Ljava/lang/String;"),
    ("equals", "(Ljava/lang/Object;)Z"), ("notify", "()V"), ("notifyAll", "()V"), ("wait", "()V"),
    ("close", "()V"), ("isDone", "()Z"), ("complete", "(Ljava/lang/Object;)Z"),
}  # fmt: skip
"""What our code calls on classes that have it from the JDK's."""


def missing(jar: Path, spark_jars: list[Path]) -> Iterator[str]:
    classes = Classes([*spark_jars, jar])
    with zipfile.ZipFile(jar) as archive:
        for entry in archive.namelist():
            if entry.endswith(".class"):
                for owner, name, kind in sorted(parse(archive.read(entry)).references):
                    if (
                        owner.startswith("org/apache/spark/")
                        and name not in UNCALLED
                        and not classes.has(owner, name, kind)
                    ):
                        yield f"{entry.removesuffix('.class')} needs {owner}.{name}{kind}"


def test_all_that_the_jar_calls_is_there() -> None:
    spark = find_spark()
    jars = sorted(Path(spark.home, "jars").glob("*.jar"))
    assert not list(missing(find_jar(spark).path, jars))


LISTED = "broadhead/spark-members.txt"
PROGRAM = """
import sys
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
         .config("spark.broadhead.costModel.enabled", "false").config("spark.jars", sys.argv[1])
         .config("spark.plugins", "io.broadhead.BroadheadPlugin").getOrCreate())
frame = spark.range(10).selectExpr("sum(id)")
plan = frame._jdf.queryExecution().executedPlan().toString()
print("ROWS", frame.collect()[0][0], "BroadheadHashAggregate" in plan)
spark.stop()
"""


def outcome_with(jar: Path) -> tuple[str, str]:
    """What the program prints, and its warnings about Broadhead."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(jar)], capture_output=True, text=True, check=False
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("ROWS")]
    warnings = [line for line in done.stderr.splitlines() if "Broadhead is switched off" in line]
    return "".join(found) or done.stderr[-3000:], "\n".join(warnings)


def as_for_another_build(folder: Path, more: str = "") -> Path:
    """The jar as if Spark's sources were others than those that it was compiled for."""
    jar = find_jar(find_spark()).path
    changed = folder / jar.name
    with zipfile.ZipFile(jar) as own, zipfile.ZipFile(changed, "w") as written:
        for name in own.namelist():
            content = own.read(name)
            if name == LISTED:
                content = b"another" + content[content.index(b"\n") :] + more.encode()
            written.writestr(name, content)
    return changed


def test_another_build_with_all_members_is_accelerated(tmp_path: Path) -> None:
    assert outcome_with(as_for_another_build(tmp_path)) == ("ROWS 45 True", "")


def test_a_build_that_lacks_a_member_runs_alone(tmp_path: Path) -> None:
    missing = "\norg/apache/spark/sql/execution/SparkPlan vendorsOwn ()V"
    found, warning = outcome_with(as_for_another_build(tmp_path, missing))
    assert found == "ROWS 45 False"
    assert "has no org.apache.spark.sql.execution.SparkPlan.vendorsOwn, which the jar" in warning


def test_the_jar_of_another_spark_runs_alone() -> None:
    others = {jar.path for jar in packaged_jars()} - {find_jar(find_spark()).path}
    if not others:
        pytest.skip("there is one jar: `make jar SPARK=3.5` makes another")
    for jar in others:
        found, warning = outcome_with(jar)
        assert found == "ROWS 45 False"
        assert "its jar is for another version of Spark or Scala" in warning
