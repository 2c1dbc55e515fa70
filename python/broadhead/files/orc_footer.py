"""Footers of ORC files: their types and where their stripes are, which Arrow does not tell.

https://orc.apache.org/specification/ORCv1/
"""

from __future__ import annotations

import zlib
from contextlib import closing
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.files import protobuf
from broadhead.files.input_file import read_range
from broadhead.files.orc_blocks import as_original_blocks, decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from broadhead.files.input_file import InputFile, Ranges
    from broadhead.files.protobuf import Message

_TAIL_BYTES = 64 << 10
"""Bytes at the end of a file that are fetched at once: most footers are shorter."""

_MARK = b"ORC"
CATALYST_TYPE = b"spark.sql.catalyst.type"
"""Where Spark writes the name of a type that ORC does not have."""

# numbers of the fields of orc_proto.proto
_FOOTER_LENGTH, _COMPRESSION, _BLOCK_BYTES = 1, 2, 3
_STRIPES, _TYPES, _METADATA, _ENCRYPTION = 3, 4, 5, 10
_OFFSET, _INDEX, _DATA, _STRIPE_FOOTER, _ROWS = 1, 2, 3, 4, 5
_KIND, _SUBTYPES, _FIELDS, _PRECISION, _SCALE, _ATTRIBUTES = 1, 2, 3, 5, 6, 7
_KEY, _VALUE = 1, 2
_WRITER_ZONE = 3


class Kind(IntEnum):
    """The types of ORC, by their numbers."""

    BOOLEAN = 0
    BYTE = 1
    SHORT = 2
    INT = 3
    LONG = 4
    FLOAT = 5
    DOUBLE = 6
    STRING = 7
    BINARY = 8
    TIMESTAMP = 9
    LIST = 10
    MAP = 11
    STRUCT = 12
    UNION = 13
    DECIMAL = 14
    DATE = 15
    VARCHAR = 16
    CHAR = 17
    TIMESTAMP_INSTANT = 18
    GEOMETRY = 19
    GEOGRAPHY = 20


@dataclass(frozen=True, slots=True)
class OrcType:
    """The type of a column, with the types of its parts.

    `names` are those of a struct's fields, `catalyst` is Spark's name where ORC has no such type.
    """

    kind: Kind
    children: tuple[OrcType, ...]
    names: tuple[str, ...]
    precision: int
    scale: int
    catalyst: str

    def parts(self) -> Iterator[OrcType]:
        """The type itself, and the types of all its parts."""
        yield self
        for child in self.children:
            yield from child.parts()


@dataclass(frozen=True, slots=True)
class Stripe:
    """A stripe: its number in the file, its bytes and rows, and where its own footer begins."""

    number: int
    offset: int
    footer: int
    end: int
    rows: int


@dataclass(frozen=True, slots=True)
class OrcFooter:
    """The footer of one file; `root` is the struct of its columns."""

    path: str
    length: int
    compression: int
    root: OrcType
    stripes: tuple[Stripe, ...]

    def stripes_of(self, start: int, length: int) -> list[Stripe]:
        """The stripes with rows that begin in the split, as ORC's own reader assigns them."""
        return [s for s in self.stripes if start <= s.offset < start + length and s.rows]

    def ranges(self, stripe: Stripe) -> Ranges:
        """The ranges of the file that a reader of the stripe needs."""
        content = max(each.end for each in self.stripes)
        return [(stripe.offset, stripe.end - stripe.offset), (content, self.length - content)]

    def writer_zone(self, path: str, stripe: Stripe) -> str:
        """The time zone of the stripe's timestamps; empty if the stripe does not say it.

        `path` is where the file's bytes can be read. Raises OSError, ValueError or IndexError.
        """
        encoded = read_range(path, stripe.footer, stripe.end - stripe.footer)
        zone = protobuf.texts(protobuf.parse(decompressed(encoded, self.compression)), _WRITER_ZONE)
        return zone[-1].decode() if zone else ""


