"""The private parts of the `wasmtime` package that `engine.py` uses, verified when this package is imported.

A patch release may rename them. The import then fails with the name and the fix, instead of a run failing later.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import wasmtime

#: What `pyproject.toml` requires.
_RANGE = "wasmtime~=50.0"
#: Functions, types and constants of `wasmtime._ffi`.
_FFI = (
    "WASMTIME_I32",
    "WASMTIME_I64",
    "wasm_trap_t",
    "wasmtime_func_call",
    "wasmtime_func_callback_t",
    "wasmtime_global_get",
    "wasmtime_global_set",
    "wasmtime_linker_define_func",
    "wasmtime_trap_new",
    "wasmtime_val_t",
)
#: Methods and declared attributes of public classes.
_MEMBERS = (
    ("Func", "_func"),
    ("Global", "_global"),
    ("Store", "_context"),
    ("Trap", "_from_ptr"),
    ("WasmtimeError", "_from_ptr"),
)


def missing_names(package: Any) -> list[str]:
    """The private names that a `wasmtime` package lacks.

    >>> missing_names(wasmtime)
    []
    """
    ffi = getattr(package, "_ffi", None)
    if ffi is None:
        return ["wasmtime._ffi"]
    missing = [f"wasmtime._ffi.{name}" for name in _FFI if not hasattr(ffi, name)]
    for owner, name in _MEMBERS:
        declared = getattr(package, owner, None)
        if not hasattr(declared, name) and name not in getattr(declared, "__annotations__", {}):
            missing.append(f"wasmtime.{owner}.{name}")
    return missing


def require_names(missing: Sequence[str]) -> None:
    """Raises ImportError with the first missing name and the command that installs a tested version."""
    if missing:
        raise ImportError(
            f"chain-upgrade cannot use wasmtime {_installed()}: it has no {missing[0]}. "
            f'Install a tested version: pip install "{_RANGE}"'
        )


def _installed() -> str:
    try:
        return version("wasmtime")
    except PackageNotFoundError:
        return "of an unknown version"


require_names(missing_names(wasmtime))
