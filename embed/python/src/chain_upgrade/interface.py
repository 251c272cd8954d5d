"""The handler interface, version 1 (docs/abi.md): what a module may import and must export, and the metered section."""

from __future__ import annotations

from .advice import import_advice
from .errors import UpgradeError
from .limits import MEMORY_INITIAL_PAGES_MAX
from .manifest import Manifest
from .text import quote
from .wasm_shape import WasmShape

METERED_SECTION = "chain-upgrade.metered"
RESERVED_EXPORT_PREFIX = "chain-upgrade:"
GAS_EXPORT = "chain-upgrade:gas"
STACK_EXPORT = "chain-upgrade:stack"
REFUSED_EXPORT = "chain-upgrade:refused"
COUNTERS = (GAS_EXPORT, STACK_EXPORT, REFUSED_EXPORT)

#: By module and name.
OFFERED_IMPORTS = {
    ("chain", "store_get"): "(i32, i32, i32, i32, i32) -> i32",
    ("chain", "store_set"): "(i32, i32, i32, i32, i32) -> i32",
    ("chain", "store_delete"): "(i32, i32, i32) -> i32",
    ("chain", "store_write"): "(i32, i32) -> i32",
    ("chain", "store_scan"): "(i32, i32, i32, i32, i32, i32, i32) -> i32",
    ("chain", "log"): "(i32, i32, i32) -> ()",
    ("chain", "progress"): "(i64, i64) -> ()",
    ("chain", "fail"): "(i32, i32, i32) -> ()",
    ("env", "abort"): "(i32, i32, i32, i32) -> ()",
}

#: Functions that the host calls, the marker included, which it never calls: type, and whether it is required.
INTERFACE_EXPORTS = {
    "handler_abi_1": ("() -> ()", True),
    "handler_in": ("(i32) -> i32", True),
    "handler_out": ("(i32) -> i32", True),
    "handler_run": ("(i32) -> i32", True),
    "handler_batch": ("(i32, i32, i32) -> i32", False),
    "handler_check": ("(i32) -> i32", False),
    "handler_err": ("() -> i32", False),
    "_initialize": ("() -> ()", False),
}

_ADVICE = "put it in with `chaind handler meter FILE --out FILE`"


def metered_refusal(what: str) -> UpgradeError:
    """UPG_HANDLER_METERED, with what to do."""
    return UpgradeError("UPG_HANDLER_METERED", f"section {METERED_SECTION}: {what}; {_ADVICE}")


def section_payload(shape: WasmShape, name: str) -> list[bytes]:
    """Payloads of the custom sections of this name."""
    return [payload for section, payload in shape.customs if section == name]


def check_file(shape: WasmShape, manifest: Manifest) -> None:
    """The file as it is. Raises UPG_HANDLER_OPCODE, IMPORT, MEMORY, EXPORT."""
    if shape.has_start:
        what = "a start section is not allowed, it would run before gas is counted"
        raise UpgradeError("UPG_HANDLER_OPCODE", f"{what}; export the function as _initialize instead")
    _check_imports(shape)
    _check_memory(shape)
    _check_exports(shape, manifest)


def _check_imports(shape: WasmShape) -> None:
    for entry in shape.imports:
        offered = OFFERED_IMPORTS.get((entry.module, entry.name))
        name = quote(f"{entry.module}.{entry.name}")
        if offered is None:
            advice = import_advice(entry.module, entry.name, [".".join(key) for key in OFFERED_IMPORTS])
            raise UpgradeError("UPG_HANDLER_IMPORT", f"import {name} is not offered; {advice}")
        if entry.type != offered:
            what = f"import {entry.module}.{entry.name} has type {entry.type}, it is offered as {offered}"
            raise UpgradeError("UPG_HANDLER_IMPORT", what)


def _check_memory(shape: WasmShape) -> None:
    if not shape.memories:
        raise UpgradeError("UPG_HANDLER_MEMORY", "the module has no memory; define one and export it as memory")
    if len(shape.memories) > 1:
        raise UpgradeError("UPG_HANDLER_MEMORY", "more than one memory is not allowed")
    pages = shape.memories[0].minimum
    if pages > MEMORY_INITIAL_PAGES_MAX:
        what = f"the memory begins with {pages} pages, at most {MEMORY_INITIAL_PAGES_MAX} are allowed"
        raise UpgradeError("UPG_HANDLER_MEMORY", f"{what}; begin with less and grow")
    entry = shape.exports.get("memory")
    if entry is None:
        raise UpgradeError("UPG_HANDLER_EXPORT", "the module does not export its memory as memory")
    if entry.kind != "memory":
        raise UpgradeError("UPG_HANDLER_EXPORT", f"export memory is a {entry.kind}, it must be the memory")


def _check_exports(shape: WasmShape, manifest: Manifest) -> None:
    for name, (due, is_required) in INTERFACE_EXPORTS.items():
        entry = shape.exports.get(name)
        is_scan = name == "handler_batch" and len(manifest.scans) > 0
        if entry is None:
            if is_required or is_scan:
                why = ", since the manifest lists scans" if is_scan else ""
                raise UpgradeError("UPG_HANDLER_EXPORT", f"the module does not export {name} {due}{why}")
        elif entry.kind != "function":
            raise UpgradeError("UPG_HANDLER_EXPORT", f"export {name} is a {entry.kind}, it must be a function {due}")
        elif entry.is_import:
            what = f"export {name} is an import handed on; it must be the module's own"
            raise UpgradeError("UPG_HANDLER_EXPORT", what)
        elif entry.type != due:
            raise UpgradeError("UPG_HANDLER_EXPORT", f"export {name} has type {entry.type}, it must be {due}")
    for name in shape.exports:
        if name.startswith(RESERVED_EXPORT_PREFIX):
            what = f"export {quote(name)}: names that begin with {RESERVED_EXPORT_PREFIX} are the host's"
            raise UpgradeError("UPG_HANDLER_EXPORT", what)
