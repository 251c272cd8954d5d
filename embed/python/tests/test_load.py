"""`Handler.load`: files that are not taken, each with its code; nothing of them runs."""

from __future__ import annotations

import hashlib
import unittest

from wasmtime import wat2wasm

from chain_upgrade import Handler, UpgradeError
from chain_upgrade.checker import check_file
from chain_upgrade.gas import FILE_BYTE
from chain_upgrade.manifest import MANIFEST_SECTION

from .guests import BUFFERS, IDLE, METERED_SECTION, SET_A, A, given, handler_file, manifest, module, running, section

PLAIN = handler_file()
METERED = check_file(PLAIN).metered
NOT_METERED = "is not the metered form of this module"


class Load(unittest.TestCase):
    def refused(self, file: bytes, code: str, words: str = "", sha256: str | None = None) -> UpgradeError:
        with self.assertRaises(UpgradeError) as raised:
            Handler.load(file, sha256=sha256)
        self.assertEqual(raised.exception.code, code, str(raised.exception))
        self.assertIn(words, str(raised.exception))
        return raised.exception

    def test_good(self) -> None:
        """a file with its manifest and metered module → its manifest and hash"""
        file = handler_file()
        digest = hashlib.sha256(file).hexdigest()
        handler = Handler.load(file, sha256=digest.upper())
        self.assertEqual((handler.sha256, handler.manifest.name), (digest, "v2"))

    def test_hash(self) -> None:
        """another hash is pinned → UPG_HANDLER_HASH, before anything is read"""
        error = self.refused(b"anything", "UPG_HANDLER_HASH", "the plan pins", sha256="00" * 32)
        self.assertEqual(error.details["expected"], "00" * 32)
        digest = hashlib.sha256(handler_file()).hexdigest()
        shown = f'SHA-256 is "{digest}", the plan pins "{digest}\\n"'
        self.refused(handler_file(), "UPG_HANDLER_HASH", shown, sha256=digest + "\n")
        changed = bytearray(handler_file())
        changed[-1] ^= 1
        self.refused(bytes(changed), "UPG_HANDLER_HASH", sha256=digest)

    def test_metered_section(self) -> None:
        """a file with its metered module, and without → the same run"""
        plain = handler_file(running(SET_A, A))
        metered = check_file(plain).metered
        alone, carrying = Handler.load(plain), Handler.load(plain + section(METERED_SECTION, metered))
        length = len(section(METERED_SECTION, metered))
        self.assertEqual(carrying.run(given()).report.gas, alone.run(given()).report.gas + length * FILE_BYTE)
        twice = handler_file(metered=METERED) + section(METERED_SECTION, METERED)
        self.refused(twice, "UPG_HANDLER_METERED", "two custom sections")

    def test_metered_differs(self) -> None:
        """a metered module with any other byte → UPG_HANDLER_METERED"""
        for at in range(len(METERED)):
            changed = bytearray(METERED)
            changed[at] ^= 1 + at % 255
            self.refused(handler_file(metered=bytes(changed)), "UPG_HANDLER_METERED", NOT_METERED)

    def test_metered_forged(self) -> None:
        """a metered module that is none, of another file, or gives itself gas → UPG_HANDLER_METERED"""
        add, subtract = b"\x7c", b"\x7d"
        cases = {
            "not WebAssembly": b"not wasm at all",
            "the file itself": PLAIN,
            "of another body": check_file(handler_file(running("(drop (i32.const 1))"))).metered,
            "of another memory": check_file(handler_file(memory="17")).metered,
            "a byte more": METERED + b"\0",
            "custom sections": METERED + section("name", b""),
            "gas at first": METERED.replace(b"\x7e\x01\x42\x00\x0b", b"\x7e\x01\x42\x01\x0b"),
            "more stack": METERED.replace(b"\x41\x80\x80\x10\x0b", b"\x41\x80\x80\x20\x0b"),
            "gas that grows": METERED.replace(subtract, add),
        }
        for what, metered in cases.items():
            with self.subTest(what):
                self.assertNotEqual(metered, METERED)
                self.refused(handler_file(metered=metered), "UPG_HANDLER_METERED", NOT_METERED)
        self.refused(handler_file(metered=METERED[:-1]), "UPG_HANDLER_METERED", "ends after")

    def test_invalid(self) -> None:
        """operands of the wrong type, which only an engine finds → UPG_HANDLER_FORMAT, with what it says as the cause"""
        # handler_run: i32.const 0 becomes i64.const 0.
        at = PLAIN.rindex(b"\x41\x00\x0b")
        error = self.refused(PLAIN[:at] + b"\x42" + PLAIN[at + 1 :], "UPG_HANDLER_FORMAT", "wrong type or number")
        self.assertIn("type mismatch", str(error.__cause__))

    def test_bodies(self) -> None:
        """a body of the file that is dear to compile → UPG_HANDLER_LIMIT, one at the bound loads"""

        def file(code: str, more: str = "") -> bytes:
            return handler_file(f'(func (export "handler_run") (param i32) (result i32) {more} {code} i32.const 0)')

        for words, code, count in (
            ("branches: 2049", "(block)", 2_048),
            ("loops: 257", "(loop)", 256),
            ("calls: 4097", "(drop (call 1 (i32.const 0)))", 4_096),
        ):
            with self.subTest(words):
                self.refused(file(code * (count + 1)), "UPG_HANDLER_LIMIT", words)
                Handler.load(file(code * count))
        for block, most, words in (("block", 256, "deeper than 256"), ("loop", 32, "at most 32")):
            Handler.load(file(f"({block} " * most + ")" * most))
            self.refused(file(f"({block} " * (most + 1) + ")" * (most + 1)), "UPG_HANDLER_LIMIT", words)
        Handler.load(file("", f"(local {'i32 ' * 256})"))
        self.refused(file("", f"(local {'i32 ' * 257})"), "UPG_HANDLER_LIMIT", "257 locals")
        self.refused(file("(block)" * 1_000, f"(local {'i32 ' * 200})"), "UPG_HANDLER_LIMIT", "parameters, locals and operands: ")
        self.refused(file("(drop (f32.const 0))"), "UPG_HANDLER_OPCODE", "floating point")

    def test_imports(self) -> None:
        """an import that is not offered, of another type, or no function → UPG_HANDLER_IMPORT, UPG_HANDLER_MEMORY"""
        for code, text in (
            ("UPG_HANDLER_IMPORT", '(import "wasi" "clock" (func))'),
            ("UPG_HANDLER_IMPORT", '(import "chain" "log" (func))'),
            ("UPG_HANDLER_IMPORT", '(import "chain" "log" (global i32))'),
            ("UPG_HANDLER_MEMORY", '(import "env" "memory" (memory 1))'),
        ):
            with self.subTest(text):
                self.refused(self.file(text), code)

    def test_exports(self) -> None:
        """an export of the interface that is absent, of another type, or of the host's names → UPG_HANDLER_EXPORT"""
        memory = '(memory (export "memory") 1)'
        run = '(func (export "handler_run") (param i32) (result i32) i32.const 0)'
        for text in (
            f"{memory} {BUFFERS}",
            f'{memory} {BUFFERS} (func (export "handler_run"))',
            f'{memory} {BUFFERS} (global (export "handler_run") i32 (i32.const 0))',
            f"(memory 1) {BUFFERS} {run}",
            f'{memory} {BUFFERS} {run} (global (export "chain-upgrade:gas") (mut i64) (i64.const 0))',
        ):
            with self.subTest(text):
                self.refused(self.file(text), "UPG_HANDLER_EXPORT")
        scans = manifest(scans=[{"store": "bank"}])
        self.refused(handler_file(declared=scans), "UPG_HANDLER_EXPORT", "since the manifest lists scans")

    def test_memory(self) -> None:
        """no memory, two, or one that begins with too much → UPG_HANDLER_MEMORY"""
        self.refused(self.file(f"{BUFFERS} {IDLE}"), "UPG_HANDLER_MEMORY")
        self.refused(handler_file(memory="257"), "UPG_HANDLER_MEMORY", "257 pages")
        self.refused(self.file(f'(memory (export "memory") 1) (memory 1) {BUFFERS} {IDLE}'), "UPG_HANDLER_MEMORY")

    def test_start(self) -> None:
        """a start section → UPG_HANDLER_OPCODE"""
        text = f'(memory (export "memory") 1) {BUFFERS} {IDLE} (func $s) (start $s)'
        self.refused(self.file(text), "UPG_HANDLER_OPCODE", "start section")

    def test_manifest(self) -> None:
        """no manifest, or two → UPG_HANDLER_MANIFEST"""
        self.refused(module(IDLE), "UPG_HANDLER_MANIFEST", "there is no custom section")
        self.refused(handler_file() + section(MANIFEST_SECTION, b"{}"), "UPG_HANDLER_MANIFEST", "there are 2")

    def test_cut_files(self) -> None:
        """a file that ends anywhere before its end, or is too long → a code, quickly"""
        file = handler_file()
        codes = set()
        for end in range(len(file)):
            with self.assertRaises(UpgradeError) as raised:
                Handler.load(file[:end])
            codes.add(raised.exception.code)
        self.assertLessEqual(codes, {"UPG_HANDLER_FORMAT", "UPG_HANDLER_MANIFEST", "UPG_HANDLER_METERED"})
        self.refused(bytes(1_048_577), "UPG_HANDLER_LIMIT")
        self.refused(b"\0asm\1\0\0\0" + 65 * section("x", b""), "UPG_HANDLER_LIMIT", "64 custom sections")

    def test_counts(self) -> None:
        """a list that says it is longer than any may be → refused, without the work"""
        for identifier in (1, 2, 3, 5, 7):
            huge = bytes([identifier, 5]) + b"\xff\xff\xff\xff\x0f"
            code = "UPG_HANDLER_MEMORY" if identifier == 5 else "UPG_HANDLER_LIMIT"
            self.refused(b"\0asm\1\0\0\0" + huge, code, "4294967295")

    def test_many_imports(self) -> None:
        """more than 16 imports, though each is offered → UPG_HANDLER_LIMIT"""
        entry = '(import "chain" "log" (func (param i32 i32 i32)))'
        self.refused(self.file(16 * entry), "UPG_HANDLER_MEMORY")
        self.refused(self.file(17 * entry), "UPG_HANDLER_LIMIT", "17 imports")

    def test_flipped_bytes(self) -> None:
        """a byte of the file flipped → loads, or an error of ours; never another"""
        file = handler_file()
        for at in range(0, len(file), 3):
            changed = bytearray(file)
            changed[at] ^= 0x55
            try:
                Handler.load(bytes(changed))
            except UpgradeError as error:
                self.assertTrue(error.code.startswith("UPG_HANDLER_"), error.code)

    def file(self, text: str) -> bytes:
        """A module of this text with a manifest, as an author's tool may leave it."""
        payload = b'{"abi":1,"name":"v2","gasLimit":"1","stores":[],"versions":{}}'
        return bytes(wat2wasm(f"(module {text})")) + section(MANIFEST_SECTION, payload)


if __name__ == "__main__":
    unittest.main()
