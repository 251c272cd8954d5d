"""What a Wasm file shows from outside: sections, imports, exports, memory. Bodies of functions are the engine's."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import UpgradeError
from .limits import CUSTOM_SECTIONS_MAX, IMPORTS_MAX
from .text import quote

_CUSTOM, TYPE_SECTION, _IMPORT, _FUNCTION, TABLE_SECTION, _MEMORY, _GLOBAL, _EXPORT, _START = range(9)
ELEMENT_SECTION, CODE_SECTION, DATA_SECTION, DATA_COUNT_SECTION = range(9, 13)
#: Every section but custom ones, in the order in which a module may have them: 12 is the data count, 13 tags.
_ORDER = (1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11)
_KINDS = ("function", "table", "memory", "global", "tag")
_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128", 0x70: "funcref", 0x6F: "externref"}
_I32_CONST, _I64_CONST, _END = 0x41, 0x42, 0x0B
_HEADER = b"\0asm\x01\0\0\0"


@dataclass(frozen=True)
class Import:
    module: str
    name: str
    #: `(i32, i64) -> i32` of a function, else its kind.
    type: str


@dataclass(frozen=True)
class Export:
    kind: str
    #: Of a function, `(i32) -> i32`; empty for other kinds.
    type: str
    is_import: bool
    index: int


@dataclass(frozen=True)
class Limits:
    """Of a memory, in pages of 64 KiB; ``maximum`` None: not declared."""

    minimum: int
    maximum: int | None


@dataclass
class WasmShape:
    imports: list[Import] = field(default_factory=list)
    exports: dict[str, Export] = field(default_factory=dict)
    memories: list[Limits] = field(default_factory=list)
    #: Of functions, used or not.
    types: list[str] = field(default_factory=list)
    #: Types of the module's own functions, in their order.
    functions: list[str] = field(default_factory=list)
    #: Declarations of globals: type, mutability and what each holds at first.
    globals: list[bytes] = field(default_factory=list)
    globals_types: list[str] = field(default_factory=list)
    has_start: bool = False
    #: Contents of the sections that are not custom, by their id.
    sections: dict[int, bytes] = field(default_factory=dict)
    #: Name and payload, in the order of the file.
    customs: list[tuple[str, bytes]] = field(default_factory=list)


class _Reader:
    """Reads forward. Raises UPG_HANDLER_FORMAT at the first byte that cannot be."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    def refused(self, code: str, what: str, at: int | None = None) -> UpgradeError:
        offset = self.at if at is None else at
        return UpgradeError(code, f"at byte {offset}: {what}", {"offset": str(offset)})

    def malformed(self, what: str, at: int | None = None) -> UpgradeError:
        return self.refused("UPG_HANDLER_FORMAT", what, at)

    def byte(self, what: str) -> int:
        if self.at >= self.end:
            raise self.malformed(f"{what} is cut short")
        self.at += 1
        return self.data[self.at - 1]

    def u32(self, what: str) -> int:
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte(what)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value > 0xFFFFFFFF:
                    break
                return value
        raise self.malformed(f"{what} is not an unsigned 32-bit LEB128")

    def take(self, length: int, what: str) -> bytes:
        if length > self.end - self.at:
            raise self.malformed(f"{what} is longer than what it is in")
        self.at += length
        return self.data[self.at - length : self.at]

    def name(self, what: str) -> str:
        try:
            return self.take(self.u32(what), what).decode("utf-8")
        except UnicodeDecodeError as cause:
            raise self.malformed(f"{what} is not UTF-8") from cause

    def count(self, what: str) -> int:
        """Of a list whose items have a byte at least, so a number in a file makes no work beyond the file."""
        count = self.u32(what)
        if count > self.end - self.at:
            raise self.malformed(f"{what}: a list of {count} does not fit in what is left")
        return count


