"""Gas schedule `gas-2` (docs/gas.md): what the host charges, and the count of one run.

While the guest runs, the metered code keeps the count in its global; while the host runs, it is here. So there is one
count and one end, and a look into the instance is due only where control passes.
"""

from __future__ import annotations

from .errors import UpgradeError

GAS_SCHEDULE = "gas-2"

FILE_BYTE = 1_000
HOST_CALL = 2_000
STORE_GET = 200_000
STORE_SCAN = 200_000
SCAN_PAIR = 2_000
SCAN_PASSED = 1_000
SCAN_PASSED_BYTE = 8
PUT = 12_000
DELETE = 12_000
WRITE_ALONE = 70_000
#: The first writes of a run cost WRITE_ALONE more.
WRITES_ALONE = 10_000
STORE_WRITE = 600
LOG = 4_000
LOG_BYTE = 100
PROGRESS = 300
BYTE = 1
LONG_BYTE = 12
_LONG_BYTES = 1_024

#: Abstract bytes of stack that calls may use together.
STACK_BUDGET = 262_144


def long_price(length: int) -> int:
    """What the length of a key, or of a value that is written, costs besides its bytes."""
    return (length - _LONG_BYTES) * LONG_BYTE if length > _LONG_BYTES else 0


class GasCounter:
    """What is left of a run's limit; below 0 it is gone."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    @property
    def used(self) -> int:
        """At most the limit."""
        return self.limit - max(self.left, 0)

    def charge(self, price: int, what: str) -> None:
        """Raises UPG_MIGRATION_OUT_OF_GAS before the host does what the price is for."""
        self.left -= price
        if self.left < 0:
            raise self.out_of_gas(what)

    def require_rest(self, call: str) -> None:
        """Metered code may end with a debt, which it would have found at the next check."""
        if self.left < 0:
            raise self.out_of_gas(call)

    def out_of_gas(self, what: str) -> UpgradeError:
        advice = "the handler does more work than its manifest allows; a higher gasLimit makes another handler"
        message = f"the handler used up its gas of {self.limit} in {what}: {advice}"
        return UpgradeError("UPG_MIGRATION_OUT_OF_GAS", message, {"limit": str(self.limit), "call": what})
