/** Compiles and runs the metered module named on the command line in a Node of its own, and prints by how many KiB its greatest memory grew. */
import { readFileSync } from "node:fs";
import { compileAndRun } from "./compile-work.js";

function peakMemory(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}

const [file = ""] = process.argv.slice(2);
const bytes = new Uint8Array(readFileSync(file));
new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
const before = peakMemory();
await compileAndRun(bytes);
process.stdout.write(`${peakMemory() - before}\n`);
