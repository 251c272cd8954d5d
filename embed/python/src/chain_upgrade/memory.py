"""Linear memory of an instance, by its address: a call into the engine for each few bytes would cost too much."""

from __future__ import annotations

import ctypes

from wasmtime import Memory, Store


class LinearMemory:
    """Good until the guest runs again: memory that grows may move, so look again then."""

    def __init__(self, store: Store, memory: Memory) -> None:
        self._store = store
        self._memory = memory
        self.size = 0
        self._base = 0
        self.look()

    def look(self) -> None:
        """After the guest ran: it may have grown."""
        self.size = self._memory.data_len(self._store)
        self._base = ctypes.addressof(self._memory.data_ptr(self._store).contents) if self.size else 0

    def read(self, at: int, length: int) -> bytes:
        """A copy. The caller checked the range."""
        return ctypes.string_at(self._base + at, length)

    def write(self, at: int, data: bytes) -> None:
        """The caller checked the range."""
        ctypes.memmove(self._base + at, data, len(data))

    def has(self, at: int, length: int) -> bool:
        """Does the range lie in the memory? Both numbers unsigned."""
        return at + length <= self.size
