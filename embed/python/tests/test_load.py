"""`Handler.load`: files that are not taken, each with its code; nothing of them runs."""

from __future__ import annotations

import hashlib
import time
import unittest
from pathlib import Path

from wasmtime import wat2wasm

from chain_upgrade import Handler, UpgradeError
from chain_upgrade.growth import GROWTHS
from chain_upgrade.interface import METERED_SECTION
from chain_upgrade.manifest import MANIFEST_SECTION

from .guests import BUFFERS, COUNTERS, IDLE, handler_file, manifest, module, section, without_customs

METERED = module(IDLE, counters=True, memory="16 512")


def metered_of(body: str) -> bytes:
    """As if metering had made it."""
    return module(body, counters=True, memory="16 512")


SIMD = "(i32x4.extract_lane 0 (v128.const i32x4 0 0 0 0))"


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

    def test_no_metered_section(self) -> None:
        """no section chain-upgrade.metered → UPG_HANDLER_METERED with the command that puts it in"""
        file = module(IDLE) + section(
            MANIFEST_SECTION, b'{"abi":1,"name":"v2","gasLimit":"1","stores":[],"versions":{}}'
        )
        self.refused(file, "UPG_HANDLER_METERED", "chaind handler meter")
        self.refused(handler_file() + section(METERED_SECTION, METERED), "UPG_HANDLER_METERED", "one is due")

    def test_metered_differs(self) -> None:
        """a metered module that is not the file's → UPG_HANDLER_METERED"""
        head = "(func $f) (start $f)"
        cases = {
            "not a WebAssembly file": b"not wasm at all",
            "exports": module(IDLE.replace("handler_run", "handler_rub"), counters=True, memory="16 512"),
            "imports": module("(func (call $log (i32.const 0) (i32.const 0) (i32.const 0)))" + IDLE, True, "16 512"),
            "has not the counters": without_customs(module(IDLE, memory="16 512")),
            "in their order": module(COUNTERS + IDLE, memory="16 512"),
            "16 to 512 pages": module(IDLE, counters=True, memory="16 513"),
            "has not 16": module(IDLE, counters=True, memory="17 512"),
            "start section": module(IDLE + head, counters=True, memory="16 512"),
            "custom sections": METERED + section("name", b""),
            "not a valid module": metered_of(IDLE.replace("i32.const 0", SIMD)),
            "has not the counters chain-upgrade:gas": METERED.replace(b"\x7e\x01\x42\x00", b"\x7e\x00\x42\x00"),
        }
        for words, metered in cases.items():
            with self.subTest(words):
                self.refused(handler_file(metered=metered), "UPG_HANDLER_METERED", words)

    def test_metered_inside(self) -> None:
        """a metered module that differs in what is not seen from outside → UPG_HANDLER_METERED that names it"""
        parts = {
            "data": ('(data (i32.const 0) "a")', '(data (i32.const 0) "b")'),
            "tables": ("(table 1 funcref)", "(table 2 funcref)"),
            "elements": (
                "(table 1 funcref) (elem (i32.const 0) 0)",
                "(table 1 funcref) (elem (i32.const 0) 1)",
            ),
            "types": ("(type (func))", "(type (func (param i64)))"),
            "functions": ("(func)", "(func (param i32) (result i32) local.get 0)"),
            "functions ": ("", "(func) (func (param i32) (result i32) local.get 0)"),
            "functions  ": ("", "(func)"),
            "globals": ("(global i32 (i32.const 1))", "(global i32 (i32.const 2))"),
            "exports": ('(func $a) (func (export "b"))', '(func $a (export "b")) (func)'),
        }
        for words, (mine, theirs) in parts.items():
            with self.subTest(words):
                metered = metered_of(f"{theirs} {IDLE}")
                self.refused(handler_file(f"{mine} {IDLE}", metered=metered), "UPG_HANDLER_METERED", words.strip())

    def test_grow(self) -> None:
        """one function more of type (i32) -> i32, which takes the place of memory.grow → loads"""
        grow = "(func (param i32) (result i32) local.get 0)"
        Handler.load(handler_file(metered=metered_of(f"{IDLE} {grow}")))

    def test_counters_at_first(self) -> None:
        """a counter that holds something else at first → UPG_HANDLER_METERED"""
        for good, bad in ((b"\x42\x00\x0b", b"\x42\x01\x0b"), (b"\x41\x80\x80\x10", b"\x41\x80\x80\x20")):
            self.assertEqual(METERED.count(good), 1)
            self.refused(handler_file(metered=METERED.replace(good, bad)), "UPG_HANDLER_METERED", "counters")

    def test_large_memory_at_first(self) -> None:
        """whether the memory begins large, other than it does → UPG_HANDLER_METERED"""
        large = COUNTERS.strip().removesuffix("(i32.const 0))") + "(i32.const 1))"
        for memory, counters, is_right in (
            ("16", COUNTERS, True),
            ("16", large, False),
            ("17", COUNTERS, False),
            ("17", large, True),
        ):
            text = f'(module (memory (export "memory") {memory} 512) {BUFFERS} {IDLE} {counters})'
            file = handler_file(memory=memory, metered=without_customs(bytes(wat2wasm(text))))
            with self.subTest(memory + counters[-3:]):
                if is_right:
                    Handler.load(file)
                else:
                    self.refused(file, "UPG_HANDLER_METERED", "the meter's own")

    def test_metered_bodies(self) -> None:
        """bodies that no metering makes: much for a compiler, or not allowed → UPG_HANDLER_METERED, at once"""

        def body(code: str, more: str = "") -> str:
            return f'(func (export "handler_run") (param i32) (result i32) {more} {code} i32.const 0)'

        def nested(block: str, count: int) -> str:
            return f"({block} " * count + ")" * count

        cases = {
            "0x43 is not allowed": body("(drop (f32.const 0))"),
            "a local of type 0x7c": body("", "(local f64)"),
            "a block of type 0x7d": body("(drop (block (result f32) unreachable))"),
            "0xd0 is not allowed": body("(drop (ref.null func))"),
            "0xfc 0 is not allowed": body("(drop (i32.trunc_sat_f32_s (unreachable)))"),
            "a br_table of 1025 labels": body(f"(block (br_table {'0 ' * 1_026} (i32.const 0)))"),
            # The file's own body has no branch, no call and one value.
            "locals: 3, metering makes at most 2": body("", "(local i32 i32 i32)"),
            "blocks inside each other: 4, metering makes at most 3": body(nested("block", 4)),
            "loops: 1, metering makes at most 0": body("(loop)"),
            "branches: 7, metering makes at most 6": body("(block)" * 7),
            "values: 24, metering makes at most 23": body("(drop (i32.const 0))" * 23),
            "calls: 1, metering makes at most 0": body("(drop (call 1 (i32.const 0)))"),
            "bytes: ": body("(drop (i32.const 0))" * 180_000),
        }
        for words, text in cases.items():
            with self.subTest(words):
                file = handler_file(metered=metered_of(text))
                began = time.monotonic()
                self.refused(file, "UPG_HANDLER_METERED", words.strip())
                self.assertLess(time.monotonic() - began, 5)

    def test_metered_at_the_bounds(self) -> None:
        """the most of each that metering makes of a body of two branches and a call → loads"""
        plain = f'(func (export "handler_run") (param i32) (result i32) {self.TWO} i32.const 0)'
        blocks = f"(block (block (block {self.TWO} (block))))"
        values = "(drop (i32.const 0))" * 66
        text = f'(func (export "handler_run") (param i32) (result i32) (local i32 i64) {blocks} {values} i32.const 0)'
        Handler.load(handler_file(plain, metered=metered_of(text)))

    #: An `if` in a block, which is one branch each, and a call in them.
    TWO = "(block (if (i32.const 0) (then (drop (call 1 (i32.const 0))))))"

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
        for block, most in (("block", 256), ("loop", 32)):
            Handler.load(file(f"({block} " * most + ")" * most))
            self.refused(file(f"({block} " * (most + 1) + ")" * (most + 1)), "UPG_HANDLER_LIMIT", "inside each other")
        Handler.load(file("", f"(local {'i32 ' * 256})"))
        self.refused(file("", f"(local {'i32 ' * 257})"), "UPG_HANDLER_LIMIT", "locals: 257")
        self.refused(file("(block)" * 1_000, f"(local {'i32 ' * 200})"), "UPG_HANDLER_LIMIT", "parameters and locals: 201000")
        self.refused(file("(drop (f32.const 0))"), "UPG_HANDLER_OPCODE", "0x43")

    def test_growths_of_the_document(self) -> None:
        """docs/abi.md → the numbers that are here"""
        page = Path(__file__).resolve().parents[3] / "docs/abi.md"
        if not page.exists():
            self.skipTest("docs/abi.md is in the repository, not in the package")
        table = page.read_text(encoding="utf-8").split("\n| of a body |", 1)[1].splitlines()[2:]
        rows = [f"| {what} | {once} | {branch} | {call} |" for what, once, branch, call, _ in GROWTHS]
        self.assertEqual(table[: len(rows)], rows)
        self.assertFalse(table[len(rows)].startswith("|"))

    def test_without_maximum(self) -> None:
        """a metered memory without a maximum could grow on → UPG_HANDLER_METERED"""
        self.refused(handler_file(metered=module(IDLE, counters=True)), "UPG_HANDLER_METERED", "pages")

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
            f"{memory} {BUFFERS} {run} {COUNTERS}",
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
        """a list that says it is longer than the file → UPG_HANDLER_FORMAT, without the work"""
        for identifier in (1, 2, 3, 5, 7):
            huge = bytes([identifier, 5]) + b"\xff\xff\xff\xff\x0f"
            self.refused(b"\0asm\1\0\0\0" + huge, "UPG_HANDLER_FORMAT")

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
