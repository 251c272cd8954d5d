/**
 * `node scripts/run.mjs test/guest/bombs/main.ts [--seed N] [--count N]`: what the dearest files of every shape, and of
 * random mixtures of shapes, take to compile on each engine. Prints MiB and seconds; exits 1 above 256 MiB.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "../../engines/bundle.js";
import { type Compiler, commands, compileMemory } from "../../engines/compile-memory.js";
import { prepareWasmtime, prepareWazero } from "../../engines/prepare.js";
import { metered } from "../random/metering.js";
import { Random } from "../random/random.js";
import { largestHandler } from "./largest.js";
import { SHAPES, type Shape } from "./shapes.js";

const MEBIBYTE = 1_048_576;
const LOCALS = [0, 8, 64, 254];
const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "20" } },
});
const random = new Random(Number(values.seed));

/** Some shapes in one function, one behind the other: each leaves an i32, which is dropped. */
function mixture(shapes: readonly Shape[]): Shape {
  return (bytes, locals) => {
    const parts = shapes.map((shape) => shape(bytes / shapes.length, locals).code);
    return { locals, code: Uint8Array.from(parts.flatMap((code, i) => [...(i > 0 ? [0x1a] : []), ...code])) };
  };
}

const systematic = Object.entries(SHAPES).flatMap(([name, shape]) =>
  LOCALS.map((locals) => ({ name, shape, locals, bytes: undefined })),
);
const mixed = Array.from({ length: Number(values.count) }, () => {
  const names = Array.from({ length: 2 + random.below(3) }, () => random.pick(Object.keys(SHAPES)));
  const shape = mixture(names.map((name) => SHAPES[name] as Shape));
  return { name: names.join(" + "), shape, locals: random.pick(LOCALS), bytes: random.pick([1_000, 8_000, 65_536]) };
});

const skipped: Partial<Record<Compiler, unknown>> = { wazero: prepareWazero(), wasmtime: prepareWasmtime() };
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bombs-"));
let worst = 0;
try {
  const compilers = Object.entries(commands(await bundle("compile-runner.ts", "esm", folder)));
  for (const { name, shape, locals, bytes } of [...systematic, ...mixed]) {
    const file = join(folder, "bomb.wasm");
    const original = largestHandler(shape, locals, bytes);
    writeFileSync(file, metered(original));
    const figures = compilers.map(([compiler, command]) => {
      if (skipped[compiler as Compiler]) return `${compiler} skipped`;
      const start = performance.now();
      const memory = compileMemory(command, file);
      worst = Math.max(worst, memory);
      return `${compiler} ${Math.round(memory / MEBIBYTE)} MiB ${((performance.now() - start) / 1_000).toFixed(1)} s`;
    });
    process.stdout.write(`${name}, ${locals} locals (${original.length} bytes): ${figures.join("; ")}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`worst: ${Math.round(worst / MEBIBYTE)} MiB (seed ${values.seed})\n`);
if (worst > 256 * MEBIBYTE) process.exitCode = 1;