class _ShapeReader:
    def __init__(self) -> None:
        self.shape = WasmShape()
        self._types = self.shape.types
        #: Of imported functions, then of the module's own.
        self._functions: list[str] = []
        self._imported = 0

    def read(self, data: bytes) -> WasmShape:
        reader = _Reader(data)
        if data[:4] != _HEADER[:4]:
            raise reader.malformed("not a WebAssembly file: it does not begin with \\0asm")
        if data[4:8] != _HEADER[4:]:
            what = "not a core WebAssembly module of version 1 (a component cannot be a handler)"
            raise reader.malformed(what, 4)
        reader.at = 8
        readers = {
            TYPE_SECTION: self._read_types,
            _IMPORT: self._read_imports,
            _FUNCTION: self._read_functions,
            _MEMORY: self._read_memories,
            _GLOBAL: self._read_globals,
            _EXPORT: self._read_exports,
        }
        last = -1
        while reader.at < reader.end:
            at = reader.at
            section = reader.byte("a section")
            size = reader.u32("the size of a section")
            start = reader.at
            reader.take(size, f"section {section}")
            content = _Reader(data, start, reader.at)
            if section == _CUSTOM:
                self._read_custom(content, at)
                continue
            if section not in _ORDER:
                raise content.malformed(f"unknown section {section}", at)
            place = _ORDER.index(section)
            if place <= last:
                raise content.malformed(f"section {section} occurs twice or in the wrong order", at)
            last = place
            self.shape.sections[section] = data[start : reader.at]
            self.shape.has_start |= section == _START
            if section in readers:
                readers[section](content)
                if content.at != content.end:
                    raise content.malformed(f"section {section} goes on after its content")
        return self.shape

    def _read_custom(self, content: _Reader, at: int) -> None:
        if len(self.shape.customs) == CUSTOM_SECTIONS_MAX:
            raise content.refused("UPG_HANDLER_LIMIT", f"more than {CUSTOM_SECTIONS_MAX} custom sections", at)
        name = content.name("the name of a custom section")
        self.shape.customs.append((name, content.data[content.at : content.end]))

    def _read_types(self, content: _Reader) -> None:
        for _ in range(content.count("types")):
            if content.byte("a type") != 0x60:
                what = "only function types are allowed; build without the gc feature"
                raise content.refused("UPG_HANDLER_OPCODE", what, content.at - 1)
            params = self._value_types(content)
            results = self._value_types(content)
            shown = results[0] if len(results) == 1 else f"({', '.join(results)})"
            self._types.append(f"({', '.join(params)}) -> {shown}")

    def _value_types(self, content: _Reader, count: int | None = None) -> list[str]:
        types = []
        for _ in range(content.count("types of values") if count is None else count):
            byte = content.byte("a type of values")
            types.append(_TYPES.get(byte, f"type 0x{byte:x}"))
        return types

    def _type(self, content: _Reader) -> str:
        index = content.u32("a type's index")
        if index >= len(self._types):
            raise content.malformed(f"there is no type {index}")
        return self._types[index]

    def _read_imports(self, content: _Reader) -> None:
        count = content.count("imports")
        if count > IMPORTS_MAX:
            raise content.refused("UPG_HANDLER_LIMIT", f"{count} imports, at most {IMPORTS_MAX} are allowed")
        for _ in range(count):
            at = content.at
            module, name = content.name("an import's module"), content.name("an import's name")
            kind = content.byte("an import's kind")
            if kind != 0:
                raise self._imported_other(content, kind, quote(f"{module}.{name}"), at)
            self.shape.imports.append(Import(module, name, self._type(content)))
            self._functions.append(self.shape.imports[-1].type)
        self._imported = len(self._functions)

    def _imported_other(self, content: _Reader, kind: int, name: str, at: int) -> UpgradeError:
        if kind >= len(_KINDS):
            return content.malformed(f"import {name} is of the unknown kind {kind}", at)
        if _KINDS[kind] == "memory":
            what = f"the memory {name} is imported; define it and export it as memory"
            return content.refused("UPG_HANDLER_MEMORY", what, at)
        what = f"the {_KINDS[kind]} {name} is imported; only functions can be imported"
        return content.refused("UPG_HANDLER_IMPORT", what, at)

    def _read_functions(self, content: _Reader) -> None:
        for _ in range(content.count("functions")):
            self._functions.append(self._type(content))
        self.shape.functions = self._functions[self._imported :]

    def _read_memories(self, content: _Reader) -> None:
        for _ in range(content.count("memories")):
            flags = content.byte("limits")
            if flags & 2:
                what = "a shared memory is not allowed; build without threads"
                raise content.refused("UPG_HANDLER_MEMORY", what, content.at - 1)
            if flags > 1:
                what = "a 64-bit memory is not allowed; build for wasm32"
                raise content.refused("UPG_HANDLER_MEMORY", what, content.at - 1)
            minimum = content.u32("a memory's minimum")
            self.shape.memories.append(Limits(minimum, content.u32("a memory's maximum") if flags else None))

    def _read_globals(self, content: _Reader) -> None:
        for _ in range(content.count("globals")):
            at = content.at
            (kind,) = self._value_types(content, 1)
            content.byte("the mutability of a global")
            self._pass_constant(content)
            self.shape.globals.append(content.data[at : content.at])
            self.shape.globals_types.append(kind)

    def _pass_constant(self, content: _Reader) -> None:
        """No global can be imported, so what a global holds at first is one constant."""
        at = content.at
        opcode = content.byte("a constant expression")
        if opcode not in (_I32_CONST, _I64_CONST):
            what = f"opcode 0x{opcode:x} in the constant expression of a global: only i32.const or i64.const is allowed"
            raise content.refused("UPG_HANDLER_OPCODE", what, at)
        while content.byte("a constant") > 0x7F:
            pass
        if content.byte("the end of a constant expression") != _END:
            raise content.refused("UPG_HANDLER_OPCODE", "a constant expression of a global is one constant", at)

    def _read_exports(self, content: _Reader) -> None:
        for _ in range(content.count("exports")):
            at = content.at
            name = content.name("an export's name")
            kind, index = content.byte("an export's kind"), content.u32("an export's index")
            if name in self.shape.exports:
                raise content.malformed(f"two exports are named {quote(name)}", at)
            if kind >= len(_KINDS):
                raise content.malformed(f"export {quote(name)} is of the unknown kind {kind}", at)
            is_function = _KINDS[kind] == "function"
            if is_function and index >= len(self._functions):
                raise content.malformed(f"export {quote(name)}: there is no function {index}")
            kind_of_it = self._functions[index] if is_function else ""
            self.shape.exports[name] = Export(_KINDS[kind], kind_of_it, is_function and index < self._imported, index)


def params_of(kind: str) -> int:
    """Parameters of a function.

    >>> params_of("(i32, i64) -> i32"), params_of("() -> ()")
    (2, 0)
    """
    params = kind[1 : kind.index(")")]
    return params.count(",") + 1 if params else 0


def read_shape(data: bytes) -> WasmShape:
    """Work is linear in the length of ``data``, whatever it says. Raises UPG_HANDLER_FORMAT and the like."""
    return _ShapeReader().read(data)
