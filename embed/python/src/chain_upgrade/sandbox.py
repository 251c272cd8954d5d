"""One run (docs/abi.md): `handler_run`, each scan of the manifest to its end, `handler_check`.

It reads and writes branches of the stores, which its caller drops when this raises; the guest lives for one run.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import closing
from typing import NamedTuple

from wasmtime import Engine, Module

from .batches import ScanBatches
from .errors import UpgradeError
from .failures import trap
from .frames import apply_frames
from .gas import FILE_BYTE, SCAN_PAIR, GasCounter
from .guest import Guest, GuestBuffers
from .handles import StoreCounts, StoreHandles, prefix_end
from .imports import HostImports, Log, Progress
from .manifest import Manifest, ManifestScan
from .messages import CheckResult, decode_checks, decode_returned_versions
from .overlay import Overlay
from .run_position import Place

_LAST_BATCH = 1
#: `handler_batch` returns `u32 consumed`, then framed writes.
_CONSUMED_BYTES = 4


class Outcome(NamedTuple):
    """Of a run that came to its end."""

    #: What `handler_run` returned; None: the versions that the manifest declares.
    returned: dict[str, int] | None
    #: Invariants; all of them hold.
    checks: tuple[CheckResult, ...]
    #: Of each store that the handler may write.
    counts: dict[str, StoreCounts]
    memory_pages: int


class Sandbox:
    """A guest and what it can reach. Close it."""

    def __init__(
        self,
        *,
        engine: Engine,
        module: Module,
        charged_bytes: int,
        manifest: Manifest,
        stores: Mapping[str, Overlay],
        context: bytes,
        gas: GasCounter,
        place: Place,
        batch_bytes: int,
        log: Log | None,
        progress: Progress | None,
    ) -> None:
        self._manifest = manifest
        self._context = context
        self._gas = gas
        self._place = place
        self._batch_bytes = batch_bytes
        gas.charge(charged_bytes * FILE_BYTE, "loading")
        self._handles = StoreHandles(manifest, stores, gas)
        imports = HostImports(self._handles, gas, log, progress)
        self._guest = imports.guest = Guest(engine, module, imports.functions(), gas)

    def close(self) -> None:
        self._place.memory_pages = self._guest.pages
        self._guest.close()

    def run(self) -> Outcome:
        if self._guest.has("_initialize"):
            self._place.at("_initialize")
            self._guest.call("_initialize")
        self._buffers = GuestBuffers(self._guest, self._gas)
        versions = self._migrate()
        for index, scan in enumerate(self._manifest.scans):
            self._scan(scan, index)
        checks = tuple(self._check())
        return Outcome(versions, checks, self._handles.counts(), self._guest.pages)

    def _migrate(self) -> dict[str, int] | None:
        self._place.at("handler_run")
        self._buffers.give(self._context)
        self._handles.may_write = True
        length = self._guest.call_for_length("handler_run", len(self._context))
        self._handles.may_write = False
        if length == 0:
            return None
        return decode_returned_versions(self._buffers.output(length, "handler_run"))

    def _scan(self, scan: ManifestScan, index: int) -> None:
        # Of the store as the store loader left it: nothing that the handler writes changes what a scan yields.
        base = self._handles.by_name(scan.store).store.parent
        end = prefix_end(scan.prefix) if scan.prefix else None
        self._place.at_scan(index, scan.store, self._guest.pages)
        # Closed here: an error's traceback would keep the store's iterator open.
        with closing(base.iterate(scan.prefix, end)) as pairs:
            batches = ScanBatches(pairs, self._batch_bytes)
            while not batches.is_done:
                data = batches.pack()
                self._place.at_batch(batches.consumed, batches.first_key)
                self._batch(batches, data, index)

    def _batch(self, batches: ScanBatches, data: bytes, index: int) -> None:
        # The bytes are paid for where they cross.
        self._gas.charge(batches.frame_count * SCAN_PAIR, "a batch")
        self._buffers.give(data)
        self._handles.may_write = True
        flags = _LAST_BATCH if batches.is_last else 0
        length = self._guest.call_for_length("handler_batch", index, len(data), flags)
        if length < _CONSUMED_BYTES:
            raise trap(f"handler_batch returned {length} bytes, its count alone has 4")
        output = self._buffers.output(length, "handler_batch")
        (consumed,) = struct.unpack_from("<I", output)
        if consumed == 0 and data:
            raise trap(f"handler_batch consumed nothing of {len(data)} bytes")
        if not batches.consume(consumed):
            what = f"handler_batch consumed {consumed} of {len(data)} bytes, which is not where a frame ends"
            raise trap(what)
        apply_frames(self._handles, output[_CONSUMED_BYTES:])
        self._handles.may_write = False

    def _check(self) -> list[CheckResult]:
        """Invariants see the same context as `handler_run`."""
        if not self._guest.has("handler_check"):
            return []
        self._place.at("handler_check")
        self._buffers.give(self._context)
        length = self._guest.call_for_length("handler_check", len(self._context))
        checks = decode_checks(self._buffers.output(length, "handler_check"))
        broken = [check for check in checks if not check.ok]
        if not broken:
            return checks
        shown = "; ".join(check.name if check.message == "" else f"{check.name}: {check.message}" for check in broken)
        details = {"checks": ",".join(check.name for check in broken)}
        raise UpgradeError("UPG_MIGRATION_INVARIANT", f"a check of the handler failed: {shown}", details)
