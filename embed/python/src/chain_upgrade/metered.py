"""The metered module against the file that carries it: what can be seen of it without a meter (docs/abi.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wasmtime import Engine, Module, WasmtimeError

from .errors import UpgradeError
from .growth import excess
from .interface import COUNTERS, METERED_SECTION, metered_refusal, section_payload
from .limits import MEMORY_PAGES_MAX
from .wasm_code import BodyCost, body_costs
from .wasm_shape import (
    CODE_SECTION,
    DATA_COUNT_SECTION,
    DATA_SECTION,
    ELEMENT_SECTION,
    TABLE_SECTION,
    TYPE_SECTION,
    Export,
    Limits,
    WasmShape,
    params_of,
    read_shape,
)

#: Sections that the meter leaves as they are, and what they hold.
_KEPT = {
    TYPE_SECTION: "types",
    TABLE_SECTION: "tables",
    ELEMENT_SECTION: "elements",
    DATA_COUNT_SECTION: "count of data segments",
    DATA_SECTION: "data",
}
#: Of the function that takes the place of memory.grow.
_GROW_TYPE = "(i32) -> i32"
_OTHER_TYPE = re.compile(r"\b(?!i32|i64)\w")
#: The counters' declarations, with what they hold at first.
_COUNTER_GLOBALS = [b"\x7e\x01\x42\x00\x0b", b"\x7f\x01\x41\x80\x80\x10\x0b", b"\x7f\x01\x41\x00\x0b"]
#: Of the meter's own: whether the memory is large.
_IS_SMALL, _IS_LARGE = b"\x7f\x01\x41\x00\x0b", b"\x7f\x01\x41\x01\x0b"
#: A memory of more pages is large: its loads cost more.
_NEAR_PAGES = 16


def metered_module(file: WasmShape, costs: Sequence[BodyCost], engine: Engine) -> bytes:
    """The module that runs, which ``engine`` may compile: valid, and bounded. Raises UPG_HANDLER_METERED."""
    found = section_payload(file, METERED_SECTION)
    if not found:
        raise metered_refusal("the file has none, and this host has no meter of its own")
    if len(found) > 1:
        raise metered_refusal(f"there are {len(found)}, one is due")
    try:
        metered = read_shape(found[0])
    except UpgradeError as cause:
        raise metered_refusal(cause.message) from cause
    problem = invalid(engine, found[0])
    if problem:
        raise metered_refusal(f"it is not a valid module: {problem}")
    problem = difference(metered, file)
    if problem is None:
        try:
            problem = excess(costs, costs_of(metered))
        except UpgradeError as cause:
            problem = cause.message
    if problem:
        raise metered_refusal(problem)
    return found[0]


def costs_of(shape: WasmShape) -> list[BodyCost]:
    """What each body asks of a compiler, of a module that an engine found valid. Raises UPG_HANDLER_OPCODE and LIMIT."""
    return body_costs(shape.sections.get(CODE_SECTION, b"\0"), [params_of(kind) for kind in shape.functions])


def invalid(engine: Engine, wasm: bytes) -> str | None:
    """Why the engine does not take a module; None when it does."""
    try:
        Module.validate(engine, wasm)
        return None
    except WasmtimeError as cause:
        return str(cause)


def difference(metered: WasmShape, file: WasmShape) -> str | None:
    """What is not as the meter makes it of the file; None when only bodies of functions may differ."""
    if metered.has_start:
        return "it has a start section"
    if metered.customs:
        return "it has custom sections"
    if metered.imports != file.imports:
        return "its imports are not those of the file"
    pages = file.memories[0]
    maximum = MEMORY_PAGES_MAX if pages.maximum is None else min(pages.maximum, MEMORY_PAGES_MAX)
    if metered.memories != [Limits(pages.minimum, maximum)]:
        return f"its memory has not {pages.minimum} to {maximum} pages"
    for section, held in _KEPT.items():
        if metered.sections.get(section) != file.sections.get(section):
            return f"its {held} are not those of the file"
    if metered.functions not in (file.functions, [*file.functions, _GROW_TYPE]):
        return f"its functions are not those of the file, and at most one more of type {_GROW_TYPE}"
    return _globals_problem(metered, file) or _exports_problem(metered, file)


def _globals_problem(metered: WasmShape, file: WasmShape) -> str | None:
    if any(_OTHER_TYPE.search(each) for each in (*metered.types, *metered.globals_types)):
        return "it uses other types than i32 and i64: floats, vectors and references are not allowed"
    count = len(file.globals)
    if metered.globals[:count] != file.globals:
        return "its globals are not those of the file, with what they hold at first"
    is_large = file.memories[0].minimum > _NEAR_PAGES
    if metered.globals[count:] != [*_COUNTER_GLOBALS, _IS_LARGE if is_large else _IS_SMALL]:
        counters = ", ".join(COUNTERS)
        return f"after the file's globals it has not the counters {counters} with what they hold at first, and the meter's own"
    return None


def _exports_problem(metered: WasmShape, file: WasmShape) -> str | None:
    entries = list(metered.exports.items())
    own, added = entries[: len(file.exports)], entries[len(file.exports) :]
    if own != list(file.exports.items()):
        return "its exports are not those of the file, in their order"
    first = len(file.globals)
    if added != [(name, Export("global", "", False, first + i)) for i, name in enumerate(COUNTERS)]:
        return f"after the file's it does not export the counters {', '.join(COUNTERS)}"
    return None
