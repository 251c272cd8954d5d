/** Whatever passes the checks compiles and runs in at most 256 MB more, on every engine; what would not is refused. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { largestHandler, MEMORY_BYTES_MAX, randomBomb } from "../guest/bombs/bombs.js";
import { moduleOf } from "../guest/bombs/module-of.js";
import { SHAPES, type Shape } from "../guest/bombs/shapes.js";
import { metered } from "../guest/random/metering.js";
import { Random } from "../guest/random/random.js";
import { everyNth } from "../sample.js";
import { compilers } from "./compile-memory.js";

const SEED = 20_261_122;
const MIXTURES = 1;
/** Each takes a second where nothing else runs. */
const SLOW = { timeout: 600_000 };

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bombs-"));
const engines = await compilers(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const named = engines.map(({ name, missing }) => (missing ? `${name} (skipped: ${missing})` : name)).join("; ");

/** Each engine in a process of its own, one after the other. */
async function expectAtMost256(handler: Uint8Array): Promise<void> {
  const file = join(folder, "bomb.wasm");
  writeFileSync(file, metered(handler));
  for (const { name, missing, memory } of engines) {
    if (missing) continue;
    const bytes = await memory(file);
    expect(bytes, name).toBeGreaterThan(0);
    expect(bytes, name).toBeLessThan(MEMORY_BYTES_MAX);
  }
}

const shape = (name: string): Shape => {
  const found = SHAPES[name];
  if (!found) throw new Error(`there is no shape "${name}"`);
  return found;
};

describe("bombs of one function, as they were before branches were counted", () => {
  test.each<[what: string, name: string, bytes: number, locals: number, figure: string]>([
    ["45 br_tables × 256 locals", "br_table of labels, all locals changed before each", 60_000, 254, "branches"],
    ["60,000 br_if × 256 locals", "br_if out of one block, a local changed before each", 65_000, 254, "operands"],
    ["16,000 br_if, two variables", "br_if out of one block", 65_000, 1, "branches"],
    ["ifs, two variables", "ifs, a local changed in each", 65_000, 1, "branches"],
    ["loops in loops", "nested loops, all locals changed inside", 65_000, 254, "operands"],
    ["13,000 calls", "calls", 65_000, 8, "calls"],
    ["loops after loops", "empty loops", 65_000, 0, "loops"],
  ])("%s → UPG_HANDLER_LIMIT, with function, offset, figure and limit", (_, name, bytes, locals, figure) => {
    const [first] = checkHandler(moduleOf([shape(name)(bytes, locals)])).findings;
    expect(first).toMatchObject({ code: "UPG_HANDLER_LIMIT", function: "f0", offset: expect.any(Number) });
    expect(first?.message).toMatch(/^[a-z ,×]+: \d+, at most \d+ are allowed; split the function$/);
    expect(first?.message).toContain(figure);
  });
});

// The dearest of each kind of cost; `npm run bombs:handlers` measures every kind, and as many mixtures as `--count` says.
describe(`the dearest files that are taken, on ${named}`, () => {
  const dearest: [name: string, locals: number][] = everyNth(2, [
    ["br_if out of one block, a local changed before each", 254],
    ["values alive over ifs", 8],
    ["calls", 254],
  ]);
  test.each(dearest)("%s, %i locals → at most 256 MB more", SLOW, (name, locals) =>
    expectAtMost256(largestHandler(shape(name), locals)),
  );

  const random = new Random(SEED);
  const mixtures = Array.from({ length: MIXTURES }, () => randomBomb(random));
  test.each(mixtures)(`seed ${SEED}: $name → at most 256 MB more`, SLOW, ({ bytes }) => expectAtMost256(bytes()));
});
