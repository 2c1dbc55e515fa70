"""The shape of the sources: which package may import which, and how long files may be."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "broadhead"
SCALA = ROOT / "jvm" / "src"

MOST_LINES = 500
MOST_FUNCTION_LINES = 50
MOST_ARCHITECTURE_LINES = 200
MOST_DESIGN_LINES = 120
MOST_COLUMNS = 120
MOST_BYTES = 1 << 20
CATCH_ALLS = {"utils", "util", "helpers", "common", "misc", "core"}

# From the outside to the inside: a layer imports itself and those after it.
LAYERS = [
    {"__main__", "cli"},
    {"demo", "event_logs", "notebook", "platforms"},
    {"script", "explanation", "profiling", "doctor"},
    {"launch"},
    {"html_output"},
    {"jar", "submit_arguments"},
    {"device"},
    {"worker"},
    {"engine"},
    {"capabilities"},
    {"operators"},
    {"tracing"},
    {"expressions"},
    {"window_functions"},
    {"functions", "aggregates"},
    {"registry"},
    {"kernels", "shuffle"},
    {"plan"},
    {"files"},
    {"columns", "arrow_layout", "packed"},
    {"types"},
    {"errors", "levels", "version"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}

# The same for Scala; the settings of io.broadhead are below all of them.
SCALA_LAYERS = [
    {"explanation"},
    {"planning"},
    {"write"},
    {"pythonfunctions"},
    {"operators"},
    {"shuffle"},
    {"fragment"},
    {"execution"},
    {"replay"},
    {"gpu", "broadcast", "results"},
    {"scan"},
    {"sockets"},
    {"ui"},
    {"application"},
    {"memory"},
    {"cache"},
    {"arrow"},
    {"encoding"},
    {"evaluation"},
    {"versions"},
]
SCALA_RANK = {name: rank for rank, layer in enumerate(SCALA_LAYERS) for name in layer}
SCALA_BASE = "org.apache.spark.sql.broadhead"
ENDS = {"BroadheadPlugin", "BroadheadExtensions"}
"""The classes of io.broadhead that start everything; no other file names them."""


def python_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def source_files() -> list[Path]:
    others = [ROOT / name for name in ("tests", "jvm", "docs", "benchmarks", "examples", "release")]
    folders = [PACKAGE, SCALA, *others]
    found = {p for f in folders for kind in ("*.py", "*.scala") for p in f.rglob(kind)}
    return sorted(p for p in found if not {"target", "dist"} & set(p.relative_to(ROOT).parts))


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imports(path: Path) -> set[str]:
    """Modules of broadhead that a file imports when it runs; those for types alone do not count."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = [ast.Pass()]
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "broadhead":
            found |= {f"broadhead.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name for name in found if name.split(".")[0] == "broadhead"}


def test_imports_point_one_way() -> None:
    wrong = []
    for path in python_files():
        relative = path.relative_to(PACKAGE)
        own = relative.parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        assert own in RANK, f"{relative}: give {own} a place in LAYERS"
        for module in imports(path):
            other = layer_of(module)
            if other in RANK and RANK[other] < RANK[own]:
                wrong.append(f"{relative} imports {module}")
    assert not wrong, "\n".join(wrong)


def scala_uses(path: Path) -> set[str]:
    """Packages of Broadhead that a file names, in imports or in full."""
    text = re.sub(r"^package .*$", "", path.read_text(), flags=re.MULTILINE)
    return set(re.findall(rf"\b{re.escape(SCALA_BASE)}\.(\w+)", text))


def test_scala_imports_point_one_way() -> None:
    root = SCALA / "main" / "scala" / SCALA_BASE.replace(".", "/")
    wrong = []
    for path in sorted(root.rglob("*.scala")):
        own = path.relative_to(root).parts[0]
        assert own in SCALA_RANK, f"{path}: give {own} a place in SCALA_LAYERS"
        others = {name for name in scala_uses(path) if SCALA_RANK[name] <= SCALA_RANK[own]}
        wrong += [f"{path.relative_to(root)} imports {name}" for name in others - {own}]
        named = ENDS & set(re.findall(r"import io\.broadhead\.(\w+)", path.read_text()))
        wrong += [f"{path.relative_to(root)} imports {name}" for name in named]
    assert not wrong, "\n".join(wrong)


def test_iterators_are_not_made_lazy_sequences() -> None:
    """In Scala 2.12 `toSeq` of an iterator is computed when it is read: `toList` is not."""
    lazy = re.compile(
        r"(asScala|\bvalues|\w*(?i:iterator)|grouped\([^()]*\)|takeWhile\(.*\))\.toSeq\b"
    )
    wrong = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted((SCALA / "main").rglob("*.scala"))
        for line in path.read_text().splitlines()
        if lazy.search(line)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_settings_import_nothing_of_broadhead() -> None:
    wrong = [
        path.name
        for path in (SCALA / "main" / "scala" / "io" / "broadhead").glob("*.scala")
        if path.stem not in ENDS and scala_uses(path)
    ]
    assert not wrong, f"all packages import these, which must import none: {wrong}"


def test_spark_is_imported_only_around_the_engine() -> None:
    inside = {name for layer in LAYERS[LAYERS.index({"engine"}) :] for name in layer}
    wrong = [
        str(path.relative_to(ROOT))
        for path in python_files()
        if path.relative_to(PACKAGE).parts[0].removesuffix(".py") in inside
        and re.search(r"^\s*(import|from) pyspark\b", path.read_text(), re.MULTILINE)
    ]
    assert not wrong, f"the engine runs without Spark, but these import it: {wrong}"


def test_the_ground_of_all_operators_knows_none_of_their_rooms() -> None:
    """Not even for types: what single operators share is asked for by its class."""
    ground = PACKAGE / "operators" / "context.py"
    rooms = {f.name for f in (PACKAGE / "operators").iterdir() if f.is_dir()}
    found = re.findall(r"from broadhead\.operators\.(\w+)", ground.read_text())
    assert not rooms & set(found)


def test_the_device_half_knows_no_file_socket_or_task() -> None:
    """What it imports of the worker, for types too; `device` holds the files of the GPU's slots."""
    known = {"device", "device_half", "streams"}
    wrong = []
    for name in ("device_half", "streams"):
        for node in ast.walk(ast.parse((PACKAGE / "worker" / f"{name}.py").read_text())):
            match node:
                case ast.Import(names=aliases):
                    modules = [alias.name for alias in aliases]
                case ast.ImportFrom(module=str(module)):
                    modules = [module]
                case _:
                    continue
            for module in modules:
                *package, last = module.split(".")
                other = package == ["broadhead", "worker"] and last not in known
                if other or module in {"socket", "pathlib", "os", "io", "json"}:
                    wrong.append(f"{name} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_no_file_is_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = sorted(
        ((len(path.read_text().splitlines()), path) for path in source_files()), reverse=True
    )
    with capsys.disabled():
        print(
            "\nlargest files:", *(f"{n:5} {p.relative_to(ROOT)}" for n, p in sizes[:10]), sep="\n"
        )
    long = [f"{path.relative_to(ROOT)}: {n} lines" for n, path in sizes if n > MOST_LINES]
    assert not long, f"over {MOST_LINES} lines: {long}"


def test_no_function_is_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = sorted(
        (
            (node.end_lineno - node.lineno + 1, f"{path.relative_to(ROOT)}: {node.name}")
            for path in source_files()
            if path.suffix == ".py"
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.FunctionDef) and node.end_lineno
        ),
        reverse=True,
    )
    with capsys.disabled():
        print("\nlongest functions:", *(f"{n:5} {name}" for n, name in sizes[:10]), sep="\n")
    long = [f"{name}: {n} lines" for n, name in sizes if n > MOST_FUNCTION_LINES]
    assert not long, f"over {MOST_FUNCTION_LINES} lines: {long}"


