"""Reads the pages of Spark's UI, and starts a history server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path


class Page(HTMLParser):
    """What a user sees of a page.

    `items` are the lines of lists, `tables` the rows of cells by the heading above them, `links`
    the addresses, `scripts` the texts of scripts.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.items: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.links: list[str] = []
        self.scripts: list[str] = []
        self._inside: list[str] = []
        self._heading = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        if tag == "h4":
            self._heading = ""
        elif tag == "li":
            self.items.append("")
        elif tag == "tr":
            self.tables.setdefault(self._title(), []).append([])
        elif tag == "td":
            self.tables[self._title()][-1].append("")
        elif tag == "a":
            self.links.append(dict(attrs).get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "script" in self._inside:
            self.scripts.append(data)
        elif "td" in self._inside:
            self.tables[self._title()][-1][-1] += data
        elif "h4" in self._inside:
            self._heading += data
        elif "li" in self._inside:
            self.items[-1] += data

    def rows(self, title: str) -> list[list[str]]:
        """The rows of a table without its head, by the beginning of the heading above it."""
        (table,) = [rows for heading, rows in self.tables.items() if heading.startswith(title)]
        return [[" ".join(cell.split()) for cell in row] for row in table if row]

    def item(self, name: str) -> str:
        """The text of a line by its name."""
        found = [text for text in self.items if text.strip().startswith(f"{name}:")]
        assert len(found) == 1, (name, self.items)
        return " ".join(found[0].partition(":")[2].split())

    def _title(self) -> str:
        return self._heading.strip()


def fetch(address: str, **headers: str) -> str:
    """The text of a page."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    request = urllib.request.Request(address, headers=named)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    assert isinstance(text, str)
    return text


@contextmanager
def history_server(log: Path, store: Path, class_path: str, applications: int) -> Iterator[str]:
    """The address of a history server over a folder of event logs, until the block ends."""
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    options = {
        "spark.history.fs.logDirectory": log.as_uri(),
        "spark.history.ui.port": str(port),
        "spark.history.store.path": str(store),
    }
    server = subprocess.Popen(
        [
            Path(pyspark.__file__).parent / "bin" / "spark-class",
            "org.apache.spark.deploy.history.HistoryServer",
        ],
        env=os.environ
        | {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_CLASSPATH": class_path,
            "SPARK_HISTORY_OPTS": " ".join(f"-D{key}={value}" for key, value in options.items()),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _await_applications(address, applications)
        yield address
    finally:
        server.kill()
        server.wait()


def _await_applications(address: str, count: int) -> None:
    deadline = time.monotonic() + 90
    while True:
        try:
            if len(json.loads(fetch(f"{address}/api/v1/applications"))) == count:
                return
        except OSError:
            pass
        assert time.monotonic() < deadline, "the history server does not have the applications"
        time.sleep(0.2)
