"""The only file that touches core.wasm: instantiates it, moves bytes in and out, and makes errors of what it returns.

A trap poisons the instance: it is dropped, and the next call gets a fresh one.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from wasmtime import Engine, Module, Trap, WasmtimeError

from .codes import CODES
from .engine import Function, HostFunction, Instance, new_engine
from .errors import ABSENT, UpgradeError, code_of
from .overlay import Overlay
from .text import decode_lossy

_ABI_MAJOR = 1
_U32 = 0xFFFFFFFF
_TRAP_NUMBER = CODES["UPG_BUG_CORE_TRAP"][0]
_SYSTEM = ("core_abi", "core_scratch", "core_scratch_cap", "core_alloc", "core_reset", "core_err", "_initialize")
#: Parameters and results of what the core imports.
_IMPORTS = {"get": (4, 1), "set": (4, 0), "delete": (2, 0), "seek": (6, 1)}

Result = TypeVar("Result")


class CoreInstance:
    """core.wasm over one store at a time."""

    def __init__(self, wasm: bytes) -> None:
        """Raises UPG_BUG_CORE_ABI when the bytes are not a core of this interface."""
        self._engine = new_engine()
        try:
            self._module = Module(self._engine, wasm)
        except WasmtimeError as cause:
            raise _abi("core.wasm is not a valid WebAssembly module") from cause
        known = all(entry.module == "kv" and entry.name in _IMPORTS for entry in self._module.imports)
        if not known:
            raise _abi("core.wasm imports more than kv.get, set, delete and seek")
        self._lock = threading.RLock()
        self._is_running = False
        self._live: Live | None = Live(self._engine, self._module)

    def __del__(self) -> None:
        # The instance and its host functions hold each other: 4 GiB of addresses would wait for the collector.
        live: Live | None = getattr(self, "_live", None)
        if live:
            live.close()

    def close(self) -> None:
        """Gives the instance's memory back; a later call makes another."""
        with self._lock:
            if self._is_running:
                raise UpgradeError("UPG_BUG_ASSERT", "a store closed the core that was just reading or writing it")
            if self._live:
                self._live.close()
            self._live = None

    def run(self, branch: Overlay | None, operation: Callable[[Live], Result]) -> Result:
        """Runs one operation on a store; without one only what is pure."""
        with self._lock:
            if self._is_running:
                raise UpgradeError("UPG_BUG_ASSERT", "a store called the core that was just reading or writing it")
            live = self._live = self._live or Live(self._engine, self._module)
            self._is_running = True
            try:
                live.begin(branch)
                return operation(live)
            finally:
                self._is_running = False
                live.branch = None
                if live.is_poisoned:
                    self.close()


