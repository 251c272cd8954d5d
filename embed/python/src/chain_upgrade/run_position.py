"""Where a run is, for the record of its failure."""

from __future__ import annotations

from .limits import PAGE_BYTES

_SHOWN_KEY_BYTES_MAX = 256


class Place:
    """Which call, or which scan of which store, and the first pair that the guest has not consumed."""

    def __init__(self) -> None:
        self.name = "loading"
        self.memory_pages = 0
        self._scan: dict[str, str] = {}
        self._key: bytes | None = None

    def at(self, name: str) -> None:
        self.name = name
        self._scan = {}
        self._key = None

    def at_scan(self, scan: int, store: str, memory_pages: int) -> None:
        self.at(f'scan {scan} of store "{store}"')
        self._scan = {"scan": str(scan), "store": store, "memory_before": str(memory_pages * PAGE_BYTES)}

    def at_batch(self, consumed: int, first_key: bytes | None) -> None:
        self._scan["pairs"] = str(consumed)
        self._key = first_key

    def details(self) -> dict[str, str]:
        """As the details of an error have it."""
        details = {"phase": self.name, "memory": str(self.memory_pages * PAGE_BYTES), **self._scan}
        if self._key is not None:
            rest = "…" if len(self._key) > _SHOWN_KEY_BYTES_MAX else ""
            details["key"] = self._key[:_SHOWN_KEY_BYTES_MAX].hex() + rest
        return details
