"""Compiles one module and prints by how many KiB the process's greatest memory grew: python compile_memory.py MODULE.wasm"""

import re
import sys

import wasmtime


def peak_memory():
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1))


engine = wasmtime.Engine()
with open(sys.argv[1], "rb") as file:
    wasm = file.read()
before = peak_memory()
module = wasmtime.Module(engine, wasm)
print(peak_memory() - before)
