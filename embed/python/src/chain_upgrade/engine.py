"""What this package needs of wasmtime, by its C interface; `wasmtime_private.py` verifies that the names are there.

The classes of the package look up types at each call and keep one exception for all threads; here a call costs a fifth
of that, and what a host function raises stays with its instance.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from wasmtime import Config, Engine, Func, FuncType, Global, Linker, Memory, Module, Store, Trap, ValType, WasmtimeError
from wasmtime import _ffi as ffi

from . import wasmtime_private as wasmtime_private  # Before anything of wasmtime is used.
from .memory import LinearMemory

_KINDS = {"i32": ffi.WASMTIME_I32.value, "i64": ffi.WASMTIME_I64.value}
_NO_FINALIZER = ctypes.cast(0, ctypes.CFUNCTYPE(None, ctypes.c_void_p))
_TRAP_MESSAGE = b"the host ended the call"
#: Four times what a metered handler may use (docs/gas.md), on the stack of the thread that calls.
STACK_BYTES = 524_288


def new_engine() -> Engine:
    """Everything that neither core.wasm nor a metered handler uses is off, so a module that has it is refused.

    `Engine.increment_epoch`, from any thread, ends what runs on it.
    """
    config = _config()
    for feature in ("threads", "tail_call", "relaxed_simd", "simd", "multi_memory", "memory64", "exceptions"):
        setattr(config, f"wasm_{feature}", False)
    for feature in ("gc", "function_references", "wide_arithmetic", "custom_page_sizes"):
        setattr(config, f"wasm_{feature}", False)
    config.cranelift_nan_canonicalization = True
    config.max_wasm_stack = STACK_BYTES
    config.epoch_interruption = True
    return Engine(config)


def validating_engine() -> Engine:
    """An engine with wasmtime's own choice of features, to validate modules."""
    return Engine(_config())


def _config() -> Config:
    config = Config()
    # wasmtime's pool of threads does not survive fork(): a child would wait for it forever, even to validate a module.
    config.parallel_compilation = False
    return config


class HostFunction(NamedTuple):
    """What a module imports: numbers come as they are in Wasm, with a sign."""

    params: Sequence[str]
    results: Sequence[str]
    call: Callable[..., int | None]


class Function:
    """An exported function of one instance: numbers in, a number out, 0 for none."""

    def __init__(self, owner: Instance, func: Func, kind: FuncType) -> None:
        self.params = [str(each) for each in kind.params]
        self.results = [str(each) for each in kind.results]
        self._owner = owner
        self._func = ctypes.byref(func._func)
        self._args = (ffi.wasmtime_val_t * len(self.params))()
        self._results = (ffi.wasmtime_val_t * len(self.results))()
        for slot, name in zip(self._args, self.params, strict=True):
            slot.kind = _KINDS[name]
        self._is_wide = [name == "i64" for name in self.params]

    def __call__(self, *args: int) -> int:
        """Raises `wasmtime.Trap`, `wasmtime.WasmtimeError`, or what a host function raised."""
        for slot, arg, is_wide in zip(self._args, args, self._is_wide, strict=True):
            if is_wide:
                slot.of.i64 = arg
            else:
                slot.of.i32 = arg
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        counts = len(self._args), len(self._results)
        context = self._owner.context
        error = ffi.wasmtime_func_call(
            context, self._func, self._args, counts[0], self._results, counts[1], ctypes.byref(trap)
        )
        if error or trap:
            self._owner.fail(error, trap)
        if not self.results:
            return 0
        result = self._results[0].of
        return result.i64 if self.results[0] == "i64" else result.i32


class GlobalCell:
    """An exported global, i32 or i64."""

    def __init__(self, owner: Instance, cell: Global) -> None:
        kind = cell.type(owner.store)
        self.content = str(kind.content)
        self.is_mutable = kind.mutable
        self._owner = owner
        self._cell = ctypes.byref(cell._global)
        self._value = ffi.wasmtime_val_t()
        self._value.kind = ctypes.c_uint8(_KINDS.get(self.content, 0))

    @property
    def value(self) -> int:
        ffi.wasmtime_global_get(self._owner.context, self._cell, ctypes.byref(self._value))
        return self._value.of.i64 if self.content == "i64" else self._value.of.i32

    @value.setter
    def value(self, value: int) -> None:
        if self.content == "i64":
            self._value.of.i64 = value
        else:
            self._value.of.i32 = value
        ffi.wasmtime_global_set(self._owner.context, self._cell, ctypes.byref(self._value))


class Instance:
    """One instance in a store of its own. Close it: its memory is given back then."""

    def __init__(self, engine: Engine, module: Module, imports: Mapping[tuple[str, str], HostFunction]) -> None:
        """Raises `wasmtime.Trap` or `wasmtime.WasmtimeError`."""
        self.store = Store(engine)
        self.store.set_epoch_deadline(1)
        self._context: object = None
        self._failure: BaseException | None = None
        #: The engine does not count references to these.
        self._callbacks: list[object] = []
        linker = Linker(engine)
        for (space, name), function in imports.items():
            self._define(linker, space, name, function)
        exports = linker.instantiate(self.store, module).exports(self.store)
        self._context = self.store._context()
        self.functions: dict[str, Function] = {}
        self.globals: dict[str, GlobalCell] = {}
        self.memory: LinearMemory | None = None
        for name, entry in exports.items():
            if isinstance(entry, Func):
                self.functions[str(name)] = Function(self, entry, entry.type(self.store))
            elif isinstance(entry, Global):
                self.globals[str(name)] = GlobalCell(self, entry)
            elif isinstance(entry, Memory) and name == "memory":
                self.memory = LinearMemory(self.store, entry)

    @property
    def context(self) -> object:
        if self._context is None:
            raise ValueError("the instance is closed")
        return self._context

    def close(self) -> None:
        self._context = None
        self.store.close()

    def fail(self, error: object, trap: object) -> None:
        """Raises what ended a call."""
        failure, self._failure = self._failure, None
        # Made into objects also when they are not raised: that frees them.
        raised = WasmtimeError._from_ptr(error) if error else Trap._from_ptr(trap)  # type: ignore[arg-type]
        if failure is not None:
            raise failure
        raise raised

    def _define(self, linker: Linker, space: str, name: str, function: HostFunction) -> None:
        reads = ["i64" if kind == "i64" else "i32" for kind in function.params]

        def callback(_env, _caller, params, _count, results, _results):  # type: ignore[no-untyped-def]
            try:
                args = [getattr(params[i].of, read) for i, read in enumerate(reads)]
                result = function.call(*args)
                if function.results:
                    results[0].kind = _KINDS["i32"]
                    results[0].of.i32 = result
                return 0
            except BaseException as cause:
                self._failure = cause
                trap = ffi.wasmtime_trap_new(_TRAP_MESSAGE, len(_TRAP_MESSAGE))
                return ctypes.cast(trap, ctypes.c_void_p).value

        kept = ffi.wasmtime_func_callback_t(callback)
        self._callbacks.append(kept)
        kind = FuncType([_type(each) for each in function.params], [_type(each) for each in function.results])
        names = [text.encode() for text in (space, name)]
        error = ffi.wasmtime_linker_define_func(
            linker.ptr(), names[0], len(names[0]), names[1], len(names[1]), kind.ptr(), kept, None, _NO_FINALIZER
        )
        if error:
            raise WasmtimeError._from_ptr(error)


def _type(name: str) -> ValType:
    return ValType.i64() if name == "i64" else ValType.i32()
