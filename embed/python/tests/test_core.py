"""`Core`: arguments that do not fit, stores that fail, and what a Core is between calls."""

from __future__ import annotations

import threading
import unittest

from wasmtime import wat2wasm

from chain_upgrade import ClientState, Core, MemoryStore, Plan, Timestamp, UpgradeError, bundled_core
from chain_upgrade.plan import plan_message


class Failing(MemoryStore):
    """Raises in its second write."""

    writes = 0

    def set(self, key: bytes, value: bytes) -> None:
        self.writes += 1
        if self.writes == 2:
            raise OSError("no space")
        super().set(key, value)


class CoreTests(unittest.TestCase):
    def setUp(self) -> None:
        self.core = Core()
        self.store = MemoryStore()

    def refused(self, code: str, plan: Plan, height: int = 1) -> None:
        with self.assertRaises(UpgradeError) as raised:
            self.core.schedule(self.store, height, plan)
        self.assertEqual(raised.exception.code, code)
        self.assertEqual(len(self.store), 0)

    def test_plans(self) -> None:
        """plans that no rule takes, and arguments of no use → their codes, nothing written"""
        self.refused("UPG_INVALID_PLAN_NAME", Plan("", 10))
        self.refused("UPG_INVALID_PLAN_NAME", Plan("\ud800", 10))
        self.refused("UPG_INVALID_PLAN_NAME", Plan("z" * 300_000, 10))
        self.refused("UPG_INVALID_PLAN_NAME", Plan(7, 10))  # type: ignore[arg-type]
        self.refused("UPG_INVALID_PLAN_HEIGHT", Plan("v2", 1 << 63))
        self.refused("UPG_INVALID_PLAN_HEIGHT", Plan("v2", 0))
        self.refused("UPG_INVALID_PLAN_IN_PAST", Plan("v2", 10), 11)
        self.refused("UPG_INVALID_PLAN_DEPRECATED", Plan("v2", 10, time=Timestamp(0)))
        self.refused("UPG_INVALID_PLAN_DEPRECATED", Plan("v2", 10, upgraded_client_state=ClientState("/x", b"y")))
        self.refused("UPG_INVALID_PLAN_BYTES", Plan("v2", 10, time=Timestamp(1 << 64)))
        self.refused("UPG_INVALID_HEIGHT", Plan("v2", 10), 1 << 63)

    def test_message(self) -> None:
        """plan_message → the bytes of plan_encode"""
        for plan in (Plan("v2", 10), Plan("é", (1 << 63) - 1, "x" * 300)):
            self.assertEqual(plan_message(plan), self.core.encode_plan(plan))

    def test_versions(self) -> None:
        """versions that are no numbers of 64 bits → UPG_INVALID_VERSION_MAP"""
        for versions in ({"a": -1}, {"a": 1 << 64}, {"a": 1.0}, {1: 1}, {"": 1}):
            with self.assertRaises(UpgradeError) as raised:
                self.core.set_version_map(self.store, versions)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "UPG_INVALID_VERSION_MAP")

    def test_receipts(self) -> None:
        """a receipt of 512 KiB → comes back; of none, or one byte more → UPG_INVALID_VALUE"""
        receipt = bytes(range(256)) * 2_048
        self.core.set_receipt(self.store, "v2", receipt)
        self.assertEqual(self.core.receipt(self.store, "v2"), receipt)
        for wrong in (b"", receipt + b"\0"):
            with self.assertRaises(UpgradeError) as raised:
                self.core.set_receipt(self.store, "v2", wrong)
            self.assertEqual(raised.exception.code, "UPG_INVALID_VALUE")

    def test_failing_store(self) -> None:
        """a store that fails in a read → UPG_STORE_IO, nothing written, and the core goes on"""

        class Unreadable(MemoryStore):
            def get(self, key: bytes) -> bytes | None:
                raise OSError("gone")

        store = Unreadable()
        with self.assertRaises(UpgradeError) as raised:
            self.core.schedule(store, 1, Plan("v2", 10))
        self.assertEqual((raised.exception.code, len(store)), ("UPG_STORE_IO", 0))
        self.core.schedule(self.store, 1, Plan("v2", 10))
        failing = Failing()
        with self.assertRaises(UpgradeError) as raised:
            self.core.set_version_map(failing, {"a": 1, "b": 1})
        self.assertEqual((raised.exception.code, len(failing)), ("UPG_STORE_IO", 1))

    def test_reentry(self) -> None:
        """a store that calls or closes the core that reads it → UPG_BUG_ASSERT"""
        core = self.core

        class Again(MemoryStore):
            def get(self, key: bytes) -> bytes | None:
                core.plan_key()
                return None

        class Closing(MemoryStore):
            def get(self, key: bytes) -> bytes | None:
                core.close()
                return None

        for store in (Again(), Closing()):
            with self.assertRaises(UpgradeError) as raised:
                core.plan_bytes(store)
            self.assertEqual(raised.exception.code, "UPG_BUG_ASSERT")
        self.assertEqual(core.plan_key(), b"\0")

    def test_close(self) -> None:
        """close() → the next call makes another instance"""
        with self.core:
            self.core.plan_key()
        self.assertEqual(self.core.plan_key(), b"\0")

    def test_threads(self) -> None:
        """calls of several threads → each its own result"""
        results: list[bytes] = []

        def work(index: int) -> None:
            for _ in range(50):
                results.append(self.core.done_key(f"v{index}"))

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({key: results.count(key) for key in set(results)}, dict.fromkeys(set(results), 50))

    def test_other_modules(self) -> None:
        """bytes that are no core of this interface → UPG_BUG_CORE_ABI"""
        minor = bundled_core().replace(b"core_abi", b"core_abj")
        imports = bytes(wat2wasm('(module (import "kv" "clear" (func)))'))
        for wasm in (b"", b"\0asm", minor, imports, bytes(wat2wasm("(module)"))):
            with self.assertRaises(UpgradeError) as raised:
                Core(wasm)
            self.assertEqual(raised.exception.code, "UPG_BUG_CORE_ABI")


if __name__ == "__main__":
    unittest.main()
