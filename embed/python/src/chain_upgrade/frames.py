"""Frames: how bulk data crosses (docs/abi.md).

Into the guest: ``u32 klen, u32 vlen, key, value``. Out of it: ``u32 op << 30 | store << 24 | klen``, then for a put
``u32 vlen, key, value``, for a delete the key. Little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from .failures import trap
from .gas import long_price
from .handles import StoreHandles
from .limits import FRAME_HEADER_BYTES, KEY_BYTES_MAX, VALUE_BYTES_MAX

_HEADER = struct.Struct("<II")
_U32 = struct.Struct("<I")
_PUT, _DELETE = 0, 1


class _Op(NamedTuple):
    store: int
    key: bytes
    #: None for a delete.
    value: bytes | None


def frame(key: bytes, value: bytes) -> bytes:
    """A pair on its way into the guest."""
    return _HEADER.pack(len(key), len(value)) + key + value


def apply_frames(handles: StoreHandles, frames: bytes) -> None:
    """Frame by frame: its form, its store, the right to write there, its key's prefix, its price; then it is written.

    Raises UPG_HANDLER_TRAP, UPG_MIGRATION_OUT_OF_GAS: what comes first in the order of the frames.
    """
    for op in _read_ops(frames):
        handle = handles.writable(op.store)
        handle.require_key(op.key)
        is_put = op.value is not None
        price = handles.next_write_price(is_put) + long_price(len(op.key)) + long_price(len(op.value or b""))
        handles.gas.charge(price, "framed writes")
        if op.value is None:
            handle.delete(op.key)
        else:
            handle.put(op.key, op.value)


def _read_ops(frames: bytes) -> Iterator[_Op]:
    at, end = 0, len(frames)
    while at < end:
        if at + 4 > end:
            raise _malformed(at, "header cut short")
        (head,) = _U32.unpack_from(frames, at)
        op, key_len = head >> 30, head & 0xFFFFFF
        if op > _DELETE:
            raise _malformed(at, f"unknown operation {op}")
        if not 0 < key_len <= KEY_BYTES_MAX:
            raise _malformed(at, f"key of {key_len} bytes")
        value_len = 0
        key_at = at + 4
        if op == _PUT:
            if at + FRAME_HEADER_BYTES > end:
                raise _malformed(at, "header cut short")
            (value_len,) = _U32.unpack_from(frames, at + 4)
            key_at = at + FRAME_HEADER_BYTES
        if value_len > VALUE_BYTES_MAX:
            raise _malformed(at, f"value of {value_len} bytes")
        value_at = key_at + key_len
        start, at = at, value_at + value_len
        if at > end:
            raise _malformed(start, "frame is longer than its buffer")
        value = frames[value_at:at] if op == _PUT else None
        yield _Op(head >> 24 & 63, frames[key_at:value_at], value)


def _malformed(at: int, what: str) -> Exception:
    return trap(f"malformed frame at byte {at}: {what}")
