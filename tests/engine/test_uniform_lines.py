"""JSON objects of one form: where their values stand, in lines that have the form and others."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from broadhead.operators.scan.json.uniform_lines import Uniform
from broadhead.operators.scan.text.lines import Lines

KEYS = ("a", "key with spaces", "k" * 40, "b", "last")
WORDS = ("", "x", "yes", "a, b", "text: {1}", "längere Texte " * 5, "z" * 300, "2020-02-29")
NUMBERS = ("0", "-1.5", "12", "123456789.25", "null", "true", "1e300", "7" * 25)


def form(random: Random) -> list[tuple[str, tuple[str, ...]]]:
    """Keys, each with the values of its column."""
    keys = random.sample(KEYS, random.randint(1, len(KEYS)))
    columns = [random.choice((NUMBERS, tuple(f'"{word}"' for word in WORDS))) for _ in keys]
    several = random.choice((1, 2, 8))
    return [
        (key, tuple(random.sample(column, several)))
        for key, column in zip(keys, columns, strict=True)
    ]


def odd(random: Random, line: str) -> str:
    """The line, written in another way or broken."""
    place = random.randrange(len(line))
    return random.choice((
        line[:place], line[:place] + '"' + line[place:], line[place:], line.replace(",", " ,"),
        line[:-1] + ',"more":1}', "{}", line.replace('"', "'"), line + line, line.replace(":", ","),
        line.replace('"', '\\"', 1), line[:place] + "\t" + line[place:],
    ))  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_values(seed: int) -> None:
    random = Random(seed)
    columns = form(random)
    space = random.choice(("", " "))
    share = random.choice((0, 0, 0.02, 0.3))
    written = [
        "{" + ("," + space).join(f'"{key}":{space}{random.choice(v)}' for key, v in columns) + "}"
        for _ in range(random.choice((1, 2, 300)))
    ]
    texts = [odd(random, line) if n and random.random() < share else line
             for n, line in enumerate(written)]  # fmt: skip
    lines = Lines.of("".join(f"{text}\n" for text in texts).encode(), any_line_end=False)
    varying: set[bytes] = set()
    for _ in range(2):  # the second time with what the first one has learned
        uniform = Uniform.of(lines, varying)
        assert uniform is not None
        same = np.array([text == line for text, line in zip(texts, written, strict=True)])
        assert uniform.fits[same].all()
        spans = uniform.texts | uniform.literals
        quotes = [(key, '"' * (key.encode() in uniform.texts)) for key, _ in columns]
        for number, row in enumerate(np.flatnonzero(uniform.fits).tolist()):
            found = {
                key.decode(): lines.block[span.starts[number] : span.ends[number]].decode()
                for key, span in spans.items()
            }
            joined = [f'"{key}":{space}{quote}{found[key]}{quote}' for key, quote in quotes]
            assert "{" + ("," + space).join(joined) + "}" == texts[row]
            # literals are read before they count
            assert not any('"' in found[key.decode()] for key in uniform.texts)


@pytest.mark.parametrize("key", ["a", "b", "c"])
def test_quotes_in_texts_of_one_width(key: str) -> None:
    texts = {"a": "xy", "b": "2020-01-01", "c": "z"}
    line = "{" + ",".join(f'"{name}":"{text}"' for name, text in texts.items()) + "}"
    odd = line.replace(texts[key], '"' * len(texts[key]))
    lines = Lines.of(f"{line}\n{odd}\n{line}\n".encode(), any_line_end=False)
    uniform = Uniform.of(lines, set())
    assert uniform is not None
    assert uniform.fits.tolist() == [True, False, True]
