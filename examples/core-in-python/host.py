"""core.wasm in a host that is not TypeScript: Python with wasmtime (docs/abi.md). A chain with two modules is taken through the
upgrade "v2" at height 10: the old program halts there, the new one applies it.

    pip install wasmtime
    python host.py node_modules/chain-upgrade/dist/core.wasm
"""

import json
import struct
import sys

from wasmtime import Engine, FuncType, Linker, Module, Store, ValType

ABSENT = -1
YEAR_1 = -62_135_596_800  # the zero time of the Cosmos SDK, in seconds since 1970
DECISIONS = ["Idle", "Pending", "Skip", "Apply", "HaltUpgradeNeeded", "HaltBinaryTooEarly", "HaltHandlerMissing"]
HAS_HANDLER = 1


class CoreError(Exception):
    pass


class Core:
    """core.wasm over `kv`, a dict: the upgrade module's store, or a branch of it."""

    def __init__(self, path, kv):
        self.kv = kv
        engine = Engine()
        self.store = Store(engine)
        linker = Linker(engine)
        imports = {"get": (self._get, 4, 1), "set": (self._set, 4, 0), "delete": (self._delete, 2, 0), "seek": (self._seek, 6, 1)}
        for name, (function, params, results) in imports.items():
            linker.define_func("kv", name, FuncType([ValType.i32()] * params, [ValType.i32()] * results), function)
        instance = linker.instantiate(self.store, Module.from_file(engine, path))
        self.exports = instance.exports(self.store)
        self.memory = self.exports["memory"]
        self._raw("_initialize")
        if self._raw("core_abi") >> 16 != 1:
            raise CoreError("core.wasm has another major version than this host")

    def call(self, name, *args):
        """Calls an export. Bytes are copied in as pointer and length."""
        self._raw("core_reset")
        return self._checked(name, self._raw(name, *self._flat(args)))

    def fetch(self, name, *args, cap=65_536):
        """Calls an export that ends with `out, cap`; None when there is nothing."""
        self._raw("core_reset")
        flat = self._flat(args)
        out = self._raw("core_alloc", cap)
        size = self._raw(name, *flat, out, cap)
        if size == ABSENT:
            return None
        if self._checked(name, size) > cap:
            raise CoreError(f"{name}: the result has {size} bytes; ask again with as much room")
        return self._read(out, size)

    def _raw(self, name, *args):
        return self.exports[name](self.store, *args)

    def _flat(self, args):
        flat = []
        for arg in args:
            if isinstance(arg, bytes):
                at = self._raw("core_alloc", len(arg))
                self.memory.write(self.store, arg, at)
                flat += [at, len(arg)]
            else:
                flat.append(arg)
        return flat

    def _checked(self, name, result):
        if result >= 0:
            return result
        at = self._raw("core_err")
        code, length = struct.unpack("<II", self._read(at, 8))
        raise CoreError(f"{name}: {self._read(at + 8, length).decode()} (code {code})")

    def _read(self, at, length):
        at, length = at & 0xFFFFFFFF, length & 0xFFFFFFFF  # an i32 of wasmtime has a sign
        return bytes(self.memory.read(self.store, at, at + length))

    def _give(self, data, out, cap):
        if len(data) <= cap:
            self.memory.write(self.store, data, out)
        return len(data)

    def _get(self, key, key_len, out, cap):
        value = self.kv.get(self._read(key, key_len))
        return ABSENT if value is None else self._give(value, out, cap)

    def _set(self, key, key_len, value, value_len):
        self.kv[self._read(key, key_len)] = self._read(value, value_len)

    def _delete(self, key, key_len):
        self.kv.pop(self._read(key, key_len), None)

    def _seek(self, start, start_len, end, end_len, out, cap):
        first, last = self._read(start, start_len), self._read(end, end_len)
        keys = [key for key in sorted(self.kv) if key >= first and (not last or key < last)]
        if not keys:
            return ABSENT
        value = self.kv[keys[0]]
        return self._give(struct.pack("<II", len(keys[0]), len(value)) + keys[0] + value, out, cap)


def leb128(number):
    more, rest = number & 127, number >> 7
    return bytes([more]) if rest == 0 else bytes([more | 128]) + leb128(rest)


def version_map(versions):
    """protobuf VersionMap, names ascending."""
    out = b""
    for name, version in sorted((name.encode(), version) for name, version in versions.items()):
        entry = b"\x0a" + leb128(len(name)) + name + (b"\x10" + leb128(version) if version else b"")
        out += b"\x0a" + leb128(len(entry)) + entry
    return out


def plan_fields(name, height, info):
    return struct.pack("<qqiIII", height, YEAR_1, 0, 0, len(name), len(info)) + name + info


def main(path):
    kv = {}
    core = Core(path, kv)
    core.call("version_map_set", version_map({"auth": 1, "bank": 1}))
    plan = core.fetch("plan_encode", plan_fields(b"v2", 10, b"see the forum"))
    core.call("plan_schedule", 5, plan)
    for height, flags in [(9, 0), (9, HAS_HANDLER), (10, 0)]:
        decision = core.call("pre_block", height, flags)
        print(height, flags, DECISIONS[decision])
        if DECISIONS[decision].startswith("Halt"):
            print(core.fetch("halt_text", decision, height, 1, plan).decode())
    print(core.fetch("upgrade_info", 10, plan).decode())
    decision = core.call("pre_block", 10, HAS_HANDLER)
    print(10, HAS_HANDLER, DECISIONS[decision])
    core.call("apply", 10, plan, version_map({"auth": 2, "bank": 2}), b"")
    try:
        core.call("plan_schedule", 11, plan)
    except CoreError as error:
        print(error)
    print(json.dumps({key.hex(): kv[key].hex() for key in sorted(kv)}))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python host.py node_modules/chain-upgrade/dist/core.wasm")
    main(sys.argv[1])
