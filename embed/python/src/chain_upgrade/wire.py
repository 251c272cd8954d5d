"""The protobuf wire format, as far as the interface needs it (docs/abi.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .errors import UpgradeError

VARINT = 0
FIXED64 = 1
BYTES = 2

#: Makes the error of a caller from what is wrong with the bytes.
Refuse = Callable[[str], UpgradeError]


class Field(NamedTuple):
    number: int
    type: int
    #: Of a varint; 0 otherwise.
    value: int
    #: Of a length-delimited field; empty otherwise.
    data: bytes


class _Malformed(Exception):
    pass


def varint(value: int) -> bytes:
    """Unsigned; a negative number is written as its 64 bits."""
    rest = value & 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while rest >= 0x80:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def int_field(number: int, value: int) -> bytes:
    """int32, int64, uint64, bool; a zero is left out, as proto3 does."""
    return b"" if value == 0 else varint(number * 8 + VARINT) + varint(value)


def bytes_field(number: int, data: bytes) -> bytes:
    """bytes and string; nothing when empty."""
    return b"" if len(data) == 0 else message_field(number, data)


def message_field(number: int, data: bytes) -> bytes:
    """A sub-message, which is written even when it is empty."""
    return varint(number * 8 + BYTES) + varint(len(data)) + data


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(data) or (shift == 63 and data[at] > 1):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _Malformed(f"malformed protobuf: varint at byte {at}")


def _read(data: bytes) -> Iterator[Field]:
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if number == 0 or tag > 0xFFFFFFFF:
            raise _Malformed(f"malformed protobuf: tag at byte {at}")
        if kind == VARINT:
            value, at = _read_varint(data, at)
            yield Field(number, kind, value, b"")
        elif kind in (BYTES, FIXED64):
            length, at = (8, at) if kind == FIXED64 else _read_varint(data, at)
            if length > len(data) - at:
                raise _Malformed(f"malformed protobuf: length at byte {at}")
            yield Field(number, kind, 0, data[at : at + length])
            at += length
        else:
            raise _Malformed(f"malformed protobuf: wire type {kind} at byte {at}")


def wire_fields(data: bytes, types: Sequence[int], refuse: Refuse) -> list[Field]:
    """The fields of a message, all known: ``types[n - 1]`` is the wire type of field n."""
    fields: list[Field] = []
    try:
        for field in _read(data):
            if field.number > len(types) or types[field.number - 1] != field.type:
                raise refuse(f"unknown field {field.number}")
            fields.append(field)
    except _Malformed as error:
        raise refuse(str(error)) from error
    return fields


def single_fields(data: bytes, types: Sequence[int], refuse: Refuse) -> list[Field | None]:
    """The same for a message whose fields occur once: by number, minus one."""
    fields: list[Field | None] = [None] * len(types)
    for field in wire_fields(data, types, refuse):
        if fields[field.number - 1] is not None:
            raise refuse(f"field {field.number} occurs twice")
        fields[field.number - 1] = field
    return fields


class Fields:
    """A message that check.wasm wrote, by number of field. What is absent is 0 or empty; unknown fields are ignored."""

    def __init__(self, data: bytes) -> None:
        self._fields: dict[int, list[Field]] = {}
        for field in _read(data):
            self._fields.setdefault(field.number, []).append(field)

    def has(self, number: int) -> bool:
        return number in self._fields

    def number(self, number: int) -> int:
        return self._fields[number][0].value if self.has(number) else 0

    def data(self, number: int) -> bytes:
        return self._fields[number][0].data if self.has(number) else b""

    def text(self, number: int) -> str:
        return self.data(number).decode("utf-8", "replace")

    def datas(self, number: int) -> tuple[bytes, ...]:
        return tuple(field.data for field in self._fields.get(number, ()))

    def texts(self, number: int) -> tuple[str, ...]:
        return tuple(data.decode("utf-8", "replace") for data in self.datas(number))

    def messages(self, number: int) -> list[Fields]:
        return [Fields(data) for data in self.datas(number)]


def varints(data: bytes) -> Iterator[int]:
    """Varints one after the other."""
    at = 0
    while at < len(data):
        value, at = _read_varint(data, at)
        yield value
