"""The one error class. Its codes are those of docs/errors.md, the same in hosts of every language."""

from __future__ import annotations

from collections.abc import Mapping

from .codes import CODES

#: Number that a Wasm call returns, negative, for "there is no such value"; it is no error.
ABSENT = 1

_BY_NUMBER = {number: code for code, (number, _) in CODES.items()}


class UpgradeError(Exception):
    """What this package raises.

    ``code`` is stable (``UPG_…``), ``details`` holds the facts that the message names, as texts.

    >>> error = UpgradeError("UPG_NOT_FOUND_PLAN", "no plan is scheduled")
    >>> error.code, error.number, error.exit
    ('UPG_NOT_FOUND_PLAN', 40, 3)
    """

    def __init__(self, code: str, message: str, details: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: dict[str, str] = dict(details or {})

    def __str__(self) -> str:
        """The message and, in brackets, the code, as the node prints them: a traceback shows both.

        >>> str(UpgradeError("UPG_NOT_FOUND_PLAN", "no plan is scheduled"))
        'no plan is scheduled [UPG_NOT_FOUND_PLAN]'
        """
        return f"{self.message} [{self.code}]"

    @property
    def number(self) -> int:
        """The code's number, which the Wasm interfaces use."""
        return CODES[self.code][0]

    @property
    def exit(self) -> int:
        """Exit status of a process that ends with this error."""
        return CODES[self.code][1]

    def __reduce__(self) -> tuple[type[UpgradeError], tuple[str, str, dict[str, str]]]:
        return (UpgradeError, (self.code, self.message, self.details))

    def __repr__(self) -> str:
        return f"UpgradeError({self.code!r}, {self.message!r})"


def code_of(number: int) -> str | None:
    """The code of a number that a Wasm call returned, negative.

    >>> code_of(115)
    'UPG_STORE_FULL'
    """
    return _BY_NUMBER.get(number)


def require(condition: bool, what: str) -> None:
    """Raises UPG_BUG_ASSERT when a thing that cannot be is."""
    if not condition:
        raise UpgradeError("UPG_BUG_ASSERT", f"{what} (this is a bug, please report it)")
