"""What a handler runs with, and what a run leaves: writes that are still the run's own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .cancel import Cancel
from .errors import UpgradeError
from .imports import Log, Progress
from .limits import BATCH_BYTES
from .overlay import Overlay, OverlaySpace
from .plan import Plan, Timestamp
from .report import Report
from .stores import KVStore
from .versions import VersionMap


@dataclass(frozen=True)
class Input:
    """What a handler runs with. The callbacks, ``cancel`` and ``overlay_…`` aside, all of it is part of consensus."""

    chain_id: str
    #: Of the upgrade block.
    height: int
    #: Of the block; a handler has no other clock.
    time: Timestamp
    #: The plan, or its protobuf bytes as they are stored (`Core.plan_bytes`).
    plan: Plan | bytes
    #: The stored module versions (`Core.version_map`).
    versions: VersionMap
    #: All stores of the chain by name, as its store loader left them: with the manifest's store upgrades. The handler
    #: reaches those of its manifest; the guards use the names of the others. Nothing may write to them while the handler runs, and the run writes nothing to them until `Run.write`.
    stores: Mapping[str, KVStore]
    #: The manifest's when None; at most 10^12, as that is. A chain leaves it out.
    gas_limit: int | None = None
    #: Only a harness gives others, to compare results.
    batch_bytes: int = BATCH_BYTES
    #: Refuse the mistakes that have hurt chains, unless the manifest declares them (``allows``), as the node does.
    guards: bool = True
    #: Stores by module, for modules whose store has another name, or that have several or none. A module without an entry
    #: owns the store of its own name, if it exists.
    module_stores: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)
    #: Modules that a handler removes only with ``allows.removeModules``.
    vital_modules: Sequence[str] = field(default=("gov", "upgrade"), kw_only=True)

    #: Lines that the handler logs, and how far it has come; without effect on results.
    log: Log | None = field(default=None, kw_only=True)
    progress: Progress | None = field(default=None, kw_only=True)
    #: Ends the run from another thread.
    cancel: Cancel | None = field(default=None, kw_only=True)
    #: What the writes of all stores may take in memory, about; beyond it they are spilled to a temporary file.
    overlay_memory_bytes: int = field(default=256 << 20, kw_only=True)
    #: What spilled writes may take on disk; beyond it the run ends with UPG_STORE_FULL, as on a full disk. It is an error
    #: of this machine, not a result of the handler.
    overlay_disk_bytes: int = field(default=8 << 30, kw_only=True)
    #: Where the temporary file is made; that of the module ``tempfile`` when None.
    overlay_dir: str | os.PathLike[str] | None = field(default=None, kw_only=True)


def whole_number(what: str, value: int, least: int, most: int | None = None) -> int:
    """Raises UPG_INVALID_ARGUMENT unless it is an int, not True or False, within these."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and least <= value and (most is None or value <= most):
        return value
    bounds = f"at least {least}" if most is None else f"{least} to {most}"
    raise UpgradeError("UPG_INVALID_ARGUMENT", f"{what} is a whole number, {bounds}, got {value!r:.100}")


class Run:
    """A run that succeeded. Its writes are nowhere but here until `write`."""

    def __init__(self, report: Report, stores: Mapping[str, Overlay], space: OverlaySpace) -> None:
        self.report = report
        #: Bytes of temporary files that the writes take; 0: all of them are in memory.
        self.spilled_bytes = space.spilled_bytes
        self._stores = dict(stores)
        self._space = space
        self._is_open = True
        self._is_writing = False

    def changes(self, store: str) -> Iterator[tuple[bytes, bytes | None]]:
        """The final writes to a store, ascending by key; None is a deletion. A store without writes gives none."""
        self._require_open()
        overlay = self._stores.get(store)
        return iter(()) if overlay is None else self._while_open(overlay.changes())

    def _while_open(self, pairs: Iterator[tuple[bytes, bytes | None]]) -> Iterator[tuple[bytes, bytes | None]]:
        while (pair := next(pairs, None)) is not None:
            yield pair
            self._require_open()

    def write(self) -> None:
        """Hands the writes to the stores: stores by name, keys ascending. Once.

        A store that fails (UPG_STORE_IO) keeps what it took until then, and those before it all of theirs: give a
        branch of the block, and drop it when this raises.
        """
        self._require_open()
        self._is_open = False
        # A store may discard the run that writes to it.
        stores, self._is_writing = self._stores, True
        try:
            for name in sorted(stores):
                stores[name].write()
        finally:
            self._is_writing = False
            self.discard()

    def discard(self) -> None:
        """Drops the writes, their memory and their temporary file. `write` does so too, also when it raises."""
        self._is_open = False
        self._stores = {}
        if not self._is_writing:
            self._space.close()

    def _require_open(self) -> None:
        if not self._is_open:
            raise UpgradeError("UPG_INVALID_ARGUMENT", "this run's writes were written or discarded before")
