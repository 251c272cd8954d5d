"""A handler: one .wasm file that carries its manifest (docs/abi.md)."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from contextlib import nullcontext

from wasmtime import Engine, Module, WasmtimeError

from .checker import check_file
from .engine import new_engine
from .errors import UpgradeError
from .failures import cancelled, engine_failure
from .gas import GAS_SCHEDULE, GasCounter
from .guards import Guards, declared_versions, require_layout
from .limits import BATCH_BYTES, GAS_LIMIT_MAX
from .manifest import Manifest
from .messages import encode_context
from .overlay import Overlay, OverlaySpace
from .run_position import Place
from .plan import Timestamp, int64, plan_message
from .report import Report, StoreReport, writes_sha256
from .run import Input, Run, whole_number
from .sandbox import Outcome, Sandbox
from .stores import StorePort

_OF_HANDLER = re.compile("UPG_(MIGRATION|HANDLER)_")


class Handler:
    """A file that passed every check, compiled. `Handler.load` makes one; it may run many times.

    Runs of one handler wait for each other.
    """

    #: What the file declares.
    manifest: Manifest
    #: SHA-256 of the file, lower-case hex: what a plan pins.
    sha256: str

    def __init__(self, manifest: Manifest, sha256: str, charged_bytes: int, engine: Engine, module: Module) -> None:
        """Of `Handler.load` alone."""
        self.manifest = manifest
        self.sha256 = sha256
        self._charged_bytes = charged_bytes
        self._engine = engine
        self._module = module
        self._lock = threading.RLock()
        self._is_running = False

    @classmethod
    def load(cls, data: bytes, *, sha256: str | None = None) -> Handler:
        """Checks a handler file with check.wasm, and compiles the metered module that check.wasm makes of it.

        ``sha256`` is what the plan pins. A file that carries another metered module is refused. Raises UPG_HANDLER_*
        with the first thing that is wrong.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            what = f"a handler is the bytes of its file, got {type(data).__name__}"
            raise UpgradeError("UPG_INVALID_ARGUMENT", what)
        data = bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        if sha256 is not None and sha256.lower() != digest:
            what = f'the handler\'s SHA-256 is "{digest}", the plan pins {json.dumps(sha256)}'
            raise UpgradeError("UPG_HANDLER_HASH", what, {"expected": sha256.lower(), "actual": digest})
        manifest, metered = _examine(data)
        engine = new_engine()
        return cls(manifest, digest, len(data), engine, _compile(engine, metered))

    def run(self, given: Input) -> Run:
        """Runs the handler. Nothing is written to the stores until `Run.write`.

        Raises UPG_HANDLER_LAYOUT before anything runs; UPG_MIGRATION_* and UPG_HANDLER_* by the handler's doing, with
        ``details["gas"]``, what was charged until then; UPG_HANDLER_ENGINE when the engine or the machine could not go
        on, or the run was cancelled; UPG_STORE_* for the stores.
        """
        with self._lock:
            if self._is_running:
                raise UpgradeError("UPG_BUG_ASSERT", "a store ran the handler that was just reading or writing it")
            self._is_running = True
            try:
                with given.cancel.watching(self._engine) if given.cancel else nullcontext():
                    return self._run(given)
            except MemoryError as cause:
                raise engine_failure("this process has no memory for the run", "allocation failed") from cause
            finally:
                self._is_running = False

    def _run(self, given: Input) -> Run:
        whole_number("batch_bytes", given.batch_bytes, 1, BATCH_BYTES)
        gas = GasCounter(self._gas_limit(given))
        memory_bytes = whole_number("overlay_memory_bytes", given.overlay_memory_bytes, 0)
        disk_bytes = whole_number("overlay_disk_bytes", given.overlay_disk_bytes, 0)
        space = OverlaySpace(memory_bytes, disk_bytes, given.overlay_dir)
        try:
            return self._run_in(space, given, gas)
        except BaseException:
            # Here and not when it is collected: a traceback keeps its frames.
            space.close()
            raise

    def _run_in(self, space: OverlaySpace, given: Input, gas: GasCounter) -> Run:
        stores = {name: Overlay(StorePort(name, store), space) for name, store in given.stores.items()}
        guards = Guards(self.manifest, given.versions, stores, given.module_stores, given.vital_modules)
        if given.guards:
            guards.before()
        require_layout(self.manifest, given.versions)
        place = Place()
        try:
            outcome = self._sandboxed(given, stores, gas, place)
        except UpgradeError as error:
            if not _OF_HANDLER.match(error.code):
                raise
            details = {**place.details(), **error.details, "gas": str(gas.used)}
            raise UpgradeError(error.code, error.message, details) from error
        versions = declared_versions(self.manifest, given.versions, outcome.returned)
        if given.guards:
            guards.after(versions)
        reports = {
            name: StoreReport(*each, sha256=writes_sha256(stores[name].changes()))
            for name, each in outcome.counts.items()
        }
        report = Report(gas.used, reports, outcome.checks, versions, outcome.memory_pages)
        return Run(report, {name: store for name, store in stores.items() if store.has_writes}, space)

    def _gas_limit(self, given: Input) -> int:
        limit = self.manifest.gas_limit if given.gas_limit is None else given.gas_limit
        return whole_number("a gas limit", limit, 0, GAS_LIMIT_MAX)

    def _sandboxed(self, given: Input, stores: dict[str, Overlay], gas: GasCounter, place: Place) -> Outcome:
        if given.cancel and given.cancel.is_cancelled:
            raise cancelled("loading")
        plan = given.plan if isinstance(given.plan, bytes) else plan_message(given.plan)
        height = int64("height", given.height)
        sandbox = Sandbox(
            engine=self._engine,
            module=self._module,
            charged_bytes=self._charged_bytes,
            manifest=self.manifest,
            stores=stores,
            context=encode_context(given.chain_id, height, Timestamp(*given.time), plan, given.versions),
            gas=gas,
            place=place,
            batch_bytes=given.batch_bytes,
            log=given.log,
            progress=given.progress,
        )
        try:
            return sandbox.run()
        finally:
            sandbox.close()


def _examine(data: bytes) -> tuple[Manifest, bytes]:
    """The manifest, and the metered module that check.wasm makes of the file."""
    found = check_file(data)
    manifest = found.require_handler()
    if found.gas_schedule != GAS_SCHEDULE:
        what = f"check.wasm meters by schedule {found.gas_schedule}, this host charges by {GAS_SCHEDULE}"
        raise UpgradeError("UPG_BUG_CORE_ABI", what)
    return manifest, found.metered


def _compile(engine: Engine, metered: bytes) -> Module:
    try:
        return Module(engine, metered)
    except (WasmtimeError, MemoryError) as cause:
        raise engine_failure("the engine could not compile the handler", cause) from cause
