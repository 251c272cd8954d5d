"""One instance of a handler: instantiated, called, dropped. Whatever a call raises ends the run."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from wasmtime import Engine, Module, Trap, TrapCode, WasmtimeError

from .engine import GlobalCell, HostFunction, Instance
from .errors import UpgradeError, require
from .failures import cancelled, engine_failure, failed, run_failure, trap
from .gas import HOST_CALL, STACK_BUDGET, GasCounter
from .limits import BATCH_BYTES, BATCH_OUT_BYTES, FAIL_MESSAGE_BYTES_MAX, PAGE_BYTES
from .text import guest_text

_U32 = 0xFFFFFFFF
#: Globals that a metered module exports.
GAS_EXPORT = "chain-upgrade:gas"
STACK_EXPORT = "chain-upgrade:stack"
REFUSED_EXPORT = "chain-upgrade:refused"


class Guest:
    """The instance, its memory and its counters. ``memory`` is good while the host runs."""

    def __init__(
        self, engine: Engine, module: Module, imports: Mapping[tuple[str, str], HostFunction], gas: GasCounter
    ) -> None:
        """Raises UPG_HANDLER_ENGINE when the engine cannot instantiate it: the checks leave no other reason."""
        self._gas = gas
        try:
            self._instance = Instance(engine, module, imports)
        except (WasmtimeError, Trap, MemoryError) as cause:
            raise engine_failure("the engine could not instantiate the handler", cause) from cause
        cells = self._instance.globals
        self._left: GlobalCell = cells[GAS_EXPORT]
        self._stack: GlobalCell = cells[STACK_EXPORT]
        self._refused: GlobalCell = cells[REFUSED_EXPORT]
        require(self._instance.memory is not None, "a checked handler has no memory")
        self.memory = self._instance.memory

    def close(self) -> None:
        self._instance.close()

    @property
    def pages(self) -> int:
        return self.memory.size // PAGE_BYTES if self.memory else 0

    def has(self, name: str) -> bool:
        return name in self._instance.functions

    def enter(self) -> None:
        """Control comes to the host."""
        self._gas.left = self._left.value
        if self.memory:
            self.memory.look()

    def leave(self) -> None:
        """Control goes back to the guest."""
        self._left.value = self._gas.left

    def call(self, name: str, *args: int) -> int:
        """Calls an export; an i32 with its sign, 0 for none.

        Raises UPG_MIGRATION_OUT_OF_GAS, UPG_HANDLER_STACK, UPG_HANDLER_TRAP, UPG_MIGRATION_FAILED (fail, abort),
        UPG_HANDLER_ENGINE (the engine gave up).
        """
        function = self._instance.functions[name]
        self._gas.charge(HOST_CALL, name)
        self.leave()
        try:
            result = function(*args)
        except Trap as cause:
            self.enter()
            raise self._stopped(cause, name) from cause
        except WasmtimeError as cause:
            self.enter()
            raise engine_failure(f"the engine gave up in {name}", cause) from cause
        self.enter()
        self._gas.require_rest(name)
        return result

    def _stopped(self, cause: Trap, call: str) -> UpgradeError:
        """Why a call ended that no host function ended."""
        if cause.trap_code is TrapCode.INTERRUPT:
            return cancelled(call)
        if self._refused.value == 1:
            return engine_failure(f"the engine had no memory for the handler in {call}", cause.message)
        if self._gas.left < 0:
            return self._gas.out_of_gas(call)
        if self._stack.value < 0:
            what = f"{STACK_BUDGET} abstract bytes of stack are used up; loop instead of recursing"
            message = f"the handler called itself too deeply in {call}: {what}"
            return UpgradeError("UPG_HANDLER_STACK", message, {"call": call})
        return run_failure(cause, call)

    def call_for_length(self, name: str, *args: int) -> int:
        """The same for the exports that return a length. Raises UPG_MIGRATION_FAILED below 0."""
        result = self.call(name, *args)
        if result >= 0:
            return result
        details = {"call": name, "answer": str(-result)}
        record = self._error_record()
        said = f": {record['message']} (code {record['code']})" if record else ""
        raise failed(f"{name} returned {result}{said}", {**details, **(record or {})})

    def _error_record(self) -> dict[str, str] | None:
        """What `handler_err` returns; None without it, and when it breaks too: the result below 0 is the failure."""
        if not self.has("handler_err"):
            return None
        try:
            at = self.call("handler_err") & _U32
            code, length = struct.unpack("<II", self.read(at, 8, "the record of handler_err"))
            self.require(at + 8, length, "the message of handler_err")
            # No more than is shown, and the bytes that show where a character ends.
            shown = self.read(at + 8, min(length, FAIL_MESSAGE_BYTES_MAX + 4), "the message of handler_err")
            return {"code": str(code), "message": guest_text(shown, FAIL_MESSAGE_BYTES_MAX)}
        except UpgradeError as error:
            if error.code == "UPG_HANDLER_ENGINE":
                raise
            return None

    # Memory, as the host may touch it: every range is checked before it is used

    def require(self, at: int, length: int, what: str) -> None:
        """Both unsigned. Raises UPG_HANDLER_TRAP when the range does not lie in the memory."""
        if self.memory is None or not self.memory.has(at, length):
            size = self.memory.size if self.memory else 0
            raise trap(f"{what}: bytes {at} to {at + length} lie outside the memory of {size} bytes")

    def read(self, at: int, length: int, what: str) -> bytes:
        self.require(at, length, what)
        assert self.memory is not None
        return self.memory.read(at, length)

    def read_at_most(self, at: int, length: int, what: str, length_max: int) -> bytes:
        """Raises UPG_HANDLER_TRAP for more, before anything is copied."""
        if length > length_max:
            raise trap(f"{what} of {length} bytes, at most {length_max} are allowed")
        return self.read(at, length, what)

    def write(self, at: int, data: bytes, what: str) -> None:
        self.require(at, len(data), what)
        assert self.memory is not None
        self.memory.write(at, data)


class GuestBuffers:
    """The two buffers that a guest owns: inputs are written to one, outputs read from the other."""

    def __init__(self, guest: Guest, gas: GasCounter) -> None:
        """Asks for both once: `handler_in(65536)`, then `handler_out(262144)`."""
        self._guest = guest
        self._gas = gas
        self._in = self._ask("handler_in", BATCH_BYTES)
        self._in_bytes = BATCH_BYTES
        self._out = self._ask("handler_out", BATCH_OUT_BYTES)

    def give(self, data: bytes) -> None:
        """Writes an input; one larger than ever before asks the guest for a larger buffer first."""
        self._gas.charge(len(data), "its input")
        if len(data) > self._in_bytes:
            self._in = self._ask("handler_in", len(data))
            self._in_bytes = len(data)
        self._guest.write(self._in, data, "the buffer of handler_in")

    def output(self, length: int, call: str) -> bytes:
        """A copy of an output."""
        if length > BATCH_OUT_BYTES:
            raise trap(f"{call} returned {length}, its buffer has {BATCH_OUT_BYTES} bytes")
        self._gas.charge(length, call)
        return self._guest.read(self._out, length, "the buffer of handler_out")

    def _ask(self, name: str, length: int) -> int:
        at = self._guest.call(name, length) & _U32
        if at == 0:
            raise failed(f"{name}({length}) refused: the handler has no room for its buffer", {"call": name})
        self._guest.require(at, length, f"the buffer of {name}({length})")
        return at
