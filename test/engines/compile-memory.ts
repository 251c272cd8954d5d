/** What the compilation of a handler takes on each engine, measured in processes of their own. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";
import { PYTHON, WAZERO } from "./prepare.js";

export type Compiler = "V8, TurboFan alone" | "V8, Liftoff alone" | "V8, as it comes" | "wazero" | "wasmtime";

/** Every function at once, as an engine may that compiles ahead. */
const EAGER = "--no-wasm-lazy-compilation";

/** How to start each, given the bundled Node runner; the module's file follows. */
export function commands(nodeRunner: string): Record<Compiler, readonly [program: string, ...args: string[]]> {
  return {
    "V8, TurboFan alone": [process.execPath, "--no-liftoff", EAGER, nodeRunner],
    "V8, Liftoff alone": [process.execPath, "--liftoff-only", EAGER, nodeRunner],
    "V8, as it comes": [process.execPath, nodeRunner],
    wazero: [WAZERO, "compiler", "--compile"],
    wasmtime: [PYTHON, join(ROOT, "test/engines/python/compile_memory.py")],
  };
}

/** Bytes by which the greatest memory of a fresh process grew. @throws Error when it did not end well in two minutes */
export function compileMemory([program, ...args]: readonly [string, ...string[]], file: string): number {
  const output = execFileSync(program, [...args, file], {
    encoding: "utf8",
    timeout: 120_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return Number(output) * 1_024;
}
