"""What bodies of functions ask of a compiler (docs/gas.md, "Compilers"), and that no instruction is strange.

A compiler may take the square of what is nested or branches, so a few kilobytes could keep it for minutes. They are counted
as the node counts them, but for operands, whose number the types decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import UpgradeError
from .limits import BR_TABLE_LABELS_MAX

_REFUSED, _PLAIN, _BLOCK, _ELSE, _END, _LABEL, _LABELS, _INDEX, _INDEXES, _PREFIX, _BRANCH, _GROW = range(12)
_LOOP, _CALL, _CALL_INDIRECT = 0x03, 0x10, 0x11
_VALUE_TYPES = b"\x7f\x7e"
_BLOCK_TYPES = b"\x40\x7f\x7e"
#: A loop is entered, begun again and left.
_LOOP_BRANCHES = 4
#: Immediates of the allowed instructions after 0xfc, each one LEB128: memory.init, data.drop, memory.copy, memory.fill.
_BULK_IMMEDIATES = {8: 2, 9: 1, 10: 2, 11: 1}
_DATA_DROP = 9


@dataclass
class BodyCost:
    """Of one body."""

    bytes: int = 0
    #: Declared ones.
    locals: int = 0
    params: int = 0
    #: Blocks inside each other.
    depth: int = 0
    loops: int = 0
    loop_depth: int = 0
    #: Each block, loop, if, else, return, bulk operation, division and label of a branch.
    branches: int = 0
    #: Instructions that make one; a local that is read is a value that existed before.
    values: int = 0
    calls: int = 0


def _kinds() -> list[int]:
    """What follows an opcode. Anything else than WebAssembly 1.0 without floats and sign extension is refused."""
    table = [_REFUSED] * 256
    for kind, *ranges in (
        (_PLAIN, (0x00, 0x01), (0x1A, 0x1B), (0x45, 0x5A), (0x67, 0x8A), (0xA7, 0xA7), (0xAC, 0xAD), (0xC0, 0xC4)),
        (_BLOCK, (0x02, 0x04)),
        (_ELSE, (0x05, 0x05)),
        (_END, (0x0B, 0x0B)),
        (_LABEL, (0x0C, 0x0D)),
        (_LABELS, (0x0E, 0x0E)),
        # Calls, locals, globals, constants, and the size of memory: one LEB128.
        (_INDEX, (0x10, 0x10), (0x20, 0x24), (0x3F, 0x3F), (0x41, 0x42)),
        # Indirect calls, loads, stores: two.
        (_INDEXES, (0x11, 0x11), (0x28, 0x29), (0x2C, 0x37), (0x3A, 0x3E)),
        # Return, divisions and remainders; memory.grow has an index too.
        (_BRANCH, (0x0F, 0x0F), (0x6D, 0x70), (0x7F, 0x82)),
        (_GROW, (0x40, 0x40)),
        (_PREFIX, (0xFC, 0xFC)),
    ):
        for first, last in ranges:
            table[first : last + 1] = [kind] * (last + 1 - first)
    return table


def _makers() -> list[int]:
    """By opcode: 1 for what makes a value. Calls, select, globals, loads, the size of memory, constants, numeric ones."""
    table = [0] * 256
    for first, last in ((0x10, 0x11), (0x1B, 0x1B), (0x23, 0x23), (0x28, 0x35), (0x3F, 0xC4)):
        table[first : last + 1] = [1] * (last + 1 - first)
    return table


_KINDS = _kinds()
_MAKES_VALUE = _makers()


def body_costs(content: bytes, params: Sequence[int]) -> list[BodyCost]:
    """Of a code section, of a module that an engine found valid; ``params`` are those of its functions, in their order.

    Raises UPG_HANDLER_OPCODE for what is not allowed, UPG_HANDLER_LIMIT for a ``br_table`` of too many labels.
    """
    costs = []
    count, at = _u32(content, 0)
    for index in range(count):
        size, at = _u32(content, at)
        cost = BodyCost(bytes=size, params=params[index])
        end = at + size
        try:
            _count_instructions(content, _count_locals(content, at, cost), end, cost)
        except UpgradeError as error:
            raise UpgradeError(error.code, f"body {index}: {error.message}") from error
        costs.append(cost)
        at = end
    return costs


def _refused(what: str) -> UpgradeError:
    return UpgradeError("UPG_HANDLER_OPCODE", f"{what} is not allowed")


def _count_locals(content: bytes, at: int, cost: BodyCost) -> int:
    groups, at = _u32(content, at)
    for _ in range(groups):
        count, at = _u32(content, at)
        cost.locals += count
        if content[at] not in _VALUE_TYPES:
            raise _refused(f"a local of type 0x{content[at]:x}, only i32 and i64 are: another")
        at += 1
    return at


def _count_instructions(content: bytes, at: int, end: int, cost: BodyCost) -> None:
    """One loop over the instructions: it is the time that loading takes here."""
    kinds, makes_value = _KINDS, _MAKES_VALUE
    branches = values = calls = open_loops = 0
    #: Of the open blocks, whether each is a loop.
    blocks: list[bool] = []
    while at < end:
        opcode = content[at]
        at += 1
        kind = kinds[opcode]
        values += makes_value[opcode]
        if kind == _PLAIN:
            continue
        if kind in (_INDEX, _INDEXES, _LABEL, _GROW):
            while content[at] > 0x7F:
                at += 1
            at += 1
            if kind == _INDEX:
                calls += opcode == _CALL
            elif kind == _INDEXES:
                calls += opcode == _CALL_INDIRECT
                while content[at] > 0x7F:
                    at += 1
                at += 1
            else:
                branches += 1
        elif kind == _END:
            if blocks:
                open_loops -= blocks.pop()
        elif kind == _BLOCK:
            if content[at] not in _BLOCK_TYPES:
                raise _refused(f"a block of type 0x{content[at]:x}, only i32, i64 or none are: another")
            at += 1
            is_loop = opcode == _LOOP
            blocks.append(is_loop)
            cost.loops += is_loop
            open_loops += is_loop
            branches += _LOOP_BRANCHES if is_loop else 1
            cost.depth = max(cost.depth, len(blocks))
            cost.loop_depth = max(cost.loop_depth, open_loops)
        elif kind in (_ELSE, _BRANCH):
            branches += 1
        elif kind == _LABELS:
            labels, at = _u32(content, at)
            if labels > BR_TABLE_LABELS_MAX:
                what = f"a br_table of {labels} labels, at most {BR_TABLE_LABELS_MAX} are allowed"
                raise UpgradeError("UPG_HANDLER_LIMIT", what)
            # The last one is that of every other number.
            branches += labels + 1
            at = _skip(content, at, labels + 1)
        elif kind == _PREFIX:
            number, at = _u32(content, at)
            if number not in _BULK_IMMEDIATES:
                raise _refused(f"opcode 0xfc {number}")
            at = _skip(content, at, _BULK_IMMEDIATES[number])
            branches += number != _DATA_DROP
        else:
            raise _refused(f"opcode 0x{opcode:x}")
    cost.branches, cost.values, cost.calls = branches, values, calls


def _skip(content: bytes, at: int, numbers: int) -> int:
    for _ in range(numbers):
        _, at = _u32(content, at)
    return at


def _u32(content: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128, and where it ends. The engine has seen that it is one."""
    value = shift = 0
    while content[at] > 0x7F:
        value |= (content[at] & 0x7F) << shift
        shift += 7
        at += 1
    return value | content[at] << shift, at + 1
