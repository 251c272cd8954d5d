"""A case of handler-cases.json: its stores, its run, and what can be seen of it, in the form of the file."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Iterable
from typing import Any

from chain_upgrade import Handler, Input, MemoryStore, Run, Timestamp, UpgradeError

from .iavl import root_after

#: More lines are a digest.
LINES_MAX = 32


def pairs_of(rule: Any) -> Iterable[tuple[bytes, bytes]]:
    """Pairs as they are listed, or those of a rule (test/vectors/README.md)."""
    if isinstance(rule, list):
        for key, value in rule:
            yield bytes.fromhex(key), bytes.fromhex(value)
        return
    least, greatest = rule["value_bytes"]
    for i in range(rule["count"]):
        digest = hashlib.sha256(struct.pack(">Q", i)).digest()
        length = least + (digest[31] * 256 + digest[30]) % (greatest - least + 1)
        value = (digest * (length // 32 + 1))[:length]
        yield bytes.fromhex(rule["prefix"]) + digest[: rule["key_bytes"]], value


def pairs_sha256(store: MemoryStore) -> str:
    """SHA-256 of all pairs, ascending, each as a frame."""
    digest = hashlib.sha256()
    for key, value in store.iterate():
        digest.update(struct.pack("<II", len(key), len(value)) + key + value)
    return digest.hexdigest()


class Cases:
    """The file, with handlers that were loaded before."""

    def __init__(self, file: Any) -> None:
        self._guests = {guest["name"]: guest["wasm"] for guest in file["guests"]}
        self._inputs = {given["name"]: given for given in file["inputs"]}
        self._handlers: dict[str, Handler] = {}

    def file(self, name: str) -> bytes:
        return base64.b64decode(self._guests[name])

    def load(self, name: str) -> Handler:
        if name not in self._handlers:
            self._handlers[name] = Handler.load(self.file(name))
        return self._handlers[name]

    def run(self, case: dict[str, Any]) -> dict[str, Any]:
        """What the case's fields but label, guest, input and those of the input have to be."""
        handler, given = self.load(case["guest"]), self._inputs[case["input"]]
        stores = {name: MemoryStore(dict(pairs_of(rule))) for name, rule in given["stores"].items()}
        before = {name: pairs_sha256(store) for name, store in stores.items()}
        logs: list[str] = []
        progress: list[str] = []
        try:
            run = handler.run(self._input(case, given, stores, logs, progress))
            seen = self._succeeded(run, stores, before)
        except UpgradeError as error:
            seen = self._failed(error)
            if before != {name: pairs_sha256(store) for name, store in stores.items()}:
                seen["written"] = "a run that failed wrote to a store"
        return {**seen, **_said("logs", logs), **_said("progress", progress)}

    def _input(self, case: Any, given: Any, stores: Any, logs: list[str], progress: list[str]) -> Input:
        tables = {name: case[name] for name in ("batch_bytes", "module_stores", "vital_modules") if name in case}
        return Input(
            chain_id=given["chain_id"],
            height=int(given["height"]),
            time=Timestamp(int(given["time"]["seconds"]), given["time"]["nanos"]),
            plan=bytes.fromhex(given["plan"]),
            versions={name: int(version) for name, version in given["versions"].items()},
            stores=stores,
            gas_limit=int(case["gas_limit"]) if "gas_limit" in case else None,
            guards="module_stores" in case or "vital_modules" in case,
            log=lambda level, line: logs.append(f"{level} {line}"),
            progress=lambda done, total: progress.append(f"{done}/{total}"),
            **tables,
        )

    def _failed(self, error: UpgradeError) -> dict[str, Any]:
        seen: dict[str, Any] = {"error": error.code}
        if error.code == "UPG_MIGRATION_FAILED" and "message" in error.details:
            seen["said"] = error.details["message"]
        if "gas" in error.details:
            seen["gas"] = error.details["gas"]
        return seen

    def _succeeded(self, run: Run, stores: dict[str, MemoryStore], before: dict[str, str]) -> dict[str, Any]:
        report = run.report
        writes = {name: sum(1 for _ in run.changes(name)) for name in stores}
        if before != {name: pairs_sha256(store) for name, store in stores.items()}:
            return {"written": "a run wrote to a store before it was told to"}
        roots = {name: root_after(stores[name].iterate(), run.changes(name)) for name in report.stores}
        run.write()
        return {
            "gas": str(report.gas),
            "memory_pages": report.memory_pages,
            "versions": {name: str(version) for name, version in report.versions.items()},
            "checks": [check._asdict() for check in report.checks],
            "stores": {
                name: {
                    "written": each.written,
                    "deleted": each.deleted,
                    "bytes": each.bytes,
                    "writes": writes[name],
                    "writes_sha256": each.sha256,
                    "pairs": len(stores[name]),
                    "pairs_sha256": pairs_sha256(stores[name]),
                    "root": roots[name],
                }
                for name, each in report.stores.items()
            },
        }


def _said(name: str, lines: list[str]) -> dict[str, Any]:
    if not lines:
        return {}
    if len(lines) <= LINES_MAX:
        return {name: lines}
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode())
    return {name: {"lines": len(lines), "sha256": digest.hexdigest()}}
