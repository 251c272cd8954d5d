"""A JSON value that knows its path, so that its reader can say what is wrong where."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .errors import UpgradeError
from .limits import UINT64_MAX
from .strict_json import JsonRefusal, JsonValue, field_path

_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,19})\Z", re.ASCII)


def _kind_of(value: JsonValue) -> str:
    if value is None:
        return "null"
    # bool is an int in Python, so it is asked about first.
    for kind, name in ((bool, "a boolean"), (int, "an integer"), (str, "a string"), (list, "a list")):
        if isinstance(value, kind):
            return name
    return "an object"


class JsonField:
    """One value; each method raises what ``refuse`` makes when it is something else."""

    def __init__(self, path: str, value: JsonValue, refuse: JsonRefusal) -> None:
        self.path = path
        self._value = value
        self._refuse = refuse

    def object(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, JsonField]:
        """The fields of an object that has all of ``required``, perhaps some of ``optional``, and nothing else."""
        fields = dict(self.entries())
        for name in required:
            if name not in fields:
                raise self._refuse(field_path(self.path, name), "is missing")
        for name, field in fields.items():
            if name not in required and name not in optional:
                raise field.wrong("is not a known field")
        return fields

    def entries(self) -> list[tuple[str, JsonField]]:
        """The fields of an object whose names are data, in the order of the text."""
        if not isinstance(self._value, dict):
            raise self._expected("an object")
        return [
            (name, JsonField(field_path(self.path, name), value, self._refuse)) for name, value in self._value.items()
        ]

    def items(self, count_max: int | None = None) -> list[JsonField]:
        if not isinstance(self._value, list):
            raise self._expected("a list")
        count = len(self._value)
        if count_max is not None and count > count_max:
            raise self.wrong(f"has {count} items, at most {count_max} are allowed")
        return [JsonField(f"{self.path}[{at}]", value, self._refuse) for at, value in enumerate(self._value)]

    def text(self) -> str:
        if not isinstance(self._value, str):
            raise self._expected("a string")
        return self._value

    def boolean(self) -> bool:
        if not isinstance(self._value, bool):
            raise self.wrong("must be true or false")
        return self._value

    def decimal(self, maximum: int) -> int:
        """A decimal string without sign or leading zeros."""
        text = self.text()
        if not _DECIMAL.match(text):
            raise self.wrong("must be a decimal number as a string")
        return self._at_most(int(text), maximum)

    def integer(self) -> int:
        """An unsigned 64-bit integer."""
        if not isinstance(self._value, int) or isinstance(self._value, bool):
            raise self._expected("an integer")
        if self._value < 0:
            raise self.wrong("must not be negative")
        return self._at_most(self._value, UINT64_MAX)

    def u64(self) -> int:
        """The same, also as a decimal string, for writers whose JSON numbers end at 2^53."""
        return self.decimal(UINT64_MAX) if isinstance(self._value, str) else self.integer()

    def wrong(self, what: str) -> UpgradeError:
        return self._refuse(self.path, what)

    def _at_most(self, value: int, maximum: int) -> int:
        if value > maximum:
            raise self.wrong(f"is {value}, at most {maximum} is allowed")
        return value

    def _expected(self, kind: str) -> UpgradeError:
        return self.wrong(f"must be {kind}, not {_kind_of(self._value)}")
