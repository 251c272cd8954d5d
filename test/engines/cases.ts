/** What every engine runs: metered modules that end in every way there is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import asc from "assemblyscript/asc";
import { concatBytes } from "../../host/base/text/bytes.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import { assemble } from "../guest/build.js";
import { pairFrame } from "../guest/memory-stores.js";
import { metered } from "../guest/random/metering.js";
import { randomModule } from "../guest/random/random-module.js";
import { ROOT } from "../house/sources.js";
import { type EngineCase, runCases, type Step } from "./run-cases.js";
import { stackCases } from "./stack-cases.js";

const RANDOM_MODULES = 150;
const GAS = String(1n << 50n);

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const call = (name: string, ...args: readonly (number | bigint)[]): Step => ({
  call: name,
  args: args.map((arg) => (typeof arg === "bigint" ? `i64:${arg}` : `i32:${arg}`)),
});

export async function engineCases(): Promise<EngineCase[]> {
  const kernels = await Promise.all([kernel("sha256", 3_000), kernel("varint", 60_000)]);
  const whole = [...randomCases(), ...bombs(), ...stackCases(), ...kernels, splitBalances()];
  return [...whole, ...whole.flatMap(halfGas)];
}

/** The same with half of the gas that it used: where it ends must be the same place. */
function halfGas(each: EngineCase): EngineCase[] {
  const lines = runCases([each]).flatMap((line) => / gas (-?\d+) /.exec(line)?.[1] ?? []);
  const used = BigInt(each.gas) - BigInt(lines.at(-1) ?? each.gas);
  return used < 2n || used > 1n << 40n ? [] : [{ ...each, name: `${each.name}-half`, gas: String(used / 2n) }];
}

function randomCases(): EngineCase[] {
  return Array.from({ length: RANDOM_MODULES }, (_, i) => {
    const { bytes, calls } = randomModule(5_000_000 + i);
    return {
      name: `random-${i}`,
      wasm: base64(metered(bytes)),
      gas: GAS,
      steps: calls.map(({ name, args }) => call(name, ...args)),
    };
  });
}

function ofText(name: string, gas: string, body: string, more = ""): EngineCase {
  const wat = `(module (memory (export "memory") 1) (func (export "go") (param i32) (result i32) ${body}) ${more})`;
  return { name, wasm: base64(metered(assemble(wat))), gas, steps: [call("go", 1)] };
}

function bombs(): EngineCase[] {
  const wide = `(local ${"i64 ".repeat(200)})`;
  const recursive = (locals: string) => `(func $r (param i32) (result i32) ${locals}
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) (i32.add (i32.const 1) (call $r (local.get 0))))`;
  const mutual =
    "(func $a (param i32) (result i32) (call $b (local.get 0))) (func $b (param i32) (result i32) (i32.store (i32.const 4) (i32.add (i32.load (i32.const 4)) (i32.const 1))) (call $a (local.get 0)))";
  return [
    ofText("loop", "1000000", "(loop $l (br $l)) (i32.const 0)"),
    ofText("narrow-recursion", GAS, "(call $r (i32.const 0))", recursive("")),
    ofText("wide-recursion", GAS, "(call $r (i32.const 0))", recursive(wide)),
    ofText("mutual-recursion", GAS, "(call $a (i32.const 0))", mutual),
    ofText("grow", GAS, "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 50)) (i32.const -1)))) (memory.size)"),
    ofText("fill", GAS, "(memory.fill (i32.const 5) (i32.const 7) (i32.const 60000)) (i32.const 0)"),
    ofText("fill-outside", GAS, "(memory.fill (i32.const 5) (i32.const 7) (i32.const 65532)) (i32.const 0)"),
    ofText("division", GAS, "(i32.div_s (i32.const -2147483648) (i32.const -1))"),
  ];
}

/** A kernel of the bench. */
async function kernel(name: string, count: number): Promise<EngineCase> {
  const source = join("bench", "assembly", `${name}.ts`);
  const flags = ["--config", "none", "--runtime", "stub", "--initialMemory", "16", "--maximumMemory", "16", "-O3"];
  let wasm: Uint8Array = new Uint8Array(0);
  const { error } = await asc.main([source, ...flags, "--outFile", "out.wasm"], {
    writeFile: (file, contents) => {
      if (file === "out.wasm") wasm = contents as Uint8Array;
    },
  });
  if (error) throw error;
  return { name, wasm: base64(metered(wasm)), gas: GAS, steps: [call("work", count), call("work", count)] };
}

/** The example's handler: its own batch, fed with accounts; the stores answer nothing, alike everywhere. */
function splitBalances(): EngineCase {
  const bytes = new Uint8Array(readFileSync(join(ROOT, "build/examples/split-balances.wasm")));
  const frames = concatBytes(...Array.from({ length: 400 }, (_, i) => account(i)));
  const wasm = base64(metered(bytes));
  const buffers = [call("_initialize"), call("handler_in", 65_536), call("handler_out", 262_144)];
  const [, input] = runCases([{ name: "x", wasm, gas: GAS, steps: buffers }]);
  const write = Number(input?.split(" ")[2]);
  const steps = [...buffers, { write, bytes: base64(frames) }, call("handler_batch", 0, frames.length, 1)];
  return { name: "split-balances", wasm, gas: GAS, steps };
}

function account(index: number): Uint8Array {
  const address = Uint8Array.from({ length: 20 }, (_, i) => (index * 31 + i * 7) & 255);
  const coin = (denom: string) =>
    new WireWriter()
      .string(1, denom)
      .string(2, String(1_000 + index))
      .finish();
  const value = new WireWriter().bytes(1, address).int(3, BigInt(index));
  return pairFrame(
    concatBytes(Uint8Array.of(1), address),
    value.message(16, coin("uatom")).message(16, coin("ustake")).finish(),
  );
}
