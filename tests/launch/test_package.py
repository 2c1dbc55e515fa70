"""The package as a whole: its import time, its version, its public names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import broadhead

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "python"


def test_import_takes_less_than_100_ms() -> None:
    program = (
        "import time; start = time.perf_counter(); import broadhead; "
        "print(time.perf_counter() - start)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], cwd=PYTHON, capture_output=True, text=True, check=True
        )
        for _ in range(3)
    ]
    assert min(float(run.stdout) for run in runs) < 0.1


def test_import_loads_nothing_heavy() -> None:
    program = "import broadhead, sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=PYTHON, capture_output=True, text=True, check=True
    )
    assert not {"pyarrow", "numpy", "pyspark", "cudf", "click"} & set(run.stdout.split())


def test_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert broadhead.__version__ == project["version"]


def test_version_inside_an_archive_is_that_of_its_capabilities(tmp_path: Path) -> None:
    archive = tmp_path / "broadhead.jar"
    with zipfile.ZipFile(archive, "w") as jar:
        jar.write(PYTHON / "broadhead" / "__init__.py", "broadhead/__init__.py")
        jar.write(PYTHON / "broadhead" / "version.py", "broadhead/version.py")
        jar.writestr("broadhead/capabilities.json", '{"version": "7.8.9"}')
    program = (
        f"import sys; sys.path[0] = {str(archive)!r}; import broadhead as b; print(b.__version__)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "7.8.9"


def test_every_public_name_is_there() -> None:
    for name in broadhead.__all__:
        assert getattr(broadhead, name) is not None


def test_every_public_name_is_on_its_page() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    documented = {path.rsplit(".", 1)[1] for path in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    assert {name for name in broadhead.__all__ if name != "__version__"} <= documented


def test_public_names_are_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert re.search(r"broadhead\.session\(", readme)
    assert re.search(r"broadhead\.explain\(", readme)
