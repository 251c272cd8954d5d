"""`Handler.run`: what a guest may do, and every way in which a run ends; nothing is written unless it succeeded."""

from __future__ import annotations

import threading
import time
import unittest
from collections.abc import Iterator

from chain_upgrade import Cancel, Handler, KVStore, MemoryStore, Run, UpgradeError, rehearse

from .guests import IDLE, SET_A, A, given, handler_file, load, manifest, running

WRITE = running(SET_A, A)
FOREVER = running("(loop $l (br $l))")


class FailingStore(MemoryStore):
    """Raises in these calls."""

    def __init__(self, *calls: str) -> None:
        super().__init__({b"a": b"1"})
        self.calls = calls

    def get(self, key: bytes) -> bytes | None:
        self.check("get")
        return super().get(key)

    def set(self, key: bytes, value: bytes) -> None:
        if hasattr(self, "calls"):
            self.check("set")
        super().set(key, value)

    def iterate(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        self.check("iterate")
        return super().iterate(start, end)

    def check(self, call: str) -> None:
        if call in self.calls:
            raise OSError("the disk is gone")


class Runs(unittest.TestCase):
    def fails(
        self, handler: Handler, code: str, words: str = "", store: KVStore | None = None, **fields: object
    ) -> UpgradeError:
        """The run ends with the code and leaves the store as it was."""
        kept = MemoryStore({b"k": b"v"}) if store is None else store
        before = list(MemoryStore.iterate(kept)) if isinstance(kept, MemoryStore) else []
        with self.assertRaises(UpgradeError) as raised:
            handler.run(given(kept, **fields))
        self.assertEqual(raised.exception.code, code, str(raised.exception))
        self.assertIn(words, str(raised.exception))
        if isinstance(kept, MemoryStore):
            self.assertEqual(list(MemoryStore.iterate(kept)), before)
        return raised.exception

    def test_success(self) -> None:
        """a run that succeeds → nothing is in the stores until write(), then all of it"""
        store = MemoryStore()
        run = load(WRITE).run(given(store))
        self.assertEqual(list(store.iterate()), [])
        self.assertEqual(list(run.changes("bank")), [(b"a", b"a")])
        self.assertEqual(run.report.stores["bank"].written, 1)
        self.assertEqual(run.report.versions, {"bank": 2})
        run.write()
        self.assertEqual(list(store.iterate()), [(b"a", b"a")])

    def test_once(self) -> None:
        """write() and discard() → the run is over"""
        for end in (Run.write, Run.discard):
            run = load(WRITE).run(given())
            end(run)
            with self.assertRaises(UpgradeError) as raised:
                run.write()
            self.assertEqual(raised.exception.code, "UPG_INVALID_ARGUMENT")

    def test_gas(self) -> None:
        """a limit of one gas less than a run uses → UPG_MIGRATION_OUT_OF_GAS, details.gas is the limit"""
        handler = load(WRITE)
        gas = handler.run(given()).report.gas
        self.assertEqual(handler.run(given(gas_limit=gas)).report.gas, gas)
        error = self.fails(handler, "UPG_MIGRATION_OUT_OF_GAS", gas_limit=gas - 1)
        self.assertEqual(error.details["gas"], str(gas - 1))
        self.assertEqual(self.fails(handler, "UPG_MIGRATION_OUT_OF_GAS", gas_limit=0).details["phase"], "loading")
        self.assertEqual(handler.run(given(gas_limit=10**12)).report.gas, gas)
        for limit in (-1, 10**12 + 1, 1 << 63):
            self.fails(handler, "UPG_INVALID_ARGUMENT", gas_limit=limit)

    def test_layout(self) -> None:
        """a stored version that the manifest does not take, or a store that is absent → UPG_HANDLER_LAYOUT"""
        handler = load(WRITE)
        self.fails(handler, "UPG_HANDLER_LAYOUT", "stored at 2", versions={"bank": 2})
        self.fails(handler, "UPG_HANDLER_LAYOUT", "not stored", versions={"auth": 1})
        self.fails(handler, "UPG_HANDLER_LAYOUT", 'wants store "bank"', stores={})

    def test_failing_stores(self) -> None:
        """a store that raises while the handler runs → UPG_STORE_IO with its words, nothing written"""
        reads = {
            "get": "(drop (call $store_get (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0)))",
            "iterate": "(drop (call $store_scan (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)"
            " (i32.const 0) (i32.const 0)))",
        }
        for call, code in reads.items():
            with self.subTest(call):
                handler = load(running(code + SET_A, A))
                error = self.fails(handler, "UPG_STORE_IO", "the disk is gone", FailingStore(call))
                self.assertIsInstance(error.__cause__, OSError)
                self.assertEqual(handler.run(given()).report.stores["bank"].written, 1)

    def test_failing_write(self) -> None:
        """a store that raises in write() → UPG_STORE_IO, and the run is over"""
        run = load(WRITE).run(given(FailingStore("set")))
        with self.assertRaises(UpgradeError) as raised:
            run.write()
        self.assertEqual(raised.exception.code, "UPG_STORE_IO")

    def test_bad_stores(self) -> None:
        """a store that returns no bytes, or iterates out of order → UPG_STORE_CORRUPT"""

        class Wrong(MemoryStore):
            def get(self, key: bytes) -> bytes | None:
                return "text"  # type: ignore[return-value]

            def iterate(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
                return iter([(b"b", b""), (b"a", b"")])

        get = "(drop (call $store_get (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0)))"
        with self.assertRaises(UpgradeError) as raised:
            load(running(get, A)).run(given(Wrong()))
        self.assertEqual(raised.exception.code, "UPG_STORE_CORRUPT")
        batch = '(func (export "handler_batch") (param i32 i32 i32) (result i32) unreachable)'
        scans = load(IDLE + batch, manifest(scans=[{"store": "bank"}]))
        with self.assertRaises(UpgradeError) as raised:
            scans.run(given(Wrong()))
        self.assertEqual(raised.exception.code, "UPG_STORE_CORRUPT")

    def test_traps(self) -> None:
        """what a guest must not do → UPG_HANDLER_TRAP that names it, with the gas until then"""
        get = "(drop (call $store_get (i32.const {}) (i32.const {}) (i32.const {}) (i32.const {}) (i32.const {})))"
        write = "(drop (call $store_write (i32.const 0) (i32.const {})))"
        cases = {
            "unreachable": running("unreachable"),
            "memory out of bounds": running("(drop (i32.load (i32.const -8)))"),
            "division by zero": running("(drop (i32.div_s (i32.const 1) (i32.const 0)))"),
            "integer overflow": running("(drop (i32.div_s (i32.const -2147483648) (i32.const -1)))"),
            "bad indirect call": running("(call_indirect (i32.const 0))", "(table 1 funcref)"),
            "there is no store 7": running(get.format(7, 0, 1, 0, 0)),
            "there is no store 4294967295": running(get.format(-1, 0, 1, 0, 0)),
            "an empty key": running(get.format(0, 0, 0, 0, 0)),
            "a key of 65536 bytes": running(get.format(0, 0, 65_536, 0, 0)),
            "lie outside the memory": running(get.format(0, -1, 1, 0, 0)),
            "out of store_get": running(get.format(0, 0, 1, 1_048_570, 65_536)),
            "malformed frame": running(write.format(3)),
            "key of 0 bytes": running(write.format(8)),
        }
        for words, body in cases.items():
            with self.subTest(words):
                error = self.fails(load(body), "UPG_HANDLER_TRAP", words)
                self.assertGreater(int(error.details["gas"]), 0)

    def test_rights(self) -> None:
        """a key outside the prefixes, a write to a store for reading or from a check → UPG_HANDLER_TRAP"""
        prefixes = manifest(stores=[{"name": "bank", "access": "rw", "prefixes": ["62"]}])
        self.fails(load(WRITE, prefixes), "UPG_HANDLER_TRAP", "key 61 lies outside the prefixes")
        reading = manifest(stores=[{"name": "bank", "access": "r"}])
        self.fails(load(WRITE, reading), "UPG_HANDLER_TRAP", "gives for reading")
        check = f'{A} (func (export "handler_check") (param i32) (result i32) {SET_A} i32.const 0)'
        self.fails(load(IDLE + check), "UPG_HANDLER_TRAP", "outside handler_run and handler_batch")

    def test_fail(self) -> None:
        """fail, abort's text, or a result below 0 → UPG_MIGRATION_FAILED with what the guest said"""
        fail = load(running("(call $fail (i32.const -7) (i32.const 0) (i32.const 1))", A))
        self.assertEqual(self.fails(fail, "UPG_MIGRATION_FAILED", "code -7: a").details["code"], "-7")
        below = '(func (export "handler_run") (param i32) (result i32) i32.const -9)'
        words = r'(data (i32.const 16) "\05\00\00\00\02\00\00\00no")'
        record = words + '(func (export "handler_err") (result i32) i32.const 16)'
        self.fails(load(below), "UPG_MIGRATION_FAILED", "handler_run returned -9")
        self.fails(load(below + record), "UPG_MIGRATION_FAILED", "returned -9: no (code 5)")

    def test_versions(self) -> None:
        """a version map other than the manifest's, or none at all → UPG_MIGRATION_VERSION_MAP"""
        run = '(func (export "handler_run") (param i32) (result i32) i32.const 1)'
        self.fails(load(run), "UPG_MIGRATION_VERSION_MAP", "returned no version map")
        entry = r'(data (i32.const 131072) "\0a\08\0a\04bank\10\03")'
        self.fails(
            load(entry + run.replace("const 1)", "const 10)")), "UPG_MIGRATION_VERSION_MAP", "bank expected 2, got 3"
        )

    def test_guards(self) -> None:
        """a store is written and its version stays, a new module's store has data, no versions are stored → refused"""
        stays = manifest(versions={})
        self.fails(load(WRITE, stays), "UPG_MIGRATION_VERSION_MAP", "raise the version")
        self.assertTrue(load(WRITE, manifest(versions={}, allows={"writeStores": ["bank"]})).run(given()).report.gas)
        new = manifest(versions={"bank": {"to": 1}})
        self.fails(load(IDLE, new), "UPG_MIGRATION_VERSION_MAP", 'its store "bank" has data', versions={"auth": 1})
        self.fails(load(IDLE, stays), "UPG_MIGRATION_VERSION_MAP", "is empty", versions={})
        removes = manifest(removes=["gov"])
        self.fails(
            load(IDLE, removes), "UPG_MIGRATION_VERSION_MAP", "the chain cannot go on", versions={"bank": 1, "gov": 1}
        )

    def test_cancel(self) -> None:
        """a run is cancelled from another thread, or before it begins → UPG_HANDLER_ENGINE, nothing written"""
        handler = load(running(SET_A + "(loop $l (br $l))", A))
        cancel = Cancel()
        timer = threading.Timer(0.1, cancel.cancel)
        timer.start()
        start = time.monotonic()
        self.fails(handler, "UPG_HANDLER_ENGINE", "cancelled", cancel=cancel)
        self.assertLess(time.monotonic() - start, 30)
        self.fails(handler, "UPG_HANDLER_ENGINE", "cancelled", cancel=cancel)
        timer.join()

    def test_reports(self) -> None:
        """a log or progress callback that raises → no effect on the run; KeyboardInterrupt ends it"""
        report = "(call $log (i32.const 1) (i32.const 0) (i32.const 1)) (call $progress (i64.const 1) (i64.const 2))"
        handler = load(running(report + SET_A + report, A))
        heard: list[object] = []

        def broken(*args: object) -> None:
            heard.append(args)
            raise KeyError("mine")

        run = handler.run(given(log=broken, progress=broken))
        self.assertEqual(heard, [("info", "a"), (1, 2)] * 2)
        self.assertEqual(run.report, handler.run(given()).report)

        def interrupted(*_args: object) -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            handler.run(given(log=interrupted))
        self.assertEqual(handler.run(given()).report, run.report)

    def test_rehearse(self) -> None:
        """rehearse: a run that succeeds or fails → its report or error, nothing written; what is no result is raised"""
        store = MemoryStore()
        good = rehearse(load(WRITE), given(store))
        self.assertTrue(good.ok and good.report and good.report.stores["bank"].written == 1)
        bad = rehearse(load(running("unreachable")), given(store))
        self.assertEqual((bad.ok, bad.error and bad.error.code), (False, "UPG_HANDLER_TRAP"))
        self.assertEqual(list(store.iterate()), [])
        cancel = Cancel()
        cancel.cancel()
        with self.assertRaises(UpgradeError):
            rehearse(load(FOREVER), given(store, cancel=cancel))

    def test_reentry(self) -> None:
        """a store that runs the handler that reads it → UPG_BUG_ASSERT, no hang"""
        get = "(drop (call $store_get (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0)))"
        handler = load(running(get, A))

        class Again(MemoryStore):
            def get(self, key: bytes) -> bytes | None:
                handler.run(given())
                return None

        self.fails(handler, "UPG_BUG_ASSERT", store=Again())

    def test_threads(self) -> None:
        """runs of one handler in several threads → each its own result"""
        handler = Handler.load(handler_file(WRITE))
        bad = load(running("unreachable"))
        results: list[str] = []

        def work(index: int) -> None:
            try:
                run = (handler if index % 2 else bad).run(given())
                results.append(str(run.report.stores["bank"].written))
            except UpgradeError as error:
                results.append(error.details["trap"])

        threads = [threading.Thread(target=work, args=(index,)) for index in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), ["1"] * 8 + ["unreachable"] * 8)


if __name__ == "__main__":
    unittest.main()
