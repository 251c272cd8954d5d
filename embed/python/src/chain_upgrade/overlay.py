"""A branch of a store: writes stay in it until they are handed to the store, in ascending order, or dropped."""

from __future__ import annotations

import os
import weakref
from collections.abc import Generator, Iterator

from .sorted_keys import SortedKeys
from .spill import SpilledTable, SpillFile
from .stores import StorePort

#: What one write takes besides its bytes, about: an entry of a dict, of a list, two objects.
_ENTRY_BYTES = 200

Write = tuple[bytes, "bytes | None"]


class OverlaySpace:
    """What the branches of one run share: a bound on memory, and the file that takes what is beyond it."""

    def __init__(self, memory_bytes: int, disk_bytes: int, folder: str | os.PathLike[str] | None) -> None:
        self._memory_bytes = memory_bytes
        self._disk_bytes = disk_bytes
        self._folder = folder
        self._memory = 0
        self._file: SpillFile | None = None
        # Weak: a dropped run frees its memory and its file at once, without the cycle collector.
        self._overlays: list[weakref.ref[Overlay]] = []

    def add(self, overlay: Overlay) -> None:
        self._overlays.append(weakref.ref(overlay))

    def grew(self, more: int) -> None:
        """Spills the largest branch while all of them take too much. Raises UPG_STORE_FULL, UPG_STORE_IO."""
        self._memory += more
        while self._memory > self._memory_bytes:
            overlays = [overlay for ref in self._overlays if (overlay := ref())]
            largest = max(overlays, key=lambda overlay: overlay.memory)
            if largest.memory == 0:
                return
            self._file = self._file or SpillFile(self._folder, self._disk_bytes)
            self._memory -= largest.memory
            largest.spill(self._file)

    @property
    def spilled_bytes(self) -> int:
        return self._file.size if self._file else 0

    def close(self) -> None:
        """Removes the file, with the writes in it."""
        if self._file:
            self._file.close()
        self._file = None


class Overlay:
    """Reads see the branch's writes over the store's pairs. Its caller checks keys and values."""

    def __init__(self, parent: StorePort, space: OverlaySpace | None = None) -> None:
        self.parent = parent
        #: Bytes that the writes take in memory, about.
        self.memory = 0
        #: By key; None for a deletion. The latest writes, over those that were spilled.
        self._writes: dict[bytes, bytes | None] = {}
        self._keys = SortedKeys()
        self._spilled: SpilledTable | None = None
        self._space = space
        if space:
            space.add(self)

    @property
    def has_writes(self) -> bool:
        return bool(self._writes) or self._spilled is not None

    def get(self, key: bytes) -> bytes | None:
        if key in self._writes:
            return self._writes[key]
        found = self._spilled.find(key) if self._spilled else None
        return self.parent.get(key) if found is None else found[0]

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
        self.memory += more
        if self._space:
            self._space.grew(more)

    def spill(self, file: SpillFile) -> None:
        """Moves the writes in memory to the file."""
        self._spilled = self._spilled or file.new_table()
        self._spilled.add(self._latest(None, None))
        self._forget()

    def changes(self, start: bytes | None = None, end: bytes | None = None) -> Generator[Write, None, None]:
        """The last write of each key, ascending; None for a deletion."""
        if self._spilled is None:
            yield from self._latest(start, end)
            return
        below = self._spilled.walk(start, end)
        older = next(below, None)
        for key, value in self._latest(start, end):
            while older is not None and older[0] < key:
                yield older
                older = next(below, None)
            if older is not None and older[0] == key:
                older = next(below, None)
            yield key, value
        if older is not None:
            yield older
            yield from below

    def _latest(self, start: bytes | None, end: bytes | None) -> Iterator[Write]:
        return ((key, self._writes[key]) for key in self._keys.walk(start, end))

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
        self._forget()
        self._spilled = None

    def _forget(self) -> None:
        self._writes = {}
        self._keys = SortedKeys()
        self.memory = 0


class OverlayWalk:
    """The pairs of a range, and the deletions that the walk went by: work that no pair shows, and that is paid for."""

    def __init__(self, overlay: Overlay, start: bytes | None, end: bytes | None) -> None:
        self.passed = 0
        self.passed_bytes = 0
        self._below = overlay.parent.iterate(start, end)
        self._above = overlay.changes(start, end)
        self.pairs = self._merge(self._below, self._above)

    def close(self) -> None:
        """Gives the store's iterator back."""
        self._above.close()
        self._below.close()

    def _merge(self, below: Iterator[tuple[bytes, bytes]], above: Iterator[Write]) -> Iterator[tuple[bytes, bytes]]:
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
