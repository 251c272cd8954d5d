"""Writes of a run that exceed its memory: the same results, and no file that stays."""

from __future__ import annotations

import os
import random
import tempfile
import unittest
from collections.abc import Iterator
from typing import Any
from unittest import mock

from chain_upgrade import MemoryStore, UpgradeError
from chain_upgrade.overlay import Overlay, OverlaySpace
from chain_upgrade.stores import StorePort

from .guests import given, load, running

_COUNT = 2_000
#: Sets 2,000 keys of four bytes, scattered over their range, and deletes every third again; the values are 200 bytes.
WRITES = f"""
  (local.set 1 (i32.const 1))
  (loop $next
    (i32.store (i32.const 0) (i32.mul (local.get 1) (i32.const 2654435761)))
    (drop (call $store_set (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 200)))
    (if (i32.eqz (i32.rem_u (local.get 1) (i32.const 3)))
      (then (drop (call $store_delete (i32.const 0) (i32.const 0) (i32.const 4)))))
    (local.set 1 (i32.add (local.get 1) (i32.const 1)))
    (br_if $next (i32.le_u (local.get 1) (i32.const {_COUNT}))))
"""
#: Reads the first key back, and scans all of them into room for some.
READS = """
  (i32.store (i32.const 0) (i32.const 2654435761))
  (if (i32.ne (call $store_get (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 1024) (i32.const 200)) (i32.const 200))
    (then unreachable))
  (i32.store (i32.const 0) (i32.mul (i32.const 3) (i32.const 2654435761)))
  (if (i32.ne (call $store_get (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 1024) (i32.const 200)) (i32.const -1))
    (then unreachable))
  (drop (call $store_scan
    (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4096) (i32.const 400000)))
"""
LITTLE = 50_000


