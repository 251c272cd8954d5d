"""Handler files with bytes changed, lost and put in: each is refused or comes to an end, by an error of ours.

PYTHONPATH=src python -m tests.fuzz_files SEED COUNT
"""

from __future__ import annotations

import collections
import random
import sys
import threading

from chain_upgrade import Cancel, Handler, Input, MemoryStore, Timestamp, UpgradeError
from chain_upgrade.wire import varint

from . import vectors
from .guests import METERED_SECTION
from .handler_case import Cases

GUESTS = ("re-key", "split-balances", "prefix-delete")
#: What a changed module may take.
SECONDS = 2


def changed(file: bytes, chance: random.Random) -> bytes:
    data = bytearray(file)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(data))
        kind = chance.randrange(4)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at] = chance.randrange(256)
        elif kind == 2:
            del data[at : at + chance.randrange(1, 9)]
        else:
            data[at:at] = chance.randbytes(chance.randrange(1, 6))
    return bytes(data)


def without_metered(file: bytes) -> bytes:
    """Less is refused of a file that carries no metered module. It is the last section."""
    name = file.rindex(METERED_SECTION.encode()) - 1
    return file[: name - len(varint(len(file) - name)) - 1]


def outcome(file: bytes) -> str:
    try:
        handler = Handler.load(file)
    except UpgradeError as error:
        return error.code
    pairs = {bytes([1, i, j]): b"x" * i for i in range(20) for j in range(3)}
    stores = {store.name: MemoryStore(pairs) for store in handler.manifest.stores}
    versions = {module: each.taken[0] for module, each in handler.manifest.versions.items() if each.taken}
    cancel = Cancel()
    timer = threading.Timer(SECONDS, cancel.cancel)
    timer.start()
    try:
        handler.run(Input("fuzz-1", 5, Timestamp(7), b"", versions, stores, guards=False, cancel=cancel))
        return "ran to its end"
    except UpgradeError as error:
        return f"ran: {error.code}"
    finally:
        timer.cancel()


def main(seed: int, count: int) -> None:
    chance = random.Random(seed)
    cases = Cases(vectors.read("handler-cases"))
    files = [cases.file(name) for name in GUESTS]
    files += [without_metered(file) for file in files]
    outcomes = collections.Counter(outcome(changed(chance.choice(files), chance)) for _ in range(count))
    for name, times in outcomes.most_common():
        print(f"{times:6} {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