def read_orc_footer(file: InputFile) -> OrcFooter:
    """The file's footer.

    Raises OSError for a file that is missing, and `EngineLimit` for one that Spark must read.
    """
    length = file.length()
    with closing(file.open()) as opened:
        start = max(0, length - _TAIL_BYTES)
        opened.wait([(start, length - start)])
        try:
            script = read_range(opened.path, length - 1, 1)[0]
            end = length - 1 - script
            postscript = protobuf.parse(read_range(opened.path, end, script))
            first = end - protobuf.number(postscript, _FOOTER_LENGTH)
            if script < len(_MARK) or first < len(_MARK):
                raise ValueError("the lengths at its end are wrong")
            if first < start:
                opened.wait([(first, start - first)])
            compression = protobuf.number(postscript, _COMPRESSION)
            encoded = decompressed(read_range(opened.path, first, end - first), compression)
            return _footer(file.path, length, compression, protobuf.parse(encoded))
        except (ValueError, IndexError, RecursionError, zlib.error) as error:
            raise EngineLimit(f"{file.path} has no footer that can be read: {error}") from error


def with_spark_types(
    tail: bytes, metadata: Mapping[str, str], catalyst_types: Mapping[int, str]
) -> bytes:
    """The end of a file, with entries for its metadata and Spark's names of types.

    `tail` has the whole footer; `catalyst_types` has the names by the numbers of the types.
    """
    script = tail[-1]
    end = len(tail) - 1 - script
    postscript = protobuf.parse(tail[end:-1])
    first = end - protobuf.number(postscript, _FOOTER_LENGTH)
    compression = protobuf.number(postscript, _COMPRESSION)
    footer = protobuf.parse(decompressed(tail[first:end], compression))
    entries = [_pair(key.encode(), value.encode()) for key, value in metadata.items()]
    footer.setdefault(_METADATA, []).extend(entries)
    types = protobuf.texts(footer, _TYPES)
    for number, name in catalyst_types.items():
        attribute: Message = {_ATTRIBUTES: [_pair(CATALYST_TYPE, name.encode())]}
        types[number] += protobuf.encode(attribute)
    footer[_TYPES] = [*types]
    block_bytes = protobuf.number(postscript, _BLOCK_BYTES)
    encoded = as_original_blocks(protobuf.encode(footer), compression, block_bytes)
    postscript[_FOOTER_LENGTH] = [len(encoded)]
    ending = protobuf.encode(postscript)
    return b"".join([tail[:first], encoded, ending, bytes([len(ending)])])


def _pair(key: bytes, value: bytes) -> bytes:
    return protobuf.encode({_KEY: [key], _VALUE: [value]})


def _footer(path: str, length: int, compression: int, footer: Message) -> OrcFooter:
    if _ENCRYPTION in footer:
        raise EngineLimit(f"{path} has encrypted columns")
    keys = [_texts(entry, _KEY)[0] for entry in protobuf.texts(footer, _METADATA)]
    if any(key.startswith("hive.acid") for key in keys):
        raise EngineLimit(f"{path} belongs to a transactional table of Hive")
    types = [protobuf.parse(each) for each in protobuf.texts(footer, _TYPES)]
    stripes = tuple(
        _stripe(number, protobuf.parse(each))
        for number, each in enumerate(protobuf.texts(footer, _STRIPES))
    )
    return OrcFooter(path, length, compression, _type(types, 0), stripes)


def _stripe(number: int, message: Message) -> Stripe:
    offset = protobuf.number(message, _OFFSET)
    footer = offset + sum(protobuf.number(message, part) for part in (_INDEX, _DATA))
    end = footer + protobuf.number(message, _STRIPE_FOOTER)
    return Stripe(number, offset, footer, end, protobuf.number(message, _ROWS))


def _type(types: Sequence[Message], number: int) -> OrcType:
    message = types[number]
    attributes = dict(_attributes(message))
    return OrcType(
        Kind(protobuf.number(message, _KIND)),
        tuple(_type(types, child) for child in protobuf.numbers(message, _SUBTYPES)),
        tuple(_texts_of(message, _FIELDS)),
        protobuf.number(message, _PRECISION),
        protobuf.number(message, _SCALE),
        attributes.get(CATALYST_TYPE, b"").decode(),
    )


def _attributes(message: Message) -> Iterator[tuple[bytes, bytes]]:
    for encoded in protobuf.texts(message, _ATTRIBUTES):
        pair = protobuf.parse(encoded)
        yield protobuf.texts(pair, _KEY)[0], protobuf.texts(pair, _VALUE)[0]


def _texts(encoded: bytes, field: int) -> list[str]:
    return _texts_of(protobuf.parse(encoded), field)


def _texts_of(message: Message, field: int) -> list[str]:
    return [text.decode() for text in protobuf.texts(message, field)]
