"""How a run ends when it does not succeed.

What the guest did is the same on every host and has a class; what the engine or the machine could not do is not, and
must never be taken for a result: it says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from wasmtime import Trap, TrapCode

from .errors import UpgradeError

_TRAP_CLASSES = {
    TrapCode.UNREACHABLE: "unreachable",
    TrapCode.TABLE_OUT_OF_BOUNDS: "bad indirect call",
    TrapCode.INDIRECT_CALL_TO_NULL: "bad indirect call",
    TrapCode.BAD_SIGNATURE: "bad indirect call",
    TrapCode.MEMORY_OUT_OF_BOUNDS: "memory out of bounds",
    TrapCode.INTEGER_OVERFLOW: "integer overflow",
    TrapCode.BAD_CONVERSION_TO_INTEGER: "integer overflow",
    TrapCode.INTEGER_DIVISION_BY_ZERO: "division by zero",
}


def trap(what: str) -> UpgradeError:
    """The guest broke a rule of the interface: the run ends, and the guest cannot catch it."""
    return UpgradeError("UPG_HANDLER_TRAP", f"the handler broke its interface: {what}", {"trap": what})


def failed(what: str, details: Mapping[str, str] | None = None) -> UpgradeError:
    """The handler said no."""
    return UpgradeError("UPG_MIGRATION_FAILED", f"the handler failed: {what}", details)


def engine_failure(what: str, cause: object) -> UpgradeError:
    """Of this engine or machine."""
    advice = "another node may not see it; free memory or use another machine, and start again"
    message = f"{what}: {cause}. This is a limit of this engine or machine, not a result of the handler: {advice}"
    return UpgradeError("UPG_HANDLER_ENGINE", message)


def cancelled(call: str) -> UpgradeError:
    """Somebody called `Cancel.cancel`."""
    message = f"the run was cancelled in {call}; nothing was written, and it says nothing about the handler"
    return UpgradeError("UPG_HANDLER_ENGINE", message, {"call": call})


def run_failure(cause: Trap, call: str) -> UpgradeError:
    """A trap that neither the meter nor the host made."""
    code = cause.trap_code
    if code is TrapCode.STACK_OVERFLOW:
        return engine_failure(f"the engine gave up in {call}", "its stack is used up")
    name = _TRAP_CLASSES.get(code, "trap") if code else "trap"
    return UpgradeError("UPG_HANDLER_TRAP", f"the handler trapped in {call}: {name}", {"trap": name, "call": call})
