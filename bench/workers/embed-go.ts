/**
 * The guest's part of split-balances, without stores: batches of accounts in V8, in this process, and in wazero, in a
 * process of Go that runs a round whenever it is asked. Both run the same metered bytes, and must use the same gas.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { meterModule } from "../../host/upgrade/handler/meter/meter.js";
import { METER_EXPORTS } from "../../host/upgrade/handler/meter/meter-exports.js";
import { decodeModule } from "../../host/upgrade/wasm/decode.js";
import { Findings } from "../../host/upgrade/wasm/findings.js";
import { accountFrames } from "../bulk/account-frames.js";

const ROUNDS = Number(process.argv[2]);
const WARM_UP_ROUNDS = 5;
const BATCHES_A_ROUND = 25;
const GAS_OF_A_ROUND = 1n << 60n;
const ACCOUNTS = 800;

interface Round {
  readonly microseconds: number;
  /** What must be equal. */
  readonly result: string;
}

type Side = () => Round | Promise<Round>;

const frames = accountFrames(ACCOUNTS);
const wasm = meterModule(
  decodeModule(new Uint8Array(readFileSync("build/examples/split-balances.wasm")), new Findings()).module,
);
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));

function inV8(): Side {
  const module = new WebAssembly.Module(wasm);
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    imports[from] = { ...imports[from], [name]: () => 0 };
  const { exports } = new WebAssembly.Instance(module, imports);
  const call = (name: string, ...args: readonly number[]): number =>
    (exports[name] as ((...args: readonly number[]) => number) | undefined)?.(...args) ?? 0;
  const gas = exports[METER_EXPORTS.gas] as WebAssembly.Global<"i64">;
  gas.value = GAS_OF_A_ROUND;
  call("_initialize");
  const input = call("handler_in", 65_536);
  call("handler_out", 262_144);
  const { buffer } = exports["memory"] as WebAssembly.Memory;
  return () => {
    gas.value = GAS_OF_A_ROUND;
    const start = performance.now();
    let sum = 0;
    for (let i = 0; i < BATCHES_A_ROUND; i++) {
      new Uint8Array(buffer).set(frames, input);
      sum += call("handler_batch", 0, frames.length, 0);
    }
    const microseconds = (performance.now() - start) * 1_000;
    return { microseconds, result: `${sum} ${GAS_OF_A_ROUND - gas.value}` };
  };
}

function inWazero(): { side: Side; end: () => void } {
  const program = join(folder, "bench");
  execFileSync("go", ["build", "-trimpath", "-o", program, "./internal/bench"], { cwd: "embed/go", stdio: "inherit" });
  writeFileSync(join(folder, "metered.wasm"), wasm);
  writeFileSync(join(folder, "frames"), frames);
  const child = spawn(program, [join(folder, "metered.wasm"), join(folder, "frames")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const side = async (): Promise<Round> => {
    child.stdin.write("\n");
    const { value } = await lines.next();
    const [nanoseconds, sum, gas] = String(value).split(" ");
    return { microseconds: Number(nanoseconds) / 1_000, result: `${sum} ${gas}` };
  };
  return { side, end: () => void child.stdin.end() };
}

const wazero = inWazero();
const sides: readonly Side[] = [inV8(), wazero.side];
const samples: readonly number[][] = [[], []];
try {
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const results = new Set<string>();
    for (const [i, side] of sides.entries()) {
      const { microseconds, result } = await side();
      results.add(result);
      if (round >= 0) samples[i]?.push(microseconds);
    }
    if (results.size > 1) throw new Error(`V8 and wazero differ: ${[...results].join(", ")}`);
  }
} finally {
  wazero.end();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  JSON.stringify([
    { row: "split-balances V8", unit: "µs", samples: samples[0] },
    { row: "split-balances wazero", unit: "µs", samples: samples[1], against: "split-balances V8" },
  ]),
);