class Spills(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def spilling(self, **fields: Any) -> dict[str, Any]:
        return {"overlay_memory_bytes": LITTLE, "overlay_dir": self.folder, **fields}

    def files(self) -> list[str]:
        return os.listdir(self.folder)

    def test_results(self) -> None:
        """writes beyond overlay_memory_bytes → report, changes and pairs as without spilling; no file stays"""
        handler = load(running(WRITES + READS))
        stores = [MemoryStore({b"k": b"v"}), MemoryStore({b"k": b"v"})]
        whole, spilled = handler.run(given(stores[0])), handler.run(given(stores[1], **self.spilling()))
        self.assertEqual((whole.spilled_bytes, spilled.spilled_bytes > LITTLE), (0, True))
        self.assertEqual(spilled.report, whole.report)
        self.assertEqual(list(spilled.changes("bank")), list(whole.changes("bank")))
        whole.write()
        spilled.write()
        self.assertEqual(list(stores[1].iterate()), list(stores[0].iterate()))
        self.assertEqual(len(stores[1]), 1 + _COUNT - _COUNT // 3)
        self.assertEqual(self.files(), [])

    def test_ends(self) -> None:
        """a run that fails, is discarded, dropped, or written to a store that raises → no file stays"""
        with self.assertRaises(UpgradeError) as raised:
            load(running(WRITES + "unreachable")).run(given(**self.spilling()))
        self.assertEqual((raised.exception.code, self.files()), ("UPG_HANDLER_TRAP", []))

        class Broken(MemoryStore):
            def set(self, key: bytes, value: bytes) -> None:
                raise RuntimeError("the disk is gone")

        class Interrupted(MemoryStore):
            def get(self, key: bytes) -> bytes | None:
                raise KeyboardInterrupt

        handler = load(running(WRITES))
        run = handler.run(given(Broken(), **self.spilling()))
        with self.assertRaises(UpgradeError) as raised:
            run.write()
        self.assertEqual((raised.exception.code, self.files()), ("UPG_STORE_IO", []))
        get = "(drop (call $store_get (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 0)))"
        with self.assertRaises(KeyboardInterrupt):
            load(running(WRITES + get)).run(given(Interrupted(), **self.spilling()))
        self.assertEqual(self.files(), [])
        handler.run(given(**self.spilling())).discard()
        del run
        handler.run(given(**self.spilling()))
        self.assertEqual(self.files(), [])

    def test_write_over_discard(self) -> None:
        """a store that discards the run that writes to it → all of it is written"""
        handler = load(running(WRITES))

        class Discards(MemoryStore):
            def set(self, key: bytes, value: bytes) -> None:
                run.discard()
                super().set(key, value)

        store = Discards()
        run = handler.run(given(store, **self.spilling()))
        run.write()
        self.assertEqual((len(store), self.files()), (_COUNT - _COUNT // 3, []))

    def local(self, code: str, words: str, **fields: Any) -> None:
        """The run ends with an error of this machine: no gas, no place, and what it says of the handler."""
        with self.assertRaises(UpgradeError) as raised:
            load(running(WRITES)).run(given(**self.spilling(**fields)))
        self.assertEqual((raised.exception.code, raised.exception.details), (code, {}))
        self.assertIn(words, str(raised.exception))
        self.assertIn("says nothing about the handler", str(raised.exception))
        self.assertEqual(self.files(), [])

    def test_no_room(self) -> None:
        """no room, no folder, no sqlite3, a full disk → UPG_STORE_FULL or _IO, which say nothing about the handler"""
        self.local("UPG_STORE_FULL", "overlay_disk_bytes, 100000, are used", overlay_disk_bytes=100_000)
        self.local("UPG_STORE_IO", "No such file", overlay_dir=os.path.join(self.folder, "absent"))
        with mock.patch.dict("sys.modules", {"sqlite3": None}):
            self.local("UPG_STORE_FULL", "without the module sqlite3")
        with mock.patch("tempfile.mkstemp", side_effect=OSError(28, "No space left on device")):
            self.local("UPG_STORE_FULL", "the disk is full")

    def test_damage(self) -> None:
        """a spilled value that somebody changed → UPG_STORE_IO when it is read"""
        space = OverlaySpace(0, 1 << 30, self.folder)
        overlay = Overlay(StorePort("bank", MemoryStore()), space)
        overlay.set(b"a", b"1")
        file = space._file
        assert file
        file.database.execute("UPDATE writes_1 SET value = x'32'")
        for read in (lambda: overlay.get(b"a"), lambda: list(overlay.changes())):
            with self.assertRaises(UpgradeError) as raised:
                read()
            self.assertEqual(raised.exception.code, "UPG_STORE_IO")
        space.close()

    def test_model(self) -> None:
        """random writes to two branches, with any memory → gets, walks and changes as of a dict"""
        for seed in range(6):
            self.compare(random.Random(seed), [0, 300, 3_000][seed % 3])

    def compare(self, random: random.Random, memory: int) -> None:
        space = OverlaySpace(memory, 1 << 30, self.folder)
        below = {bytes([random.randrange(24)]): b"below" for _ in range(12)}
        overlays = [Overlay(StorePort(name, MemoryStore(below)), space) for name in ("a", "b")]
        models: list[dict[bytes, bytes | None]] = [{}, {}]
        for _ in range(400):
            which = random.randrange(2)
            key = bytes(random.randrange(24) for _ in range(random.randrange(1, 3))) + b"x" * random.choice((0, 0, 300))
            value = None if random.randrange(4) == 0 else random.randbytes(random.randrange(40))
            if value is None:
                overlays[which].delete(key)
            else:
                overlays[which].set(key, value)
            models[which][key] = value
            asked = bytes([random.randrange(24)])
            self.assertEqual(overlays[which].get(asked), {**below, **models[which]}.get(asked))
        for overlay, model in zip(overlays, models, strict=True):
            self.assertEqual(list(overlay.changes()), sorted(model.items(), key=lambda pair: pair[0]))
            all_pairs = sorted((key, value) for key, value in {**below, **model}.items() if value is not None)
            start, end = sorted(random.sample(range(1, 24), 2))
            for bounds in ((None, None), (bytes([start]), bytes([end])), (bytes([end]), None)):
                self.assertEqual(list(overlay.iterate(*bounds)), list(within(all_pairs, *bounds)))
        self.assertTrue(space.spilled_bytes > 0)
        space.close()
        self.assertEqual(self.files(), [])


def within(pairs: list[tuple[bytes, bytes]], start: bytes | None, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
    return (pair for pair in pairs if (start is None or pair[0] >= start) and (end is None or pair[0] < end))


if __name__ == "__main__":
    unittest.main()
