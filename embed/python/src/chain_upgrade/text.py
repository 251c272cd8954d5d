"""Texts and their bytes, which are UTF-8; and texts that a guest wrote, which end up in logs and on terminals."""

from __future__ import annotations

import re

#: Controls, marks of direction, what has no width, tags: what does not show as itself.
_HIDDEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_BREAKS = frozenset("\t\n\r\u2028\u2029")


def encode_text(text: str) -> bytes:
    """UTF-8. Half a surrogate pair becomes the three bytes that no decoder accepts, so the core refuses it."""
    return text.encode("utf-8", "surrogatepass")


def decode_lossy(data: bytes) -> str:
    """Bytes that are not UTF-8 become U+FFFD."""
    return data.decode("utf-8", "replace")


def printable(text: str) -> str:
    """Line breaks and tabs become spaces, other characters that do not show U+FFFD."""
    return _HIDDEN.sub(lambda found: " " if found[0] in _BREAKS else "\ufffd", text)


def guest_text(data: bytes, bytes_max: int) -> str:
    """The first ``bytes_max`` bytes as text, never cut inside a character."""
    end = min(len(data), bytes_max)
    if end < len(data):
        back = 0
        while back < 3 and end > 0 and data[end] & 0xC0 == 0x80:
            end -= 1
            back += 1
    return printable(decode_lossy(data[:end]))


def guest_line(data: bytes, bytes_max: int) -> str:
    """The same with at most ``bytes_max`` bytes as UTF-8 too: U+FFFD takes three where it is put for one."""
    text = guest_text(data, bytes_max)
    return text.encode("utf-8")[:bytes_max].decode("utf-8", "ignore")


def guest_text16(data: bytes) -> str:
    """UTF-16, little-endian, as AssemblyScript keeps strings."""
    return printable(data[: len(data) & ~1].decode("utf-16-le", "replace"))
