"""Runs the cases of the cross-engine test on wasmtime: python run_cases.py CASES.json"""

import base64
import json
import sys
import zlib

import wasmtime

engine = wasmtime.Engine()


def run_case(case):
    store = wasmtime.Store(engine)
    module = wasmtime.Module(engine, base64.b64decode(case["wasm"]))
    linker = wasmtime.Linker(engine)
    linker.define_unknown_imports_as_default_values(store, module)
    exports = linker.instantiate(store, module).exports(store)
    gas, stack, memory = exports["chain-upgrade:gas"], exports["chain-upgrade:stack"], exports["memory"]
    gas.set_value(store, wasmtime.Val.i64(int(case["gas"])))
    for step in case["steps"]:
        if "write" in step:
            memory.write(store, base64.b64decode(step["bytes"]), step["write"])
            continue
        try:
            answer = exports[step["call"]](store, *[int(arg[4:]) for arg in step["args"]])
            answer = "void" if answer is None else str(answer)
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            answer = "trap"
        yield f"{case['name']} {step['call']} {answer} gas {gas.value(store)} stack {stack.value(store)}"
        if answer == "trap":
            break
    content = bytes(memory.read(store, 0, memory.data_len(store)))
    yield f"{case['name']} memory {len(content)} {zlib.crc32(content)}"


with open(sys.argv[1], encoding="utf-8") as file:
    for each in json.load(file):
        for line in run_case(each):
            print(line)
