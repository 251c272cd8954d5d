"""Calls check.wasm (docs/abi.md): the rules for handler files, the meter, and the codec of receipts."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from importlib import resources
from typing import TypeVar

from wasmtime import Engine, Module, Trap, WasmtimeError

from .engine import Instance, validating_engine
from .errors import UpgradeError
from .failures import engine_failure
from .file_check import FileCheck, decode_file_check
from .limits import HANDLER_BYTES_MAX, MANIFEST_BYTES_MAX
from .manifest import MANIFEST_SECTION, Manifest
from .wire import varint

#: `check.sha256` of assembly/abi.json.
CHECK_SHA256 = "b6435515772e2a2df69e43865100745e4775dabc36fff71c776c49c566713cbc"
_ABI_MAJOR = 1
_IS_INVALID = 1
_U32 = 0xFFFFFFFF

Result = TypeVar("Result")

#: Instances may grow to 64 MiB, so there is one at a time.
_lock = threading.Lock()
_compiled: tuple[Engine, Module] | None = None


def check_file(data: bytes) -> FileCheck:
    """Every check of a handler file, the engine's own validation included."""
    found = _check(data, 0)
    if found.is_refused:
        return found
    try:
        Module.validate(_module()[0], data)
    except WasmtimeError as cause:
        found = _check(data, _IS_INVALID)
        found.invalid = cause
    return found


def parse_manifest(data: bytes) -> Manifest:
    """The payload of the custom section `chain-upgrade.manifest`.

    Raises UPG_HANDLER_MANIFEST, with the path in the JSON in the message and in ``details["path"]``.
    """
    name = MANIFEST_SECTION.encode()
    # A longer one is refused by its length.
    content = varint(len(name)) + name + data[: MANIFEST_BYTES_MAX + 1]
    found = _check(b"\0asm\1\0\0\0\0" + varint(len(content)) + content, 0)
    # What else is wrong is wrong with this file, which has nothing but the manifest.
    for finding in found.findings:
        if finding.code == "UPG_HANDLER_MANIFEST":
            raise replace(finding, offset=None).error()
    assert found.manifest is not None
    return found.manifest


def encode_flat(data: bytes) -> bytes | None:
    """A flat receipt as protobuf; None when it is refused."""
    return _convert("receipt_encode", data)


def decode_flat(data: bytes) -> bytes | None:
    """The reverse of `encode_flat`."""
    return _convert("receipt_decode", data)


def compile_checker(wasm: bytes) -> tuple[Engine, Module]:
    """Raises UPG_BUG_CORE_ABI for other bytes than those this package was written for."""
    digest = hashlib.sha256(wasm).hexdigest()
    if digest != CHECK_SHA256:
        raise _misfit(f"the SHA-256 of check.wasm is {digest}, this host was written for {CHECK_SHA256}")
    engine = validating_engine()
    return engine, Module(engine, wasm)


def _module() -> tuple[Engine, Module]:
    """Compiled by the first use in the process, and kept."""
    global _compiled
    with _lock:
        if _compiled is None:
            _compiled = compile_checker(resources.files(__package__).joinpath("check.wasm").read_bytes())
        return _compiled


class _Checker:
    """One instance, for one piece of work."""

    def __init__(self, engine: Engine, module: Module) -> None:
        self._instance = Instance(engine, module, {})
        if self._instance.memory is None:
            raise _misfit("check.wasm has no memory")
        self._memory = self._instance.memory
        self.call("_initialize")
        major = self.call("check_abi") >> 16
        if major != _ABI_MAJOR:
            raise _misfit(f"check.wasm speaks interface {major}, this host {_ABI_MAJOR}")

    def close(self) -> None:
        self._instance.close()

    def call(self, name: str, *args: int) -> int:
        return self._instance.functions[name](*args)

    def put(self, data: bytes) -> bool:
        """Copies an input into the instance; False when it is longer than any may be."""
        if len(data) > HANDLER_BYTES_MAX:
            return False
        at = self.call("check_input", len(data)) & _U32
        self._memory.look()
        self._require(at, len(data))
        self._memory.write(at, data)
        return True

    def take(self, name: str) -> bytes:
        """Copies bytes out; ``name`` returns where they are, and ``name`` with ``_len`` how many."""
        at, length = self.call(name) & _U32, self.call(f"{name}_len")
        self._memory.look()
        self._require(at, length)
        return self._memory.read(at, length)

    def _require(self, at: int, length: int) -> None:
        if not self._memory.has(at, length):
            raise _misfit("check.wasm named bytes outside its memory")


def with_checker(work: Callable[[_Checker], Result]) -> Result:
    """Makes an instance, lets it work, and drops it. A trap is a failure of this machine, never a result."""
    try:
        engine, module = _module()
        with _lock, closing(_Checker(engine, module)) as checker:
            return work(checker)
    except (Trap, WasmtimeError, MemoryError) as cause:
        raise engine_failure("check.wasm could not run", cause) from cause


def _check(data: bytes, flags: int) -> FileCheck:
    def work(checker: _Checker) -> FileCheck:
        checker.put(data)
        # One byte too many is enough to refuse a file, and is a number of 32 bits.
        checker.call("check_file", min(len(data), HANDLER_BYTES_MAX + 1), flags)
        return decode_file_check(checker.take("check_result"), checker.take("check_metered"))

    return with_checker(work)


def _convert(name: str, data: bytes) -> bytes | None:
    def work(checker: _Checker) -> bytes | None:
        if not checker.put(data) or checker.call(name, len(data)) < 0:
            return None
        return checker.take("check_result")

    return with_checker(work)


def _misfit(what: str) -> UpgradeError:
    return UpgradeError("UPG_BUG_CORE_ABI", what)
