/** What the compilation of a handler takes on each engine, measured in processes of their own. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../house/sources.js";
import { bundle } from "./bundle.js";
import { pageMemory } from "./chromium.js";
import { PYTHON, prepareChromium, prepareWasmtime, prepareWazero, WAZERO } from "./prepare.js";

const MILLISECONDS_MAX = 120_000;
/** Every function at once, as an engine may that compiles ahead. */
const EAGER = "--no-wasm-lazy-compilation";
const TURBOFAN = ["--no-liftoff", EAGER];
const LIFTOFF = ["--liftoff-only", EAGER];

export interface Compiler {
  readonly name: string;
  /** Why it cannot be had here. */
  readonly missing?: string | undefined;
  /** Bytes by which the greatest memory of a fresh process grew. @throws Error when it did not end well in two minutes */
  readonly memory: (file: string) => Promise<number>;
}

/** @param folder where the runners are put, bundled */
export async function compilers(folder: string): Promise<Compiler[]> {
  const node = await bundle("compile-runner.ts", "esm", folder);
  const page = await bundle("page-runner.ts", "iife", folder);
  const ofNode = (...flags: readonly string[]) => ofProcess(process.execPath, ...flags, node);
  const ofPage = (flags: readonly string[]) => (file: string) => pageMemory(page, file, flags);
  const [noWazero, noWasmtime, noChromium] = [prepareWazero(), prepareWasmtime(), prepareChromium()];
  return [
    { name: "V8, TurboFan alone", memory: ofNode(...TURBOFAN) },
    { name: "V8, Liftoff alone", memory: ofNode(...LIFTOFF) },
    { name: "V8, as it comes", memory: ofNode() },
    { name: "wazero", missing: noWazero, memory: ofProcess(WAZERO, "compiler", "--compile") },
    {
      name: "wasmtime",
      missing: noWasmtime,
      memory: ofProcess(PYTHON, join(ROOT, "test/engines/python/compile_memory.py")),
    },
    { name: "Chromium, TurboFan alone", missing: noChromium, memory: ofPage(TURBOFAN) },
    { name: "Chromium, as it comes", missing: noChromium, memory: ofPage([]) },
  ];
}

function ofProcess(program: string, ...args: readonly string[]): Compiler["memory"] {
  return async (file) => {
    const { stdout } = await promisify(execFile)(program, [...args, file], { timeout: MILLISECONDS_MAX });
    return Number(stdout) * 1_024;
  };
}
