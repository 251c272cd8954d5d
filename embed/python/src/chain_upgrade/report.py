"""What a run did. All of it is the same on every machine and in hosts of every language."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .messages import CheckResult


@dataclass(frozen=True)
class StoreReport:
    """What a handler did to one store, in operations of its own: a key written twice counts twice."""

    #: Puts.
    written: int
    #: Deletes, also of keys that were absent.
    deleted: int
    #: Keys and values of the puts, keys of the deletes.
    bytes: int
    #: SHA-256 (hex) of the final writes, ascending by key, each framed as a handler frames its output for store 0.
    sha256: str


@dataclass(frozen=True)
class Report:
    """Of a run that succeeded."""

    #: Gas used, by schedule `gas-2`.
    gas: int
    #: Stores that the handler may write, by name, ascending.
    stores: Mapping[str, StoreReport]
    #: The handler's own invariants; all of them held.
    checks: tuple[CheckResult, ...]
    #: The stored versions with what the manifest declares: what the chain stores after the upgrade.
    versions: Mapping[str, int]
    #: Pages of 64 KiB that the handler's memory had at its end, which is its peak.
    memory_pages: int


def writes_sha256(changes: Iterable[tuple[bytes, bytes | None]]) -> str:
    """Of final writes, ascending; None is a deletion."""
    digest = hashlib.sha256()
    for key, value in changes:
        if value is None:
            digest.update(struct.pack("<I", 1 << 30 | len(key)) + key)
        else:
            digest.update(struct.pack("<II", len(key), len(value)) + key + value)
    return digest.hexdigest()
