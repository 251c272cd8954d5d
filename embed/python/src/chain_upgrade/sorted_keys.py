"""A set of keys in ascending order: lists of at most a thousand or so, so that one more key moves few others."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

_LIST_MAX = 1_024


class SortedKeys:
    """Keys must not be added or removed while somebody walks over them."""

    def __init__(self) -> None:
        self._lists: list[list[bytes]] = []
        #: The last key of each list.
        self._lasts: list[bytes] = []

    def add(self, key: bytes) -> None:
        """``key`` is not in the set yet."""
        if not self._lists:
            self._lists, self._lasts = [[key]], [key]
            return
        at = min(bisect_left(self._lasts, key), len(self._lists) - 1)
        keys = self._lists[at]
        insort(keys, key)
        if len(keys) > _LIST_MAX:
            # Keys that come in ascending order leave full lists: the last one keeps all but what goes on.
            cut = len(keys) - 1 if at == len(self._lists) - 1 and keys[-1] == key else len(keys) // 2
            self._lists[at : at + 1] = [keys[:cut], keys[cut:]]
            self._lasts[at : at + 1] = [keys[cut - 1], keys[-1]]
        else:
            self._lasts[at] = keys[-1]

    def remove(self, key: bytes) -> None:
        """``key`` is in the set."""
        at = bisect_left(self._lasts, key)
        keys = self._lists[at]
        del keys[bisect_left(keys, key)]
        if keys:
            self._lasts[at] = keys[-1]
        else:
            del self._lists[at], self._lasts[at]

    def walk(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[bytes]:
        """start <= key < end, ascending; None is open."""
        at = bisect_left(self._lasts, start) if start else 0
        first = bisect_left(self._lists[at], start) if start and at < len(self._lists) else 0
        for keys in self._lists[at:]:
            last = len(keys) if end is None or keys[-1] < end else bisect_left(keys, end)
            yield from keys[first:last]
            if last < len(keys):
                return
            first = 0
