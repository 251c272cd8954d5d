/**
 * What counting gas costs: each piece of work as it was compiled and metered, by turns, in this one process. The last is
 * the guest's part of the example's handler: batches of accounts, without the stores.
 */
import { readFileSync } from "node:fs";
import asc from "assemblyscript/asc";
import { meterModule } from "../../host/upgrade/handler/meter/meter.js";
import { METER_EXPORTS } from "../../host/upgrade/handler/meter/meter-exports.js";
import { decodeModule } from "../../host/upgrade/wasm/decode.js";
import { Findings } from "../../host/upgrade/wasm/findings.js";
import { accountFrames } from "../bulk/account-frames.js";

const ROUNDS = Number(process.argv[2]);
const WARM_UP_ROUNDS = 5;

type Exports = Record<string, (...args: readonly number[]) => number>;

interface Work {
  readonly name: string;
  readonly wasm: Uint8Array;
  /** Called once for each of the two; what it returns is measured. */
  readonly begin: (exports: Exports, memory: WebAssembly.Memory) => () => number;
}

async function kernel(name: string, count: number): Promise<Work> {
  let wasm: Uint8Array = new Uint8Array(0);
  const flags = ["--config", "none", "--runtime", "stub", "--initialMemory", "16", "--maximumMemory", "16", "-O3"];
  const { error } = await asc.main([`bench/assembly/${name}.ts`, ...flags, "--outFile", "out.wasm"], {
    writeFile: (file, contents) => {
      if (file === "out.wasm") wasm = contents as Uint8Array;
    },
  });
  if (error) throw error;
  return { name, wasm, begin: (exports) => () => exports["work"]?.(count) ?? 0 };
}

function handler(): Work {
  const frames = accountFrames(800);
  return {
    name: "split-balances",
    wasm: new Uint8Array(readFileSync("build/examples/split-balances.wasm")),
    begin: (exports, memory) => {
      exports["_initialize"]?.();
      const input = exports["handler_in"]?.(65_536) ?? 0;
      exports["handler_out"]?.(262_144);
      return () => {
        let sum = 0;
        for (let i = 0; i < 25; i++) {
          new Uint8Array(memory.buffer).set(frames, input);
          sum += exports["handler_batch"]?.(0, frames.length, 0) ?? 0;
        }
        return sum;
      };
    },
  };
}

function metered(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  return meterModule(decodeModule(wasm, new Findings()).module);
}

interface Running {
  readonly exports: Exports;
  readonly memory: WebAssembly.Memory;
}

function instance(wasm: Uint8Array<ArrayBuffer>): Running {
  const module = new WebAssembly.Module(wasm);
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => 0 };
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const { [METER_EXPORTS.gas]: gas, memory } = exports;
  if (gas instanceof WebAssembly.Global) gas.value = 1n << 62n;
  if (!(memory instanceof WebAssembly.Memory)) throw new Error("no memory");
  return { exports: exports as Exports, memory };
}

function compare({ name, wasm, begin }: Work): object[] {
  const sides = [new Uint8Array(wasm), metered(wasm)].map((bytes) => {
    const { exports, memory } = instance(bytes);
    return { work: begin(exports, memory), samples: [] as number[] };
  });
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const answers = sides.map(({ work, samples }) => {
      const start = performance.now();
      const answer = work();
      if (round >= 0) samples.push((performance.now() - start) * 1_000);
      return answer;
    });
    if (answers[0] !== answers[1]) throw new Error(`${name}: metered, the answer is ${answers[1]}, not ${answers[0]}`);
  }
  const [plain, counted] = sides;
  return [
    { row: `${name} plain`, unit: "µs", samples: plain?.samples },
    { row: `${name} metered`, unit: "µs", samples: counted?.samples, against: `${name} plain` },
  ];
}

const works = [await kernel("sha256", 10_000), await kernel("varint", 100_000), handler()];
process.stdout.write(JSON.stringify(works.flatMap(compare)));
