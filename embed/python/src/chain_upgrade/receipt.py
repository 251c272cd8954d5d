"""The record that an upgrade by a Wasm handler leaves under its name: protobuf, `chain.upgrade.v1.Receipt`."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from .checker import decode_flat, encode_flat
from .errors import UpgradeError
from .gas import GAS_SCHEDULE
from .handler import Handler
from .report import Report
from .text import encode_text


@dataclass(frozen=True)
class RootChange:
    """Roots of a store before this block and in its commit, of 32 bytes; empty where a chain has none at this point."""

    before: bytes = b""
    after: bytes = b""


@dataclass(frozen=True)
class StoreReceipt:
    """What the handler did to one store that it may write."""

    name: str
    written: int = 0
    deleted: int = 0
    bytes: int = 0
    roots: RootChange = RootChange()
    #: Digest (hex) of the handler's own final writes (`StoreReport.sha256`), whatever else the block wrote; empty in
    #: receipts of older programs.
    writes_sha256: str = ""


@dataclass(frozen=True)
class Receipt:
    """It holds what every node computes alike, so it can be part of the app hash."""

    plan: str
    height: int
    handler_sha256: str
    gas: int
    stores: tuple[StoreReceipt, ...]
    #: Names of the handler's own checks; all of them held.
    checks: tuple[str, ...]
    abi: int = 1
    gas_schedule: str = GAS_SCHEDULE


def receipt_of(handler: Handler, height: int, report: Report, roots: Mapping[str, RootChange] | None = None) -> Receipt:
    """The receipt of a run."""
    stores = []
    for name in sorted(report.stores):
        each = report.stores[name]
        change = (roots or {}).get(name, RootChange())
        stores.append(StoreReceipt(name, each.written, each.deleted, each.bytes, change, each.sha256))
    checks = tuple(check.name for check in report.checks)
    return Receipt(handler.manifest.name, height, handler.sha256, report.gas, tuple(stores), checks)


def encode_receipt(receipt: Receipt) -> bytes:
    """For `Core.set_receipt`. Raises UPG_INVALID_ARGUMENT for a hash or root that has neither 0 nor 32 bytes."""
    try:
        flat = _flat(receipt)
    except (struct.error, ValueError) as cause:
        raise UpgradeError("UPG_INVALID_ARGUMENT", f"the receipt cannot be encoded: {cause}") from cause
    data = encode_flat(flat)
    if data is None:
        what = "the receipt cannot be encoded: hashes and roots have 0 or 32 bytes, and names are UTF-8"
        raise UpgradeError("UPG_INVALID_ARGUMENT", what)
    return data


def decode_receipt(data: bytes) -> Receipt:
    """Raises UPG_STORE_CORRUPT."""
    flat = decode_flat(data)
    if flat is None:
        raise UpgradeError("UPG_STORE_CORRUPT", f"{len(data)} bytes are no receipt")
    return _FlatReader(flat).receipt()


def _flat(receipt: Receipt) -> bytes:
    """The form of docs/abi.md that check.wasm takes and gives: everything at a fixed place."""
    counts = receipt.abi, len(receipt.stores), len(receipt.checks)
    head = struct.pack("<qQIII", receipt.height, receipt.gas, *counts) + _sized(encode_text(receipt.plan))
    head += _sized(bytes.fromhex(receipt.handler_sha256)) + _sized(encode_text(receipt.gas_schedule))
    stores = b"".join(_flat_store(store) for store in receipt.stores)
    return head + stores + b"".join(_sized(encode_text(name)) for name in receipt.checks)


def _flat_store(store: StoreReceipt) -> bytes:
    hashes = store.roots.before, store.roots.after, bytes.fromhex(store.writes_sha256)
    numbers = struct.pack("<QQQ", store.written, store.deleted, store.bytes)
    return numbers + _sized(encode_text(store.name)) + b"".join(map(_sized, hashes))


def _sized(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


class _FlatReader:
    """Takes values from the front. check.wasm wrote them, so they are all there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def receipt(self) -> Receipt:
        height, gas, abi, stores, checks = self._numbers("<qQIII")
        plan, handler_sha256, gas_schedule = self._text(), self._bytes().hex(), self._text()
        return Receipt(
            plan=plan,
            height=height,
            handler_sha256=handler_sha256,
            gas=gas,
            stores=tuple(self._store() for _ in range(stores)),
            checks=tuple(self._text() for _ in range(checks)),
            abi=abi,
            gas_schedule=gas_schedule,
        )

    def _store(self) -> StoreReceipt:
        numbers = self._numbers("<QQQ")
        return StoreReceipt(self._text(), *numbers, RootChange(self._bytes(), self._bytes()), self._bytes().hex())

    def _numbers(self, layout: str) -> tuple[int, ...]:
        numbers = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return numbers

    def _bytes(self) -> bytes:
        (length,) = self._numbers("<I")
        self._at += length
        return self._data[self._at - length : self._at]

    def _text(self) -> str:
        return self._bytes().decode("utf-8")
