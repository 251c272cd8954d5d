"""check.wasm in this host: other bytes, traps, threads."""

from __future__ import annotations

import json
import threading
import unittest
from pathlib import Path

from chain_upgrade import UpgradeError, parse_manifest
from chain_upgrade.checker import CHECK_SHA256, check_file, compile_checker, with_checker

from .guests import handler_file, manifest


class Checks(unittest.TestCase):
    def test_other_bytes(self) -> None:
        """bytes with another SHA-256 → UPG_BUG_CORE_ABI that names both"""
        with self.assertRaises(UpgradeError) as raised:
            compile_checker(b"\0asm\1\0\0\0")
        self.assertEqual(raised.exception.code, "UPG_BUG_CORE_ABI")
        self.assertIn(CHECK_SHA256, raised.exception.message)

    def test_interface(self) -> None:
        """assembly/abi.json → has the SHA-256 of here"""
        interface = Path(__file__).resolve().parents[3] / "assembly/abi.json"
        if not interface.exists():
            self.skipTest("assembly/abi.json is in the repository, not in the package")
        self.assertEqual(json.loads(interface.read_text(encoding="utf-8"))["check"]["sha256"], CHECK_SHA256)

    def test_trap(self) -> None:
        """a trap → UPG_HANDLER_ENGINE, and the next check works"""
        with self.assertRaises(UpgradeError) as raised:
            with_checker(lambda checker: checker.call("check_file", 1, 0))  # No input was put in before.
        self.assertEqual(raised.exception.code, "UPG_HANDLER_ENGINE")
        self.assertEqual(check_file(handler_file()).findings, [])

    def test_length(self) -> None:
        """a file of more bytes than 32 bits can count → UPG_HANDLER_LIMIT"""

        class Long(bytes):
            def __len__(self) -> int:
                return 2**32 + 8

        self.assertEqual([finding.code for finding in check_file(Long()).findings], ["UPG_HANDLER_LIMIT"])

    def test_threads(self) -> None:
        """checks in several threads → each has its own result"""
        names = [f"plan-{i}" for i in range(4)]
        found: dict[str, set[str]] = {name: set() for name in names}

        def work(name: str) -> None:
            for _ in range(10):
                checked = check_file(handler_file(declared=manifest(name=name))).require_handler()
                found[name].add(checked.name)

        threads = [threading.Thread(target=work, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {name: {name} for name in names})

    def test_manifest_alone(self) -> None:
        """a manifest alone → its errors begin as those of a file, without a place in one"""
        for payload in (b"", b"{} {}", bytes(2_000_000)):
            with self.assertRaises(UpgradeError) as raised:
                parse_manifest(payload)
            self.assertTrue(raised.exception.message.startswith("manifest: "), raised.exception.message)
            self.assertNotIn("offset", raised.exception.details)


if __name__ == "__main__":
    unittest.main()
