"""This host's verdicts on files of a campaign, and what running the taken ones gives: `npm run embed:mutated` compares all hosts.

PYTHONPATH=src python -m tests.mutated_files FILES VERDICTS RUNS
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from chain_upgrade import Handler, Input, MemoryStore, Timestamp, UpgradeError, encode_receipt, receipt_of

GAS = 3_000_000
FILE_BYTE_GAS = 1_000


def files(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def refused(error: UpgradeError) -> dict[str, str]:
    place = {name: str(error.details.get(name, "")) for name in ("function", "offset")}
    return {"code": error.code, **place}


def ran(handler: Handler, size: int) -> dict[str, str]:
    """Over empty stores."""
    manifest = handler.manifest
    stores = {store.name: MemoryStore({}) for store in manifest.stores}
    versions = {module: each.taken[0] for module, each in manifest.versions.items() if each.taken}
    limit = GAS + FILE_BYTE_GAS * size
    try:
        given = Input("test-1", 7, Timestamp(1_700_000_000), b"", versions, stores, gas_limit=limit, guards=False)
        report = handler.run(given).report
    except UpgradeError as error:
        return {"end": error.code, "gas": str(error.details.get("gas", "")), "receipt": ""}
    receipt = encode_receipt(receipt_of(handler, 7, report))
    return {"end": "done", "gas": str(report.gas), "receipt": hashlib.sha256(receipt).hexdigest()}


def main(source: str, target: str, runs: int) -> None:
    verdicts: list[dict[str, object]] = []
    seconds = 0.0
    for count, file in enumerate(files(Path(source).read_bytes())):
        start = time.perf_counter()
        try:
            handler = Handler.load(file)
        except UpgradeError as error:
            seconds += time.perf_counter() - start
            verdicts.append({**refused(error)})
            continue
        seconds += time.perf_counter() - start
        verdicts.append({**ran(handler, len(file))} if runs > 0 and count % runs == 0 else {})
    verdicts.append({"milliseconds": seconds * 1e3})
    Path(target).write_text("".join(json.dumps(each) + "\n" for each in verdicts))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
