"""Event logs on the file systems of Spark, such as s3a://, hdfs:// and gs://.

A JVM of Spark without an application reads them, so the connectors, packages and credentials are
those of the user's Spark configuration. A file's content comes through a named pipe in a directory
that only the user can enter.
"""

from __future__ import annotations

import io
import os
import tempfile
import threading
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from broadhead.event_logs.storage import Entry, EventLogError
from broadhead.jar import find_java, find_spark

if TYPE_CHECKING:
    from collections.abc import Mapping

_COPY_BYTES = 1 << 20


class HadoopStorage:
    """The file systems that Spark has connectors for."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = dict(settings)

    def entry(self, path: str) -> Entry:
        """Give the file or folder with this path."""
        return _entry(_call(path, lambda: self._file_system(path).getFileStatus(self._path(path))))

    def children(self, folder: str) -> list[Entry]:
        """Give the files and folders in a folder, by name."""
        found = _call(
            folder, lambda: list(self._file_system(folder).listStatus(self._path(folder)))
        )
        return sorted(map(_entry, found), key=lambda entry: entry.name)

    def open(self, path: str) -> IO[bytes]:
        """Open a file for reading."""
        source = _call(path, lambda: self._file_system(path).open(self._path(path)))
        return io.BufferedReader(_Piped(path, source, self._jvm), _COPY_BYTES)

    @cached_property
    def _jvm(self) -> Any:
        find_spark()
        find_java()
        from pyspark import SparkConf
        from pyspark.java_gateway import launch_gateway

        conf = SparkConf(loadDefaults=False).setAll(list(self._settings.items()))
        try:
            return launch_gateway(conf, {"stderr": self._errors}).jvm
        except Exception as error:
            self._errors.seek(0)
            told = self._errors.read().decode(errors="replace").strip().splitlines() or [str(error)]
            raise EventLogError(f"Spark does not start, to read remote logs: {told[-1]}") from error

    @cached_property
    def _errors(self) -> IO[bytes]:
        return tempfile.TemporaryFile()

    @cached_property
    def _configuration(self) -> Any:
        hadoop = self._jvm.org.apache.spark.deploy.SparkHadoopUtil
        return hadoop.get().newConfiguration(self._jvm.org.apache.spark.SparkConf())

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _file_system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._configuration)


class _Piped(io.RawIOBase):
    """The content of a stream of the JVM, which copies it into a named pipe."""

    def __init__(self, path: str, source: Any, jvm: Any) -> None:
        super().__init__()
        self._path = path
        self._source = source
        self._jvm = jvm
        self._error: Exception | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="broadhead-log-")
        self._pipe = Path(self._folder.name) / "content"
        os.mkfifo(self._pipe, 0o600)
        # Both ends are open before the JVM opens its own: nothing waits for a JVM that fails.
        reading = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._writing = os.open(self._pipe, os.O_WRONLY)
        os.set_blocking(reading, True)
        self._content = io.FileIO(reading)
        self._copy = threading.Thread(target=self._write, daemon=True)
        self._copy.start()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as many bytes as are there into the buffer."""
        count = self._content.readinto(buffer) or 0
        if not count:
            self._copy.join()
            if self._error is not None:
                raise _unreadable(self._path, self._error)
        return count

    def close(self) -> None:
        """End the copy and remove the pipe."""
        if not self.closed:
            self._content.close()
            self._copy.join()
            self._folder.cleanup()
        super().close()

    def _write(self) -> None:
        try:
            target = self._jvm.java.io.FileOutputStream(str(self._pipe))
            copy = self._jvm.org.apache.hadoop.io.IOUtils.copyBytes
            copy(self._source, target, _COPY_BYTES, True)
        except Exception as error:
            self._error = error
        finally:
            os.close(self._writing)


def _entry(status: Any) -> Entry:
    return Entry(status.getPath().toString(), status.getLen(), status.isDirectory())


def _call(path: str, action: Any) -> Any:
    """Give what Hadoop answers; its exceptions become one sentence that names the path."""
    from py4j.protocol import Py4JError

    try:
        return action()
    except Py4JError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> EventLogError:
    java = getattr(error, "java_exception", None)
    told = str(java.toString() if java is not None else error).strip().splitlines()
    return EventLogError(f"Spark cannot read {path}: {told[0] if told else 'no reason given'}")
