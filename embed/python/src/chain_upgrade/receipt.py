"""The record that an upgrade by a Wasm handler leaves under its name: protobuf, `chain.upgrade.v1.Receipt`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import UpgradeError
from .gas import GAS_SCHEDULE
from .handler import Handler
from .limits import INT64_MAX
from .report import Report
from .text import encode_text
from .wire import BYTES, VARINT, Field, bytes_field, int_field, message_field, single_fields, wire_fields


_SHA256_BYTES = 32


@dataclass(frozen=True)
class RootChange:
    """Roots of a store before this block and in its commit; empty where a chain has none at this point."""

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
    """For `Core.set_receipt`."""
    head = bytes_field(1, encode_text(receipt.plan)) + int_field(2, receipt.height)
    head += bytes_field(3, bytes.fromhex(receipt.handler_sha256)) + int_field(4, receipt.abi)
    head += bytes_field(5, encode_text(receipt.gas_schedule)) + int_field(6, receipt.gas)
    stores = b"".join(message_field(7, _encode_store(each)) for each in receipt.stores)
    return head + stores + b"".join(message_field(8, encode_text(name)) for name in receipt.checks)


def _encode_store(store: StoreReceipt) -> bytes:
    numbers = int_field(2, store.written) + int_field(3, store.deleted) + int_field(4, store.bytes)
    roots = bytes_field(5, store.roots.before) + bytes_field(6, store.roots.after)
    writes = bytes_field(7, bytes.fromhex(store.writes_sha256))
    return bytes_field(1, encode_text(store.name)) + numbers + roots + writes


def decode_receipt(data: bytes) -> Receipt:
    """Raises UPG_STORE_CORRUPT."""
    types = [BYTES, VARINT, BYTES, VARINT, BYTES, VARINT, BYTES, BYTES]
    fields = wire_fields(data, types, _refuse)
    last = {field.number: field for field in fields}
    height = _number(last.get(2))
    return Receipt(
        plan=_text(last.get(1)),
        height=height - (1 << 64) if height > INT64_MAX else height,
        handler_sha256=(last[3].data if 3 in last else b"").hex(),
        abi=_number(last.get(4)),
        gas_schedule=_text(last.get(5)),
        gas=_number(last.get(6)),
        stores=tuple(_decode_store(field.data) for field in fields if field.number == 7),
        checks=tuple(_text(field) for field in fields if field.number == 8),
    )


def _decode_store(data: bytes) -> StoreReceipt:
    name, written, deleted, count, before, after, writes = single_fields(
        data, [BYTES, VARINT, VARINT, VARINT, BYTES, BYTES, BYTES], _refuse
    )
    digest = writes.data if writes else b""
    if len(digest) not in (0, _SHA256_BYTES):
        raise _refuse(f"a digest of {len(digest)} bytes")
    roots = RootChange(before.data if before else b"", after.data if after else b"")
    return StoreReceipt(_text(name), _number(written), _number(deleted), _number(count), roots, digest.hex())


def _number(field: Field | None) -> int:
    return field.value if field else 0


def _text(field: Field | None) -> str:
    try:
        return (field.data if field else b"").decode("utf-8")
    except UnicodeDecodeError as cause:
        raise _refuse("a text is not UTF-8") from cause


def _refuse(what: str) -> UpgradeError:
    return UpgradeError("UPG_STORE_CORRUPT", f"a receipt cannot be decoded: {what}")