def test_no_file_is_a_catch_all() -> None:
    found = [p for p in source_files() if p.stem.lower().strip("_") in CATCH_ALLS]
    assert not found


def test_no_big_file_is_committed() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listed.stdout.splitlines()]
    big = [str(p) for p in files if p.is_file() and p.stat().st_size > MOST_BYTES]
    assert not big, f"over {MOST_BYTES} bytes: {big}"


def test_the_pages_on_the_design_are_short() -> None:
    pages = {ROOT / "docs" / "architecture.md": MOST_ARCHITECTURE_LINES}
    pages |= dict.fromkeys((ROOT / "docs" / "design").rglob("*.md"), MOST_DESIGN_LINES)
    for page, most in pages.items():
        lines = page.read_text().splitlines()
        assert len(lines) <= most, f"{page.relative_to(ROOT)} has {len(lines)} lines, over {most}"
        wide = [n for n, line in enumerate(lines, 1) if len(line) > MOST_COLUMNS and line[0] != "|"]
        assert not wide, f"{page.relative_to(ROOT)} has over {MOST_COLUMNS} columns in {wide}"


def map_rows() -> list[list[str]]:
    """Scala, Python and tests of each row of the map: the names in backticks of each cell."""
    text = (ROOT / "docs" / "design" / "map.md").read_text()
    rows = [line.split("|")[2:5] for line in text.splitlines() if line.startswith("| ")][1:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row] for row in rows]


def exists_in(folder: Path, name: str) -> bool:
    return any(folder.glob(name)) or any(folder.rglob(f"{name}.scala"))


def test_the_map_names_what_is_there() -> None:
    roots = (SCALA / "main/scala/org/apache/spark/sql/broadhead", PACKAGE, ROOT / "tests")
    own = {"io.broadhead", "jvm/src/test"}
    for row in map_rows():
        for root, names in zip(roots, row, strict=True):
            folders = [root / name for name in names if (root / name).is_dir()]
            for name in set(names) - own:
                assert any(exists_in(f, name) for f in [root, *folders]), f"not there: {name}"


def test_the_map_has_every_folder() -> None:
    named = [set().union(*cells) for cells in zip(*map_rows(), strict=True)]
    roots = (SCALA / "main/scala/org/apache/spark/sql/broadhead", PACKAGE)
    for root, names in zip(roots, named, strict=False):
        kinds = {"*.scala", "*.py"}
        folders = {p.parent.relative_to(root) for kind in kinds for p in root.rglob(kind)}
        missing = {f.as_posix() for f in folders} - names - {"."}
        holding = {f.as_posix() for f in folders if any(n.startswith(f"{f}/") for n in names)}
        assert not missing - holding, f"put these on the map of docs/design/map.md: {missing}"
