"""`Handler.run` with what nobody should give it: numbers and stores that are wrong."""

from __future__ import annotations

import unittest
from collections.abc import Iterator

from chain_upgrade import Handler, MemoryStore, Run, UpgradeError

from .guests import IDLE, SET_A, A, given, load, manifest, running

WRITE = running(SET_A, A)


class BadRuns(unittest.TestCase):
    def refused(self, handler: Handler, code: str, words: str, **fields: object) -> UpgradeError:
        with self.assertRaises(UpgradeError) as raised:
            handler.run(given(**fields))
        self.assertEqual(raised.exception.code, code, str(raised.exception))
        self.assertIn(words, str(raised.exception))
        return raised.exception

    def test_bad_numbers(self) -> None:
        """a bound that is no whole number, or below the least → UPG_INVALID_ARGUMENT"""
        handler = load(WRITE)
        for name in ("gas_limit", "batch_bytes", "overlay_memory_bytes", "overlay_disk_bytes"):
            for value in ("5", 1.5, True, float("nan"), -1):
                with self.subTest(name=name, value=value):
                    self.refused(handler, "UPG_INVALID_ARGUMENT", "a whole number", **{name: value})
        self.refused(handler, "UPG_INVALID_ARGUMENT", "batch_bytes", batch_bytes=0)

    def test_changes_over_write(self) -> None:
        """changes() that is walked on after write() or discard() → UPG_INVALID_ARGUMENT"""
        two = running(SET_A + SET_A.replace("(i32.const 0) (i32.const 1)", "(i32.const 1) (i32.const 1)", 1), A)
        for end in (Run.write, Run.discard):
            run = load(two).run(given())
            changes = run.changes("bank")
            next(changes)
            end(run)
            with self.assertRaises(UpgradeError) as raised:
                next(changes)
            self.assertEqual(raised.exception.code, "UPG_INVALID_ARGUMENT")

    def test_closing_stores(self) -> None:
        """a store's iterator that cannot be closed → UPG_STORE_IO; what failed before it is what counts"""

        class Walk:
            def __init__(self, *pairs: object) -> None:
                self.pairs = iter(pairs)

            def __iter__(self) -> Iterator[object]:
                return self

            def __next__(self) -> object:
                return next(self.pairs)

            def close(self) -> None:
                raise ValueError("it does not close")

        scan = "(drop (call $store_scan {} (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 8) {}))"
        cases = (
            ("UPG_STORE_IO", "it does not close", 65536, ((b"a", b""),)),
            ("UPG_STORE_IO", "it does not close", 0, ((b"a", b""), (b"b", b""))),
            ("UPG_STORE_CORRUPT", "out of order", 65536, ((b"b", b""), (b"a", b""))),
        )
        for code, words, room, pairs in cases:
            with self.subTest(words, room=room):
                store = MemoryStore()
                store.iterate = lambda *_, pairs=pairs: Walk(*pairs)  # type: ignore[method-assign,misc]
                handler = load(running(scan.format("(i32.const 0)", f"(i32.const {room})")))
                with self.assertRaises(UpgradeError) as raised:
                    handler.run(given(store))
                self.assertEqual(raised.exception.code, code)
                self.assertIn(words, str(raised.exception))

    def test_large_pairs(self) -> None:
        """a store that returns a longer value or key than there are → UPG_STORE_CORRUPT: no fault of the handler"""
        get = "(drop (call $store_get (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0)))"
        scan = "(drop (call $store_scan {0} {0} {0} {0} {0} {0} {0}))".format("(i32.const 0)")
        batch = '(func (export "handler_batch") (param i32 i32 i32) (result i32) unreachable)'
        scans = load(IDLE + batch, manifest(scans=[{"store": "bank"}]))
        long_value, long_key = (b"a", bytes(1_048_577)), (bytes(65_536), b"")
        for handler in (load(running(get, A)), load(running(scan)), scans):
            for key, value in (long_value, long_key):
                store = MemoryStore()
                store.get = lambda _, value=value: value + bytes(1_048_577)  # type: ignore[method-assign,misc]
                store.iterate = lambda *_, pair=(key, value): iter([pair])  # type: ignore[method-assign,misc]
                with self.assertRaises(UpgradeError) as raised:
                    handler.run(given(store))
                self.assertEqual(raised.exception.code, "UPG_STORE_CORRUPT", str(raised.exception))
                self.assertIn("at most", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
