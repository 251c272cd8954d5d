"""Bodies that are dear to compile: what one of a file may ask at most, and how much more the meter makes of it.

A module that no meter made could keep a compiler for minutes, so a metered module is held to this before it is compiled.
docs/abi.md has the numbers, and the repository's test/guest/metered-growth.test.ts holds the meter to them.

The meter copies a body and puts code in. Around it, once: two locals, two blocks, the price of the entry, a look at the
stack, and what is given back at the end. At each place where control splits or joins it may take a price, the price of far
loads (an ``if``), and look whether gas is left (a ``br_if``): 50 bytes, 2 branches, 10 values. An ``if``, which is one branch,
has two such places. A call hands the gas over and back, and far loads may be priced again after it. A ``memory.grow``, a
branch, becomes a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .errors import UpgradeError
from .limits import (
    BODY_BYTES_MAX,
    BRANCH_VALUES_MAX,
    BRANCH_VARIABLES_MAX,
    BRANCHES_MAX,
    BRANCHES_TOTAL_MAX,
    CALLS_MAX,
    LOCALS_MAX,
    LOCALS_TOTAL_MAX,
    LOOP_NESTING_MAX,
    LOOPS_MAX,
    NESTING_MAX,
    VALUES_MAX,
)
from .wasm_code import BodyCost


class Growth(NamedTuple):
    """How much more than the plain body: so much once, for each of its branches, for each of its calls."""

    what: str
    once: int
    of_branch: int
    of_call: int
    of: Callable[[BodyCost], int]


GROWTHS = (
    Growth("bytes", 110, 100, 31, lambda cost: cost.bytes),
    Growth("locals", 2, 0, 0, lambda cost: cost.locals),
    Growth("blocks inside each other", 3, 0, 0, lambda cost: cost.depth),
    Growth("loops", 0, 0, 0, lambda cost: cost.loops),
    Growth("loops inside each other", 0, 0, 0, lambda cost: cost.loop_depth),
    Growth("branches", 6, 4, 1, lambda cost: cost.branches),
    Growth("values", 22, 20, 4, lambda cost: cost.values),
    Growth("calls", 0, 1, 0, lambda cost: cost.calls),
)


def excess(file: Sequence[BodyCost], metered: Sequence[BodyCost]) -> str | None:
    """The first body of which the meter would not make so much; None when there is none."""
    for index, cost in enumerate(metered):
        # The one that it adds, in place of memory.grow, is made of none.
        plain = file[index] if index < len(file) else BodyCost()
        for what, once, of_branch, of_call, of in GROWTHS:
            count, most = of(cost), of(plain) + once + of_branch * plain.branches + of_call * plain.calls
            if count > most:
                return f"its body {index} has {what}: {count}, metering makes at most {most} of the file's"
    return None


def require_cheap(costs: Sequence[BodyCost]) -> None:
    """The bodies of the file itself, as the node takes them. Raises UPG_HANDLER_LIMIT."""
    all_locals = all_branches = 0
    for index, cost in enumerate(costs):
        all_locals += cost.locals
        all_branches += cost.branches
        variables = cost.params + cost.locals
        for what, count, most in (
            ("bytes", cost.bytes, BODY_BYTES_MAX),
            ("locals", cost.locals, LOCALS_MAX),
            ("locals in all functions together", all_locals, LOCALS_TOTAL_MAX),
            ("blocks inside each other", cost.depth, NESTING_MAX),
            ("branches", cost.branches, BRANCHES_MAX),
            ("branches in all functions together", all_branches, BRANCHES_TOTAL_MAX),
            ("loops", cost.loops, LOOPS_MAX),
            ("loops inside each other", cost.loop_depth, LOOP_NESTING_MAX),
            ("values", cost.values, VALUES_MAX),
            ("calls", cost.calls, CALLS_MAX),
            ("branches × parameters and locals", cost.branches * variables, BRANCH_VARIABLES_MAX),
            ("branches × values", cost.branches * (variables + cost.values), BRANCH_VALUES_MAX),
        ):
            if count > most:
                refused = f"body {index}: {what}: {count}, at most {most} are allowed; split the function"
                raise UpgradeError("UPG_HANDLER_LIMIT", refused)
