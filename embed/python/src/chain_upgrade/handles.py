"""What a handler can reach: the stores of its manifest, by index, each with its access and key prefixes.

There is no other way to a store, and every key passes here. A violation ends the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .errors import UpgradeError
from .failures import trap
from .gas import DELETE, PUT, WRITE_ALONE, WRITES_ALONE, GasCounter
from .manifest import Manifest, ManifestStore
from .overlay import Overlay

_SHOWN_KEY_BYTES_MAX = 16


class StoreCounts(NamedTuple):
    """What a handler did to one store, in operations of its own: a key written twice counts twice."""

    #: Puts.
    written: int
    #: Deletes, also of keys that were absent.
    deleted: int
    #: Keys and values of the puts, keys of the deletes.
    bytes: int


def prefix_end(prefix: bytes) -> bytes | None:
    """The first key that does not begin with ``prefix``; None when there is none.

    >>> prefix_end(bytes.fromhex("02ff")).hex()
    '03'
    """
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


class StoreHandle:
    """One store of the manifest."""

    def __init__(self, listed: ManifestStore, store: Overlay) -> None:
        self.name = listed.name
        self.is_writable = listed.is_writable
        self.store = store
        self.written = 0
        self.deleted = 0
        self.bytes = 0
        self._prefixes = listed.prefixes

    def require_key(self, key: bytes) -> None:
        """Raises UPG_HANDLER_TRAP unless the key begins with a prefix that the manifest gives."""
        if self._prefixes is None or key.startswith(self._prefixes):
            return
        shown = key[:_SHOWN_KEY_BYTES_MAX].hex() + ("…" if len(key) > _SHOWN_KEY_BYTES_MAX else "")
        raise trap(f'key {shown} lies outside the prefixes that the manifest gives of store "{self.name}"')

    def require_range(self, start: bytes, end: bytes | None) -> None:
        """A range must lie inside what one prefix covers. A shorter result would look like an empty store."""
        self.require_key(start)
        prefix = next((each for each in self._prefixes or () if start.startswith(each)), None)
        limit = prefix_end(prefix) if prefix is not None else None
        if prefix is not None and limit is not None and (end is None or end > limit):
            what = f'a scan of store "{self.name}" runs past the prefix {prefix.hex()}: end it at {limit.hex()}'
            raise trap(what)

    def put(self, key: bytes, value: bytes) -> None:
        self.store.set(key, value)
        self.written += 1
        self.bytes += len(key) + len(value)

    def delete(self, key: bytes) -> None:
        self.store.delete(key)
        self.deleted += 1
        self.bytes += len(key)

    @property
    def counts(self) -> StoreCounts:
        return StoreCounts(self.written, self.deleted, self.bytes)


class StoreHandles:
    """All of them, by index. ``may_write`` is set during the calls that migrate."""

    def __init__(self, manifest: Manifest, stores: Mapping[str, Overlay], gas: GasCounter) -> None:
        """Raises UPG_HANDLER_LAYOUT when a store of the manifest is absent."""
        self.gas = gas
        self.may_write = False
        self._writes = 0
        self._handles: list[StoreHandle] = []
        for listed in manifest.stores:
            if listed.name not in stores:
                there = ", ".join(sorted(stores)) or "none"
                what = f'wants store "{listed.name}", which is absent; there are {there}'
                details = {"plan": manifest.name, "store": listed.name}
                raise UpgradeError("UPG_HANDLER_LAYOUT", f'the handler of plan "{manifest.name}" {what}', details)
            self._handles.append(StoreHandle(listed, stores[listed.name]))

    def next_write_price(self, is_put: bool) -> int:
        """What the next write costs, besides its bytes. Asked once for each."""
        self._writes += 1
        price = PUT if is_put else DELETE
        return price + WRITE_ALONE if self._writes <= WRITES_ALONE else price

    def by_name(self, name: str) -> StoreHandle:
        return next(handle for handle in self._handles if handle.name == name)

    def readable(self, index: int) -> StoreHandle:
        """``index`` unsigned. Raises UPG_HANDLER_TRAP."""
        if index >= len(self._handles):
            raise trap(f"there is no store {index}: the manifest lists {len(self._handles)}")
        return self._handles[index]

    def writable(self, index: int) -> StoreHandle:
        """The same for a write."""
        handle = self.readable(index)
        if not handle.is_writable:
            raise trap(f'a write to store "{handle.name}", which the manifest gives for reading')
        if not self.may_write:
            raise trap(f'a write to store "{handle.name}" outside handler_run and handler_batch')
        return handle

    def counts(self) -> dict[str, StoreCounts]:
        """Of the stores that the handler may write, by name, ascending."""
        handles = sorted((each for each in self._handles if each.is_writable), key=lambda each: each.name)
        return {handle.name: handle.counts for handle in handles}
