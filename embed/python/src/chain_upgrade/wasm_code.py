"""Bodies of functions of a valid module: bounds that keep a compiler's work small, and that no instruction is strange.

A compiler may take the square of what is nested or branches, so a few kilobytes could keep it for minutes. The numbers
are what metering makes, at most, of what a node takes (host/wasm/limits.ts, docs/gas.md).
"""

from __future__ import annotations

from .limits import (
    LOCALS_TOTAL_MAX,
    LOOP_NESTING_MAX,
    LOOPS_MAX,
    METERED_BODY_BYTES_MAX,
    METERED_BRANCH_LOCALS_MAX,
    METERED_BRANCHES_MAX,
    METERED_LOCALS_ADDED,
    METERED_LOCALS_MAX,
    METERED_NESTING_MAX,
)

_REFUSED, _PLAIN, _BLOCK, _ELSE, _END, _LABEL, _LABELS, _INDEX, _INDEXES, _PREFIX, _BRANCH, _BULK = range(12)
_LOOP, _CALL, _CALL_INDIRECT = 0x03, 0x10, 0x11
#: What metering adds at a call, and around a body, at most.
_BRANCHES_OF_CALL, _BRANCHES_AROUND = 2, 48
_VALUE_TYPES = b"\x7f\x7e"
_BLOCK_TYPES = b"\x40\x7f\x7e"
#: A loop is entered, begun again and left.
_LOOP_BRANCHES = 4
#: Immediates of the allowed instructions after 0xfc, each one LEB128: memory.init, data.drop, memory.copy, memory.fill.
_BULK_IMMEDIATES = {8: 2, 9: 1, 10: 2, 11: 1}


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
        (_BULK, (0x40, 0x40)),
        (_PREFIX, (0xFC, 0xFC)),
    ):
        for first, last in ranges:
            table[first : last + 1] = [kind] * (last + 1 - first)
    return table


_KINDS = _kinds()


def code_problem(content: bytes) -> str | None:
    """What is wrong with a code section, of a module that an engine found valid; None when nothing is."""
    count, at = _u32(content, 0)
    total = 0
    for index in range(count):
        size, at = _u32(content, at)
        if size > METERED_BODY_BYTES_MAX:
            return f"body {index} has {size} bytes, at most {METERED_BODY_BYTES_MAX} are allowed"
        end = at + size
        declared, at, problem = _locals(content, at)
        total += declared
        problem = problem or _body_problem(content, at, end, declared)
        if problem:
            return f"body {index}: {problem}"
        at = end
    if total > LOCALS_TOTAL_MAX + METERED_LOCALS_ADDED * count:
        return f"{total} locals in all functions together are more than are allowed"
    return None


def _locals(content: bytes, at: int) -> tuple[int, int, str | None]:
    declared = 0
    groups, at = _u32(content, at)
    for _ in range(groups):
        count, at = _u32(content, at)
        declared += count
        if content[at] not in _VALUE_TYPES:
            return declared, at, f"a local of type 0x{content[at]:x}: only i32 and i64 are allowed"
        at += 1
    problem = f"{declared} locals, at most {METERED_LOCALS_MAX} are allowed"
    return declared, at, problem if declared > METERED_LOCALS_MAX else None


def _body_problem(content: bytes, at: int, end: int, declared: int) -> str | None:
    """One loop over the instructions: it is the time that loading takes here."""
    kinds = _KINDS
    branches = calls = loops = open_loops = 0
    #: Of the open blocks, whether each is a loop.
    blocks: list[bool] = []
    while at < end:
        opcode = content[at]
        at += 1
        kind = kinds[opcode]
        if kind == _PLAIN:
            continue
        if kind in (_INDEX, _INDEXES, _LABEL, _BULK):
            while content[at] > 0x7F:
                at += 1
            at += 1
            if kind == _INDEX:
                calls += opcode == _CALL
                continue
            if kind == _INDEXES:
                calls += opcode == _CALL_INDIRECT
                while content[at] > 0x7F:
                    at += 1
                at += 1
                continue
            branches += 1
        elif kind == _END:
            if blocks:
                open_loops -= blocks.pop()
        elif kind == _BLOCK:
            if content[at] not in _BLOCK_TYPES:
                return f"a block of type 0x{content[at]:x}: only i32, i64 or none are allowed"
            at += 1
            is_loop = opcode == _LOOP
            blocks.append(is_loop)
            loops += is_loop
            open_loops += is_loop
            branches += _LOOP_BRANCHES if is_loop else 1
            if len(blocks) > METERED_NESTING_MAX:
                return f"blocks are nested deeper than {METERED_NESTING_MAX} levels"
            if loops > LOOPS_MAX or open_loops > LOOP_NESTING_MAX:
                return f"more than {LOOPS_MAX} loops, or more than {LOOP_NESTING_MAX} inside each other"
        elif kind in (_ELSE, _BRANCH):
            branches += 1
        elif kind == _LABELS:
            labels, at = _u32(content, at)
            branches += labels + 1
            if branches <= METERED_BRANCHES_MAX:
                at = _skip(content, at, labels + 1)
        elif kind == _PREFIX:
            number, at = _u32(content, at)
            if number not in _BULK_IMMEDIATES:
                return f"opcode 0xfc {number} is not allowed"
            at = _skip(content, at, _BULK_IMMEDIATES[number])
            branches += 1
        else:
            return f"opcode 0x{opcode:x} is not allowed"
        if branches > METERED_BRANCHES_MAX:
            return f"more than {METERED_BRANCHES_MAX} branches"
    # Two locals at most are the meter's.
    product = max(branches - _BRANCHES_OF_CALL * calls - _BRANCHES_AROUND, 0) * max(declared - 2, 0)
    if product > METERED_BRANCH_LOCALS_MAX:
        return f"branches × locals, without those of calls: {product}, at most {METERED_BRANCH_LOCALS_MAX} are allowed"
    return None


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
