"""Handlers from text: a module and its manifest."""

from __future__ import annotations

import json
from typing import Any

from wasmtime import wat2wasm

from chain_upgrade import Handler, Input, KVStore, MemoryStore, Plan, Timestamp
from chain_upgrade.manifest import MANIFEST_SECTION
from chain_upgrade.wire import varint

METERED_SECTION = "chain-upgrade.metered"
BUFFERS = """
  (func (export "handler_abi_1"))
  (func (export "handler_in") (param i32) (result i32) i32.const 65536)
  (func (export "handler_out") (param i32) (result i32) i32.const 131072)
"""
IDLE = '(func (export "handler_run") (param i32) (result i32) i32.const 0)'
IMPORTS = {
    "store_get": "(param i32 i32 i32 i32 i32) (result i32)",
    "store_set": "(param i32 i32 i32 i32 i32) (result i32)",
    "store_delete": "(param i32 i32 i32) (result i32)",
    "store_write": "(param i32 i32) (result i32)",
    "store_scan": "(param i32 i32 i32 i32 i32 i32 i32) (result i32)",
    "log": "(param i32 i32 i32)",
    "progress": "(param i64 i64)",
    "fail": "(param i32 i32 i32)",
}


def manifest(**fields: Any) -> dict[str, Any]:
    """A small one; ``fields`` replace or add."""
    return {
        "abi": 1,
        "name": "v2",
        "gasLimit": "100000000000",
        "stores": [{"name": "bank", "access": "rw"}],
        "versions": {"bank": {"from": [1], "to": 2}},
        **fields,
    }


def section(name: str, payload: bytes) -> bytes:
    content = varint(len(name)) + name.encode() + payload
    return b"\0" + varint(len(content)) + content


def module(body: str, memory: str = "16", head: str = "") -> bytes:
    """``body`` may call the imports that it names as ``$name``."""
    used = [name for name in IMPORTS if f"${name}" in body]
    imports = "".join(f'(import "chain" "{name}" (func ${name} {IMPORTS[name]}))' for name in used)
    return bytes(wat2wasm(f'(module {head} {imports} (memory (export "memory") {memory}) {BUFFERS} {body})'))


def handler_file(body: str = IDLE, declared: Any = None, memory: str = "16", metered: bytes | None = None) -> bytes:
    """``declared``: a manifest, or the payload of its section; ``metered``: a metered module that the file carries."""
    payload = declared if isinstance(declared, bytes) else json.dumps(declared or manifest()).encode()
    file = module(body, memory=memory) + section(MANIFEST_SECTION, payload)
    return file if metered is None else file + section(METERED_SECTION, metered)


def given(store: KVStore | None = None, **fields: Any) -> Input:
    """An input with one store, bank."""
    values: dict[str, Any] = {
        "chain_id": "test-1",
        "height": 10,
        "time": Timestamp(1_800_000_000),
        "plan": Plan("v2", 10),
        "versions": {"bank": 1},
        "stores": {"bank": MemoryStore() if store is None else store},
        **fields,
    }
    return Input(**values)


def load(body: str = IDLE, declared: Any = None, memory: str = "16") -> Handler:
    return Handler.load(handler_file(body, declared, memory))


def running(code: str, data: str = "") -> str:
    """A guest whose `handler_run` does this and returns 0."""
    return f'{data} (func (export "handler_run") (param i32) (result i32) (local i32) {code} i32.const 0)'


#: Sets the key "a" of bank to the value "a".
SET_A = "(drop (call $store_set (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 1)))"
#: The byte "a" at 0.
A = '(data (i32.const 0) "a")'
