"""core-calls.json: every call as it is, and by the methods of `Core`: results, errors and store as recorded."""

from __future__ import annotations

import unittest
from typing import Any

from chain_upgrade import MemoryStore, bundled_core
from chain_upgrade.core_instance import CoreInstance, Live
from chain_upgrade.errors import UpgradeError, code_of
from chain_upgrade.overlay import Overlay
from chain_upgrade.stores import StorePort

from . import vectors
from .typed_calls import TypedCalls

PATTERN = b"\xa5"


def pairs_of(store: MemoryStore) -> list[list[str]]:
    return [[key.hex(), value.hex()] for key, value in store.iterate()]


def fill(store: MemoryStore, pairs: list[list[str]]) -> None:
    for key, _ in list(store.iterate()):
        store.delete(key)
    for key, value in pairs:
        store.set(bytes.fromhex(key), bytes.fromhex(value))


class RawCalls:
    """A call with its arguments as the file has them."""

    def __init__(self) -> None:
        self._instance = CoreInstance(bundled_core())

    def run(self, store: MemoryStore, call: dict[str, Any]) -> dict[str, Any]:
        branch = Overlay(StorePort("upgrade", store))
        seen = self._instance.run(branch, lambda live: self._call(live, call))
        branch.write()
        return seen

    def _call(self, live: Live, call: dict[str, Any]) -> dict[str, Any]:
        args: list[int] = []
        room: tuple[int, int] | None = None
        for kind, text in (arg.split(":") for arg in call["args"]):
            if kind in ("i32", "i64"):
                args.append(int(text))
            elif kind == "in":
                args.extend(live.put(bytes.fromhex(text)))
            else:
                room = (live._raw("core_alloc", int(text)), int(text))
                live._memory.write(room[0], PATTERN * room[1])
                args.extend(room)
        try:
            result = live._invoke(call["call"], tuple(args))
        except UpgradeError as error:
            # The error has more: which call it was.
            return {"result": "trap", "error": {"code": error.number, "message": live._message(error.number)}}
        seen: dict[str, Any] = {"result": str(result)}
        if result < -1:
            seen["error"] = {"code": -result, "message": live._message(-result)}
        if room is not None:
            written = live._memory.read(*room)
            if 0 <= result <= room[1]:
                seen["out"] = written[:result].hex()
                written = written[result:]
            if written != PATTERN * len(written):
                seen["beyond"] = "the room has more bytes than the result"
        return seen


@unittest.skipUnless(vectors.has("core-calls"), "test/vectors/core-calls.json.gz is absent")
class CoreCalls(unittest.TestCase):
    def test_raw(self) -> None:
        """each export, called as recorded → the same result, bytes, error and store"""
        calls = RawCalls()
        count = 0
        for case in vectors.read("core-calls")["cases"]:
            store = MemoryStore()
            for index, call in enumerate(case["calls"]):
                before = self._before(store, call)
                seen = calls.run(store, call)
                due = {key: call[key] for key in ("result", "error", "out") if key in call}
                if seen.get("out") == "":
                    due.setdefault("out", "")
                place = f"{case['label']}, call {index}: {call['call']}"
                self.assertEqual(seen, due, place)
                self.assertEqual(pairs_of(store), call.get("store", before), place)
                count += 1
        self.assertGreater(count, 0)
        print(f"core-calls: {count} calls as they are")

    def test_typed(self) -> None:
        """each call that a method of Core can make → the same value, code, message and store"""
        calls = TypedCalls()
        count = 0
        for case in vectors.read("core-calls")["cases"]:
            store = MemoryStore()
            for index, call in enumerate(case["calls"]):
                before = self._before(store, call)
                place = f"{case['label']}, call {index}: {call['call']}"
                typed = calls.of(call)
                if typed is None:
                    fill(store, call.get("store", before))
                    continue
                if "error" in call:
                    with self.assertRaises(UpgradeError, msg=place) as raised:
                        typed.run(store)
                    self.assertEqual(raised.exception.code, code_of(call["error"]["code"]), place)
                    self.assertEqual(raised.exception.message, call["error"]["message"], place)
                else:
                    self.assertEqual(typed.run(store), typed.due, place)
                self.assertEqual(pairs_of(store), call.get("store", before), place)
                count += 1
        self.assertGreater(count, 0)
        print(f"core-calls: {count} calls by the methods of Core")

    def _before(self, store: MemoryStore, call: dict[str, Any]) -> list[list[str]]:
        if "before" in call:
            fill(store, call["before"])
        return pairs_of(store)
