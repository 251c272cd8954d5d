"""A branch of a store: writes stay in it until they are handed to the store, in ascending order, or dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .sorted_keys import SortedKeys
from .stores import StorePort

#: What one write takes besides its bytes, about: an entry of a dict, of a list, two objects.
_ENTRY_BYTES = 200


class Overlay:
    """Reads see the branch's writes over the store's pairs. Its caller checks keys and values."""

    def __init__(self, parent: StorePort, grew: Callable[[int], None] | None = None) -> None:
        self.parent = parent
        #: By key; None for a deletion.
        self._writes: dict[bytes, bytes | None] = {}
        self._keys = SortedKeys()
        self._grew = grew

    def __len__(self) -> int:
        """Keys that were written or deleted."""
        return len(self._writes)

    def get(self, key: bytes) -> bytes | None:
        if key in self._writes:
            return self._writes[key]
        return self.parent.get(key)

    def set(self, key: bytes, value: bytes) -> None:
        self._put(key, value)

    def delete(self, key: bytes) -> None:
        self._put(key, None)

    def _put(self, key: bytes, value: bytes | None) -> None:
        more = len(value or b"")
        if key in self._writes:
            more -= len(self._writes[key] or b"")
        else:
            self._keys.add(key)
            more += len(key) + _ENTRY_BYTES
        self._writes[key] = value
        if self._grew:
            self._grew(more)

    def changes(self) -> Iterator[tuple[bytes, bytes | None]]:
        """The last write of each key, ascending; None for a deletion."""
        for key in self._keys.walk():
            yield key, self._writes[key]

    def iterate(self, start: bytes | None, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        return self.walk(start, end).pairs

    def walk(self, start: bytes | None, end: bytes | None) -> OverlayWalk:
        return OverlayWalk(self, start, end)

    def write(self) -> None:
        """Hands everything to the store, keys ascending."""
        for key, value in self.changes():
            if value is None:
                self.parent.delete(key)
            else:
                self.parent.set(key, value)
        self.discard()

    def discard(self) -> None:
        self._writes = {}
        self._keys = SortedKeys()


class OverlayWalk:
    """The pairs of a range, and the deletions that the walk went by: work that no pair shows, and that is paid for."""

    def __init__(self, overlay: Overlay, start: bytes | None, end: bytes | None) -> None:
        self.passed = 0
        self.passed_bytes = 0
        writes = ((key, overlay._writes[key]) for key in overlay._keys.walk(start, end))
        self._below = overlay.parent.iterate(start, end)
        self.pairs = self._merge(self._below, writes)

    def close(self) -> None:
        """Gives the store's iterator back."""
        self._below.close()

    def _merge(
        self, below: Iterator[tuple[bytes, bytes]], above: Iterator[tuple[bytes, bytes | None]]
    ) -> Iterator[tuple[bytes, bytes]]:
        pair = next(below, None)
        for key, value in above:
            while pair is not None and pair[0] < key:
                yield pair
                pair = next(below, None)
            if pair is not None and pair[0] == key:
                pair = next(below, None)
            if value is None:
                self.passed += 1
                self.passed_bytes += len(key)
            else:
                yield key, value
        while pair is not None:
            yield pair
            pair = next(below, None)
