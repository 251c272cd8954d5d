/**
 * Compiles the metered module named on the command line in a Node of its own, runs each of its functions until the engine
 * has had every reason to optimise it, and prints by how many KiB the process's greatest memory grew.
 */
import { readFileSync } from "node:fs";

const CALLS = 200;
/** Of one call: enough for a walk through most of a function, soon gone in a loop. */
const GAS = 200_000n;

function peakMemory(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}

const [file = ""] = process.argv.slice(2);
const bytes = readFileSync(file);
new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
const before = peakMemory();
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
const gas = exports["chain-upgrade:gas"] as WebAssembly.Global<"i64">;
const functions = Object.values(exports).filter((each) => typeof each === "function") as ((arg: number) => number)[];
const until = Date.now() + 4_000;
for (let call = 0; call < CALLS && Date.now() < until; call++) {
  for (const entry of functions) {
    gas.value = GAS;
    try {
      entry(call & 1);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    }
  }
}
// What the background compilers were given last.
await new Promise((resolve) => setTimeout(resolve, 500));
process.stdout.write(`${peakMemory() - before}\n`);
