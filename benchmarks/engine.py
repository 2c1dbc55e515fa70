"""Engines to measure: what a TOML file in engines/ says, and the process that runs one."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REPOSITORY = Path(__file__).resolve().parent.parent
_FOLDER = Path(__file__).resolve().parent / "engines"
_KEYS = {"name", "description", "jars", "python", "conf", "environment"}


class EngineError(RuntimeError):
    """An engine could not start, or a request to it failed or took too long."""


@dataclass(frozen=True)
class Engine:
    """One engine: the Spark configuration, jars and environment that make it what it is."""

    name: str
    description: str
    jars: tuple[Path, ...] = ()
    python: str = sys.executable
    conf: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def load_engine(name: str) -> Engine:
    """The engine of ``engines/<name>.toml``, or of the file that `name` is the path of."""
    path = Path(name) if name.endswith(".toml") else _FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in _FOLDER.glob("*.toml")))
        raise EngineError(f"there is no engine '{name}': choose from {known}, or give a .toml file")
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    unknown = set(content) - _KEYS
    if unknown or not {"name", "description"} <= set(content):
        raise EngineError(
            f"{path} has the keys {', '.join(sorted(content))}: name and description are needed, "
            f"and only {', '.join(sorted(_KEYS))} are known"
        )
    return Engine(
        name=content["name"],
        description=content["description"],
        jars=tuple(_jars(path, content.get("jars", []))),
        python=content.get("python", sys.executable),
        conf=content.get("conf", {}),
        environment=content.get("environment", {}),
    )


def _jars(path: Path, patterns: Iterable[str]) -> Iterable[Path]:
    for pattern in patterns:
        base = Path(pattern).anchor
        found = sorted(Path(base).glob(pattern[len(base) :]) if base else REPOSITORY.glob(pattern))
        if not found:
            raise EngineError(f"{path}: no jar matches '{pattern}': build it with make jar")
        yield from found


class EngineProcess:
    """A process of its own that holds one Spark session of one engine and answers requests."""

    def __init__(self, engine: Engine, conf: Mapping[str, str], log: Path) -> None:
        self.engine = engine
        self._conf = {**conf, **engine.conf}
        if engine.jars:
            self._conf["spark.jars"] = ",".join(map(str, engine.jars))
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def start(self, timeout: float = 120.0) -> dict[str, Any]:
        """Start the process and its session; gives the session's versions and start time."""
        path = os.pathsep.join(
            filter(None, (str(REPOSITORY / "python"), os.environ.get("PYTHONPATH")))
        )
        environment = {
            **os.environ,
            "PYTHONPATH": path,
            "PYSPARK_PYTHON": self.engine.python,
            **self.engine.environment,
        }
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self.engine.python, str(Path(__file__).with_name("session_process.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        self._buffer = b""
        return self.request({"do": "start", "conf": self._conf}, timeout)

    @property
    def running(self) -> bool:
        """Whether the process lives and can take a request."""
        return self._process is not None and self._process.poll() is None

    def request(self, message: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """The answer to one request; a process that does not answer in time is killed."""
        process = self._process
        if process is None or process.stdin is None:
            raise EngineError(f"{self.engine.name}: the session's process is not running")
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            line = self._read_line(time.monotonic() + timeout)
        except (BrokenPipeError, EOFError, TimeoutError) as error:
            self.kill()
            what = (
                f"no answer within {timeout:.0f} s" if isinstance(error, TimeoutError) else "died"
            )
            raise EngineError(f"{self.engine.name}: {what}; its log is {self._log}") from error
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineError(f"{self.engine.name}: {answer['error']}")
        return answer

    def stop(self) -> None:
        """End the session and its process."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None and process.poll() is None:
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
        self.kill()

    def kill(self) -> None:
        """End the process, Spark's JVM and its Python workers at once."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _read_line(self, deadline: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise TimeoutError
            block = os.read(descriptor, 1 << 16)
            if not block:
                raise EOFError
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line
