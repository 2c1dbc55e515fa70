"""Event logs on the file systems of Spark, such as s3a://, hdfs:// and gs://.

spark-submit starts Hadoop's own file system shell, so the connectors, packages and credentials are
those of the user's Spark configuration. The shell writes lists and contents to its output.
"""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING

from broadhead.event_logs.storage import Entry, EventLogError
from broadhead.jar import find_java, find_spark
from broadhead.submit_arguments import parse_submit_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHELL = "org.apache.hadoop.fs.FsShell"
_HADOOP = "spark.hadoop."
_FORMAT = "%b %F %n"
_FOLDER = "directory"


class HadoopStorage:
    """A file system that Spark has a connector for."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = dict(settings)

    def entry(self, path: str) -> Entry:
        """Give the file or folder with this path."""
        line = self._output(path, "-stat", _FORMAT, path).splitlines()[-1]
        size, kind, _ = line.split(" ", 2)
        return Entry(path, int(size), kind == _FOLDER)

    def children(self, folder: str) -> list[Entry]:
        """Give the files and folders in a folder, by name."""
        entries = []
        for line in self._output(folder, "-ls", folder).splitlines():
            words = line.split(None, 7)
            if len(words) == 8 and words[0][0] in "d-":
                entries.append(Entry(words[7], int(words[4]), words[0][0] == "d"))
        return sorted(entries, key=lambda entry: entry.name)

    def open(self, path: str) -> IO[bytes]:
        """Open a file for reading."""
        return io.BufferedReader(_Output(path, self._command("-cat", path)), 1 << 20)

    def _output(self, path: str, *arguments: str) -> str:
        with io.BufferedReader(_Output(path, self._command(*arguments))) as output:
            return output.read().decode()

    def _command(self, *arguments: str) -> list[str]:
        spark = find_spark()
        find_java()
        conf = parse_submit_arguments([]).properties(spark.home) | self._settings
        options = [
            word for key, value in self._settings.items() for word in ("--conf", f"{key}={value}")
        ]
        hadoop = [
            f"-D{key.removeprefix(_HADOOP)}={value}"
            for key, value in conf.items()
            if key.startswith(_HADOOP)
        ]
        submit = [str(spark.home / "bin" / "spark-submit"), "--master", "local[1]"]
        return [*submit, *options, "--class", _SHELL, "spark-internal", *hadoop, *arguments]


class _Output(io.RawIOBase):
    """The output of a command; the end of a command that failed is an error."""

    def __init__(self, path: str, command: list[str]) -> None:
        super().__init__()
        self._path = path
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        environment = {**os.environ, "SPARK_HOME": str(find_spark().home)}
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._errors, env=environment
        )

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read as many bytes as are there into the buffer."""
        assert self._process.stdout is not None
        content = self._process.stdout.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(content)] = content
        if not content and self._process.wait() != 0:
            raise EventLogError(f"Spark cannot read {self._path}: {self._last_error()}")
        return len(content)

    def close(self) -> None:
        """End the command."""
        if not self.closed:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._errors.close()
        super().close()

    def _last_error(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        # The shell's own message is the last line with its prefix; stack traces follow Spark's.
        told = [line for line in lines if line.startswith(("-", "stat:", "ls:", "cat:"))]
        return (told or lines or ["spark-submit gives no reason"])[-1].strip()
