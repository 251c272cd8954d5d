"""A recorded call of core.wasm as a call of `Core`, with what that returns."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chain_upgrade import Core, Decision, DoneUpgrade, MemoryStore, UpgradeError, decode_versions, encode_versions
from chain_upgrade.plan import PlanFields, decode_plan_fields, encode_plan_fields, plan_of_fields
from chain_upgrade.wire import BYTES, wire_fields

Run = Callable[[MemoryStore], Any]


@dataclass(frozen=True)
class Typed:
    run: Run
    #: What it returns when it does not raise.
    due: object


class _Untyped(Exception):
    """The bytes of the call are none that a method of Core makes."""


class TypedCalls:
    def __init__(self) -> None:
        self.core = Core()

    def of(self, call: dict[str, Any]) -> Typed | None:
        """None for bytes that no value of Python leads to."""
        if call["call"] not in ("pre_block", "halt_text") and any(arg.startswith("i32:") for arg in call["args"]):
            # A pointer that no host makes.
            return None
        args: list[Any] = []
        for kind, text in (arg.split(":") for arg in call["args"]):
            if kind != "out":
                args.append(bytes.fromhex(text) if kind == "in" else int(text))
        try:
            run = getattr(self, f"_{call['call']}")(*args)
        except (_Untyped, UnicodeDecodeError):
            return None
        cut = [int(arg[4:]) for arg in call["args"] if arg.startswith("out:") and int(call["result"]) > int(arg[4:])]
        if cut:
            # The recorded room was too small, so only the length is known; Core asks again with as much.
            return Typed(lambda store: _length(run(store)), int(call["result"]))
        absent = call["result"] == "-1"
        out = None if absent else bytes.fromhex(call.get("out", ""))
        due = None if call["result"].startswith("-") and not absent else self._due(call, out)
        return Typed(run, due)

    def _due(self, call: dict[str, Any], out: bytes | None) -> object:
        name, result = call["call"], call["result"]
        if name in ("done_height", "cancellable_height"):
            return int(result)
        if name == "pre_block":
            return Decision(int(result))
        if name == "protocol_version":
            return 0 if out is None else int(struct.unpack("<Q", out)[0])
        if name == "version_get":
            return None if out is None else int(struct.unpack("<Q", out)[0])
        if name == "version_map_get":
            return decode_versions(out or b"")
        if name == "last_done":
            return out and DoneUpgrade(out[8:].decode(), struct.unpack_from("<q", out)[0])
        if name == "plan_decode":
            return decode_plan_fields(out or b"")
        if name == "halt_text":
            return (out or b"").decode()
        if name in ("plan_schedule", "plan_clear", "apply", "version_map_set", "receipt_set", "plan_validate"):
            return None
        return out

    def _plan_schedule(self, height: int, plan: bytes) -> Run:
        return lambda store: self.core.schedule_bytes(store, height, plan)

    def _plan_clear(self) -> Run:
        return self.core.clear

    def _pre_block(self, height: int, flags: int) -> Run:
        if not 0 <= flags < 16:
            raise _Untyped
        names = ("has_handler", "has_last_handler", "is_skip_height", "is_first_block")
        given = {name: bool(flags >> bit & 1) for bit, name in enumerate(names)}
        return lambda store: self.core.pre_block(store, height, **given)

    def _apply(self, height: int, plan: bytes, versions: bytes, removes: bytes) -> Run:
        names = [field.data.decode() for field in wire_fields(removes, [BYTES], _untyped)]
        if names != sorted(set(names)):
            raise _Untyped
        given = _versions(versions)
        return lambda store: self.core.apply(store, height, plan, given, names)

    def _version_map_set(self, versions: bytes) -> Run:
        given = _versions(versions)
        return lambda store: self.core.set_version_map(store, given)

    def _receipt_set(self, name: bytes, receipt: bytes) -> Run:
        text = name.decode()
        return lambda store: self.core.set_receipt(store, text, receipt)

    def _plan_get(self) -> Run:
        return self.core.plan_bytes

    def _done_height(self, name: bytes) -> Run:
        text = name.decode()
        return lambda store: self.core.done_height(store, text)

    def _last_done(self) -> Run:
        return self.core.last_done

    def _version_get(self, module: bytes) -> Run:
        text = module.decode()
        return lambda store: self.core.module_version(store, text)

    def _version_map_get(self) -> Run:
        return self.core.version_map

    def _protocol_version(self) -> Run:
        return self.core.protocol_version

    def _receipt_get(self, name: bytes) -> Run:
        text = name.decode()
        return lambda store: self.core.receipt(store, text)

    def _key_plan(self) -> Run:
        return lambda store: self.core.plan_key()

    def _key_protocol(self) -> Run:
        return lambda store: self.core.protocol_key()

    def _key_done(self, name: bytes) -> Run:
        text = name.decode()
        return lambda store: self.core.done_key(text)

    def _key_version(self, name: bytes) -> Run:
        text = name.decode()
        return lambda store: self.core.version_key(text)

    def _key_receipt(self, name: bytes) -> Run:
        text = name.decode()
        return lambda store: self.core.receipt_key(text)

    def _plan_validate(self, plan: bytes) -> Run:
        return lambda store: self.core.validate_plan(plan)

    def _plan_decode(self, plan: bytes) -> Run:
        return lambda store: self.core.decode_plan_fields(plan)

    def _plan_encode(self, fields: bytes) -> Run:
        try:
            plan = plan_of_fields(decode_plan_fields(fields))
        except (UpgradeError, struct.error) as cause:
            raise _Untyped from cause
        if encode_plan_fields(plan) != fields:
            raise _Untyped
        return lambda store: self.core.encode_plan(plan)

    def _halt_text(self, decision: int, height: int, app_version: int, subject: bytes) -> Run:
        if decision not in set(Decision):
            raise _Untyped
        return lambda store: self.core.halt_text(Decision(decision), height, app_version, subject)

    def _upgrade_info(self, height: int, plan: bytes) -> Run:
        return lambda store: self.core.upgrade_info(height, plan)

    def _cancellable_height(self, *args: int) -> Run:
        return lambda store: self.core.cancellable_height(*args)


def _length(value: Any) -> int:
    """Of the bytes that the core gave, from what they were decoded to."""
    if isinstance(value, PlanFields):
        return 32 + len(value.name) + len(value.info)
    if isinstance(value, DoneUpgrade):
        return 8 + len(value.name.encode())
    if isinstance(value, int):
        return 8
    if isinstance(value, dict):
        return len(encode_versions(value))
    return len(value.encode() if isinstance(value, str) else value)


def _untyped(what: str) -> UpgradeError:
    raise _Untyped(what)


def _versions(data: bytes) -> dict[str, int]:
    try:
        return decode_versions(data)
    except UpgradeError as cause:
        raise _Untyped from cause
