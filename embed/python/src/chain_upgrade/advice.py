"""What to do about a file that is refused, where its refusal does not say it: the words of the node."""

from __future__ import annotations

from .errors import UpgradeError

_ADVICE = {
    "UPG_HANDLER_FORMAT": (
        "the file is damaged or its compiler is at fault: build it again, and check it with wasm-validate"
    ),
    "UPG_HANDLER_LIMIT": "make it smaller, or split it",
    "UPG_HANDLER_MEMORY": "define one memory of wasm32 that all data fits in, and export it as memory",
    "UPG_HANDLER_IMPORT": "declare it as docs/abi.md has it",
    "UPG_HANDLER_EXPORT": "export it by the name and type that docs/abi.md has",
    "UPG_HANDLER_OPCODE": "build for WebAssembly 1.0, with integers only",
    "UPG_HANDLER_MANIFEST": "docs/abi.md describes the manifest",
}


def with_advice(error: UpgradeError) -> UpgradeError:
    """The same error, with what to do."""
    advice = None if "; " in error.message else _ADVICE.get(error.code)
    return error if advice is None else UpgradeError(error.code, f"{error.message}; {advice}", error.details)


def import_advice(module: str, name: str, offered: list[str]) -> str:
    """About an import that is not offered."""
    if module.startswith("wasi"):
        return "build for a freestanding target (wasm32-unknown-unknown), not for WASI"
    if module == "env" and name == "seed":
        return "random numbers differ between nodes: do without Math.random"
    if module == "env" and name.startswith("console."):
        return "a handler has no console: use log() of the kit"
    if module == "env":
        return "a handler has no clock, console or other environment: do without it"
    if module.startswith("__wbindgen") or module == "wbg":
        return "build without wasm-bindgen"
    return f"a handler may import {', '.join(offered)}"
