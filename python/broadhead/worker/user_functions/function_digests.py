"""What this process has learnt of the user's functions, which it knows by digests alone."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

Answer = TypeVar("Answer")

MOST_FUNCTIONS = 1024
"""Functions that are known at the same time; what was learnt of others is learnt again."""


def digest_of(commands: Iterable[bytes]) -> bytes:
    """The digest of pickled functions."""
    digest = hashlib.sha256()
    for command in commands:
        digest.update(len(command).to_bytes(8))
        digest.update(command)
    return digest.digest()


class FunctionDigests:
    """The latest functions with some property, by their digests. Safe to use from several threads.

    `additions` grows with each function that was not known.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._digests: dict[bytes, None] = {}
        self.additions = 0

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._digests

    def add(self, digest: bytes) -> None:
        """Add a function."""
        with self._lock:
            self.additions += digest not in self._digests
            self._digests[digest] = None
            if len(self._digests) > MOST_FUNCTIONS:
                del self._digests[next(iter(self._digests))]


class FunctionAnswers(Generic[Answer]):
    """Answers to the latest questions about functions. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()

    def get(self, key: Hashable, find: Callable[[], Answer]) -> Answer:
        """The answer to a question, found when it is asked for the first time."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        answer = find()
        with self._lock:
            self._answers[key] = answer
            if len(self._answers) > MOST_FUNCTIONS:
                self._answers.popitem(last=False)
        return answer
