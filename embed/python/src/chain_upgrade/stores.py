"""Stores: what a chain gives to this package, and the port through which all of it is reached."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from typing import NoReturn, Protocol, runtime_checkable

from .errors import UpgradeError
from .limits import KEY_BYTES_MAX, VALUE_BYTES_MAX
from .sorted_keys import SortedKeys


@runtime_checkable
class KVStore(Protocol):
    """An ordered store of pairs: keys of 1 to 65,535 bytes, values of at most 1 MiB, order by bytes.

    A range is start <= key < end, where None is open. While a range is walked the store is read by ``get`` too, and
    never written to.
    """

    def get(self, key: bytes, /) -> bytes | None: ...

    def set(self, key: bytes, value: bytes, /) -> None: ...

    def delete(self, key: bytes, /) -> None: ...

    def iterate(self, start: bytes | None, end: bytes | None, /) -> Iterable[tuple[bytes, bytes]]: ...


def check_key(key: bytes) -> None:
    """Raises UPG_INVALID_KEY."""
    if not isinstance(key, bytes) or not 0 < len(key) <= KEY_BYTES_MAX:
        got = len(key) if isinstance(key, bytes) else type(key).__name__
        raise UpgradeError("UPG_INVALID_KEY", f"a key has 1 to {KEY_BYTES_MAX} bytes, got {got}")


def check_value(value: bytes) -> None:
    """Raises UPG_INVALID_VALUE."""
    if not isinstance(value, bytes) or len(value) > VALUE_BYTES_MAX:
        got = len(value) if isinstance(value, bytes) else type(value).__name__
        raise UpgradeError("UPG_INVALID_VALUE", f"a value has 0 to {VALUE_BYTES_MAX} bytes, got {got}")


class MemoryStore:
    """A store in memory, for tests and small chains.

    >>> store = MemoryStore({b"b": b"2", b"a": b"1"})
    >>> list(store.iterate(b"a", b"b"))
    [(b'a', b'1')]
    """

    def __init__(self, pairs: dict[bytes, bytes] | None = None) -> None:
        self._values: dict[bytes, bytes] = {}
        self._keys = SortedKeys()
        for key, value in (pairs or {}).items():
            self.set(key, value)

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> bytes | None:
        check_key(key)
        return self._values.get(key)

    def set(self, key: bytes, value: bytes) -> None:
        check_key(key)
        check_value(value)
        if key not in self._values:
            self._keys.add(key)
        self._values[key] = value

    def delete(self, key: bytes) -> None:
        """Deleting what is absent does nothing."""
        check_key(key)
        if self._values.pop(key, None) is not None:
            self._keys.remove(key)

    def iterate(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        for key in self._keys.walk(start, end):
            yield key, self._values[key]


class StorePort:
    """A chain's store as this package uses it: what it raises, or must not return, becomes an error of ours."""

    def __init__(self, name: str, store: KVStore) -> None:
        self.name = name
        self._store = store

    def get(self, key: bytes) -> bytes | None:
        try:
            value = self._store.get(key)
        except Exception as cause:
            self._fail("get", cause)
        return None if value is None else self._bytes(value, "value", VALUE_BYTES_MAX)

    def set(self, key: bytes, value: bytes) -> None:
        try:
            self._store.set(key, value)
        except Exception as cause:
            self._fail("set", cause)

    def delete(self, key: bytes) -> None:
        try:
            self._store.delete(key)
        except Exception as cause:
            self._fail("delete", cause)

    def iterate(self, start: bytes | None, end: bytes | None) -> Generator[tuple[bytes, bytes], None, None]:
        """Pairs whose order and range are checked: a store in another order would lead to another state, silently."""
        pairs: Iterator[tuple[bytes, bytes]] | None = None
        last = b""
        try:
            pairs = iter(self._store.iterate(start, end))
            for key, value in pairs:
                key = self._bytes(key, "key", KEY_BYTES_MAX)
                if key <= last or (start is not None and key < start) or (end is not None and key >= end):
                    raise self._corrupt(f"iterates out of order, or out of the range, at key {key[:16].hex()}")
                last = key
                yield key, self._bytes(value, "value", VALUE_BYTES_MAX)
        except Exception as cause:
            # What went wrong first is what counts.
            with suppress(Exception):
                _close(pairs)
            self._fail("iterate", cause)
        except BaseException:
            # The walk was left, or the process is to end.
            self._close(pairs)
            raise
        self._close(pairs)

    def _close(self, pairs: object) -> None:
        try:
            _close(pairs)
        except Exception as cause:
            self._fail("iterate", cause)

    def _bytes(self, data: bytes, what: str, length_max: int) -> bytes:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise self._corrupt(f"returned a {what} of type {type(data).__name__}: bytes are due")
        length = data.nbytes if isinstance(data, memoryview) else len(data)
        if length > length_max:
            raise self._corrupt(f"returned a {what} of {length} bytes, at most {length_max} are allowed")
        return data if isinstance(data, bytes) else bytes(data)

    def _corrupt(self, what: str) -> UpgradeError:
        return UpgradeError("UPG_STORE_CORRUPT", f'store "{self.name}" {what}', {"store": self.name})

    def _fail(self, call: str, cause: Exception) -> NoReturn:
        if isinstance(cause, UpgradeError):
            raise cause
        what = f'store "{self.name}" failed in {call}: {type(cause).__name__}: {cause}'
        raise UpgradeError("UPG_STORE_IO", what, {"store": self.name, "call": call}) from cause


def _close(pairs: object) -> None:
    close = getattr(pairs, "close", None)
    if close is not None:
        close()