class Live:
    """One instance of the core, while an operation runs on it."""

    def __init__(self, engine: Engine, module: Module) -> None:
        self.branch: Overlay | None = None
        self.is_poisoned = False
        self._scratch_used = 0
        calls: dict[str, Callable[..., int | None]] = {
            "get": self._get,
            "set": self._set,
            "delete": self._delete,
            "seek": self._seek,
        }
        imports = {
            ("kv", name): HostFunction(["i32"] * params, ["i32"] * results, _unsigned(calls[name]))
            for name, (params, results) in _IMPORTS.items()
        }
        try:
            self._instance = Instance(engine, module, imports)
        except (WasmtimeError, Trap) as cause:
            raise _abi("core.wasm cannot be instantiated") from cause
        if self._instance.memory is None:
            raise _abi("core.wasm has no memory")
        self._memory = self._instance.memory
        for name in _SYSTEM:
            self._function(name)
        self._raw("_initialize")
        major = self._raw("core_abi") >> 16
        if major != _ABI_MAJOR:
            raise _abi(f"core.wasm speaks interface {major}, this host {_ABI_MAJOR}")
        self._scratch = self._raw("core_scratch") & _U32
        self._scratch_cap = self._raw("core_scratch_cap")

    def close(self) -> None:
        self._instance.close()

    def begin(self, branch: Overlay | None) -> None:
        self.branch = branch
        self._scratch_used = 0
        self._raw("core_reset")

    def put(self, data: bytes) -> tuple[int, int]:
        """Puts input bytes where the core can read them: pointer and length."""
        at = self._room(len(data))
        self._memory.write(at, data)
        return at, len(data)

    def call(self, name: str, *args: int) -> int:
        """Calls an export. Below 0 is an error, but for -ABSENT."""
        result = self._invoke(name, args)
        if result < 0 and result != -ABSENT:
            raise self._error(-result)
        return result

    def fetch(self, name: str, *args: int) -> bytes | None:
        """Calls an export that ends with `out, cap`; None for -ABSENT."""
        # What the inputs left of the scratch area is nearly always enough.
        cap = self._scratch_cap - self._scratch_used
        out = self._room(cap)
        size = self.call(name, *args, out, cap)
        if size > cap:
            cap = size
            out = self._room(cap)
            size = self.call(name, *args, out, cap)
        return None if size < 0 else self._memory.read(out, size)

    def _room(self, length: int) -> int:
        if self._scratch_used + length <= self._scratch_cap:
            at = self._scratch + self._scratch_used
            self._scratch_used += (length + 15) & ~15
            return at
        at = self._raw("core_alloc", min(length, (1 << 31) - 1)) & _U32
        if at == 0:
            raise UpgradeError("UPG_INVALID_ARGUMENT", f"core.wasm has no room for {length} more bytes")
        return at

    def _function(self, name: str) -> Function:
        function = self._instance.functions.get(name)
        if function is None:
            raise _abi(f"core.wasm has no function {name}")
        return function

    def _raw(self, name: str, *args: int) -> int:
        return self._function(name)(*args)

    def _invoke(self, name: str, args: tuple[int, ...]) -> int:
        function = self._function(name)
        try:
            return function(*args)
        except (Trap, WasmtimeError) as cause:
            self.is_poisoned = True
            message = self._message(_TRAP_NUMBER) or str(cause).splitlines()[-1]
            raise UpgradeError("UPG_BUG_CORE_TRAP", f"core.wasm trapped in {name}: {message}") from cause
        except BaseException:
            # A store failed.
            self.is_poisoned = True
            raise

    def _error(self, number: int) -> UpgradeError:
        code = code_of(number)
        if code is None:
            return _abi(f"core.wasm returned the unknown code {number}")
        return UpgradeError(code, self._message(number) or f"core.wasm returned {code} without a message")

    def _message(self, number: int) -> str | None:
        """The record of the last failure; None when it is of another one, left by an earlier call."""
        at = self._raw("core_err") & _U32
        if not self._memory.has(at, 8):
            return None
        code, length = struct.unpack("<II", self._memory.read(at, 8))
        if code != number or not self._memory.has(at + 8, length):
            return None
        return decode_lossy(self._memory.read(at + 8, length))

    # What the core imports

    def _get(self, key: int, key_len: int, out: int, cap: int) -> int:
        value = self._stores().get(self._read(key, key_len))
        return -ABSENT if value is None else self._give(value, out, cap)

    def _set(self, key: int, key_len: int, value: int, value_len: int) -> None:
        self._stores().set(self._read(key, key_len), self._read(value, value_len))

    def _delete(self, key: int, key_len: int) -> None:
        self._stores().delete(self._read(key, key_len))

    def _seek(self, start: int, start_len: int, end: int, end_len: int, out: int, cap: int) -> int:
        first, last = self._read(start, start_len), self._read(end, end_len)
        with closing(self._stores().walk(first or None, last or None)) as walk:
            pair = next(walk.pairs, None)
        if pair is None:
            return -ABSENT
        key, value = pair
        return self._give(struct.pack("<II", len(key), len(value)) + key + value, out, cap)

    def _give(self, data: bytes, out: int, cap: int) -> int:
        if len(data) <= cap:
            self._check(out, len(data))
            self._memory.write(out, data)
        return len(data)

    def _read(self, at: int, length: int) -> bytes:
        self._check(at, length)
        return self._memory.read(at, length)

    def _check(self, at: int, length: int) -> None:
        if not self._memory.has(at, length):
            raise _abi(f"core.wasm named bytes {at} to {at + length}, which lie outside its memory")

    def _stores(self) -> Overlay:
        if self.branch is None:
            raise _abi("a pure call of core.wasm reached for the store")
        return self.branch


def _unsigned(call: Callable[..., int | None]) -> Callable[..., int | None]:
    return lambda *args: call(*(arg & _U32 for arg in args))


def _abi(what: str) -> UpgradeError:
    return UpgradeError("UPG_BUG_CORE_ABI", what)
