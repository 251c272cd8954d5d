"""JSON without its loopholes: strict UTF-8, a field occurs once in its object, numbers are whole and keep every digit,
nesting is bounded, nothing follows the value. The reader of the standard library takes more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Union

from .errors import UpgradeError
from .text import quote

JsonValue = Union[None, bool, str, int, "list[JsonValue]", "dict[str, JsonValue]"]
#: Makes the error to raise: where in the value, like ``$.stores[1].access``, and what is wrong.
JsonRefusal = Callable[[str, str], UpgradeError]

#: Digits of the longest integer that anyone needs, 2^64 - 1.
_INTEGER_DIGITS_MAX = 20
_INTEGER = re.compile("-?[0-9]+")
_PLAIN_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEX4 = re.compile("[0-9a-fA-F]{4}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_PLAIN_TEXT = re.compile(r'[^"\\\u0000-\u001f]*')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def field_path(path: str, name: str) -> str:
    """The path of a field of the object at ``path``."""
    return f"{path}.{name}" if _PLAIN_FIELD.match(name) else f"{path}[{quote(name)}]"


def parse_strict_json(data: bytes, nesting_max: int, refuse: JsonRefusal) -> JsonValue:
    """Raises what ``refuse`` makes for anything that is not exactly one JSON value by the rules above."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as cause:
        raise refuse("$", "not UTF-8") from cause
    return _Parser(text, nesting_max, refuse).document()


class _Parser:
    def __init__(self, text: str, nesting_max: int, refuse: JsonRefusal) -> None:
        self._text = text
        self._nesting_max = nesting_max
        self._refuse = refuse
        self._at = 0

    def document(self) -> JsonValue:
        value = self._value("$", 0)
        self._space()
        if self._at < len(self._text):
            raise self._unexpected("$", "the end")
        return value

    def _value(self, path: str, depth: int) -> JsonValue:
        self._space()
        first = self._text[self._at : self._at + 1]
        if first and first in "{[":
            if depth == self._nesting_max:
                raise self._refuse(path, f"nested deeper than {self._nesting_max} levels")
            self._at += 1
            return self._object(path, depth + 1) if first == "{" else self._array(path, depth + 1)
        if first == '"':
            return self._string(path)
        words: dict[str, JsonValue] = {"null": None, "true": True, "false": False}
        for word, value in words.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return value
        return self._integer(path)

    def _object(self, path: str, depth: int) -> dict[str, JsonValue]:
        fields: dict[str, JsonValue] = {}
        if self._take("}"):
            return fields
        while True:
            self._space()
            if self._text[self._at : self._at + 1] != '"':
                raise self._unexpected(path, "a field name")
            name = self._string(path)
            at = field_path(path, name)
            if name in fields:
                raise self._refuse(at, "this field occurs twice")
            if not self._take(":"):
                raise self._unexpected(at, '":"')
            fields[name] = self._value(at, depth)
            if not self._take(","):
                break
        if not self._take("}"):
            raise self._unexpected(path, '"," or "}"')
        return fields

    def _array(self, path: str, depth: int) -> list[JsonValue]:
        items: list[JsonValue] = []
        if self._take("]"):
            return items
        while True:
            items.append(self._value(f"{path}[{len(items)}]", depth))
            if not self._take(","):
                break
        if not self._take("]"):
            raise self._unexpected(path, '"," or "]"')
        return items

    def _integer(self, path: str) -> int:
        found = _INTEGER.match(self._text, self._at)
        if found is None:
            raise self._unexpected(path, "a value")
        number = found[0]
        digits = number.lstrip("-")
        if len(digits) > 1 and digits.startswith("0"):
            raise self._refuse(path, "an integer begins with 0")
        if len(digits) > _INTEGER_DIGITS_MAX:
            raise self._refuse(path, f"an integer of over {_INTEGER_DIGITS_MAX} digits")
        if number == "-0":
            raise self._refuse(path, "-0 is not an integer")
        self._at = found.end()
        rest = self._text[self._at : self._at + 1]
        if rest and rest in ".eE":
            raise self._refuse(path, "an integer is due, not a fraction or exponent")
        return int(number)

    def _string(self, path: str) -> str:
        parts: list[str] = []
        self._at += 1
        while True:
            plain = _PLAIN_TEXT.match(self._text, self._at)
            assert plain is not None  # it matches nothing, too
            parts.append(plain[0])
            self._at = plain.end() + 1
            character = self._text[plain.end() : self._at]
            if character == "":
                raise self._refuse(path, "a string without its end")
            if character == '"':
                break
            if character != "\\":
                raise self._refuse(path, "a string holds a raw control character")
            parts.append(self._escape(path))
        value = _PAIR.sub(_joined, "".join(parts))
        if _SURROGATE.search(value):
            raise self._refuse(path, "a string holds half of a surrogate pair")
        return value

    def _escape(self, path: str) -> str:
        letter = self._text[self._at : self._at + 1]
        self._at += 1
        if letter == "u":
            digits = _HEX4.match(self._text, self._at)
            if digits is None:
                raise self._refuse(path, "\\u needs four hex digits")
            self._at += 4
            return chr(int(digits[0], 16))
        if letter not in _ESCAPES:
            raise self._refuse(path, "unknown escape in a string")
        return _ESCAPES[letter]

    def _space(self) -> None:
        while self._text[self._at : self._at + 1] in (" ", "\t", "\n", "\r"):
            self._at += 1

    def _take(self, character: str) -> bool:
        self._space()
        if self._text[self._at : self._at + 1] != character:
            return False
        self._at += 1
        return True

    def _unexpected(self, path: str, due: str) -> UpgradeError:
        character = self._text[self._at : self._at + 1]
        found = quote(character) if character else "the end"
        # Counted as the node counts: a character beyond the basic plane is two.
        at = len(self._text[: self._at].encode("utf-16-le")) // 2
        return self._refuse(path, f"{due} is due at character {at}, not {found}")


def _joined(pair: re.Match[str]) -> str:
    """Two escapes of a surrogate pair are one character."""
    high, low = (ord(half) for half in pair[0])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
