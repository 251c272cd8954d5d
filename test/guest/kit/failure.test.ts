/** What an author sees of a handler of the kit that fails: the place, the pair in hand, functions and lines. */
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex } from "../../../host/base/text/bytes.js";
import { compileHandler } from "../../../host/cli/author/compile.js";
import { openCompiler } from "../../../host/cli/author/compiler.js";
import { makeMap } from "../../../host/cli/author/map/make-map.js";
import {
  type Failure,
  failureLines,
  runScene,
  type Scene,
  type WasmHandler,
} from "../../../host/upgrade/test-kit/index.js";
import { IMPORTS, mappedHandlerOf } from "./author.js";

const ROOT = join(import.meta.dirname, "../../..");

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Each plan's info picks a mistake. */
const SOURCE = `${IMPORTS}
plan("p", 100_000_000_000);
const s = store("s");
const key = new Writer();
const out = new Bytes();
let sum: u64 = 0;
migrate("m", 1, 2, step);
scan(s, "01", onPair, onEnd);
invariant("sum", isWhole);

function picks(what: string): bool {
  return context.plan.info.equals(Bytes.text(what));
}

function step(): void {
  if (picks("step")) fail(7, "no such record");
}

function onPair(old: Bytes, value: Bytes): void {
  if (context.plan.info.length == 0) return;
  const letter = context.plan.info.u8At(0);
  if (letter == 0x72) out.part(old, 0, 99 * old.u8At(1)); // range
  if (letter == 0x7a) sum = 7 / <u64>(5 - old.u8At(1)); // zero
  if (letter == 0x6d) new Writer(8192); // memory
  if (letter == 0x6c) sum = heap.alloc(40_000_000); // large
  if (letter == 0x6b) s.set(out.point(0, 0), value); // key
  if (letter == 0x64) dive(old.u8At(1)); // deep
}

function dive(depth: u64): u64 {
  return depth > 1_000_000 ? depth : dive(depth + 1) * 3;
}

function onEnd(): void {
  if (picks("end")) unreachable();
}

function isWhole(): bool {
  return !picks("check") || sum / (sum - sum) == 1;
}
`;
const LINES = SOURCE.split("\n");
const lineOf = (text: string) => LINES.findIndex((line) => line.includes(text)) + 1;

const scene = (info: string, pairs = 6): Scene => ({
  info,
  stores: { s: Array.from({ length: pairs }, (_, i) => [[1, i & 255, i >> 8], "value"] as const) },
});

describe("runScene(), of a handler that fails, with the map of its build", () => {
  let handler: WasmHandler;
  beforeAll(async () => {
    handler = await mappedHandlerOf(SOURCE);
  });
  const failureOf = (info: string, pairs?: number): Failure => {
    const { failure } = runScene(handler, scene(info, pairs));
    if (!failure) throw new Error("it did not fail");
    return failure;
  };
  const places = ({ frames }: Failure) => frames.map(({ place }) => `${place?.source}:${place?.line}`);
  const names = ({ frames }: Failure) => frames.map((frame) => frame.function.replace(/.*\//, ""));

  test("in a step → handler_run, the step and its line", () => {
    const failure = failureOf("step");
    expect([failure.phase, failure.pair]).toEqual(["handler_run", undefined]);
    expect(places(failure)).toContain(`assembly/index.ts:${lineOf('fail(7, "no such')}`);
  });

  test("by the kit, reading past the end → the pair in hand, the kit's function and the author's line", () => {
    const failure = failureOf("range");
    expect(failure).toMatchObject({
      phase: 'scan 0 of store "s"',
      pair: { store: "s", number: 2, key: "010100", isBatch: false },
      outOfMemory: undefined,
    });
    expect(places(failure)).toContain(`assembly/index.ts:${lineOf("// range")}`);
    expect(names(failure)).toContain("handler_batch");
  });

  test("by a division by zero → the pair in hand, and the line", () => {
    const failure = failureOf("zero");
    expect(failure.pair).toMatchObject({ number: 6, key: "010500" });
    expect(places(failure)[0]).toBe(`assembly/index.ts:${lineOf("// zero")}`);
  });

  test("by a key that is empty → the pair in hand, and the author's line below the kit's", () => {
    const failure = failureOf("key");
    expect(failure.pair).toMatchObject({ number: 1, key: "010000" });
    expect(failure.frames[1]?.place).toMatchObject({
      source: "~lib/chain-upgrade/assembly/handler/output.ts",
      near: { source: "assembly/index.ts", line: lineOf("// key") },
    });
    expect(failureLines(failure)).toEqual([
      'in scan 0 of store "s", at pair 1, key 0x010000',
      expect.stringMatching(/^ {2}at fail \(chain-upgrade\/assembly\/handler\/report.ts:\d+:\d+\)$/),
      expect.stringMatching(
        /^ {2}at onPair \(chain-upgrade\/assembly\/handler\/output.ts:\d+:\d+, near assembly\/index.ts:\d+:\d+\)$/,
      ),
      expect.stringMatching(/^ {2}at handler_batch \(chain-upgrade\/assembly\/handler\/exports.ts:\d+:\d+\)$/),
    ]);
  });

  test("for want of memory → so by name, with the bytes that each pair takes", () => {
    const failure = failureOf("memory", 5_000);
    expect(failure.outOfMemory?.bytes).toBe(33_554_432);
    expect(failure.outOfMemory?.perPair).toBeGreaterThan(8_000);
    expect(failure.outOfMemory?.perPair).toBeLessThan(8_400);
    expect(failure.pair?.number).toBeGreaterThan(3_900);
    expect(places(failure)).toContain(`assembly/index.ts:${lineOf("// memory")}`);
  });

  test("for want of memory, by one request → how much it asked for at once, the limit, and to ask for less", () => {
    const failure = failureOf("large");
    expect(failure.outOfMemory).toMatchObject({ bytes: 1_048_576, limit: 33_554_432 });
    expect(failureLines(failure)[1]).toBe(
      "out of memory: more than 31 MiB asked for at once, with 1 MiB in use, of at most 32 MiB; " +
        "ask for less at a time, and take long data in pieces",
    );
  });

  test("by calling itself too deeply → frames of it", () => {
    const failure = failureOf("deep");
    expect(failure.pair).toMatchObject({ number: 1 });
    expect(names(failure).filter((name) => name === "dive").length).toBeGreaterThan(10);
  });

  test("when a scan ends → the last pair, and the line of the end", () => {
    const failure = failureOf("end");
    expect(failure.pair).toMatchObject({ number: 6 });
    expect(places(failure)).toContain(`assembly/index.ts:${lineOf('picks("end")')}`);
  });

  test("in an invariant → handler_check, and the line", () => {
    const failure = failureOf("check");
    expect(failure.phase).toBe("handler_check");
    expect(places(failure)[0]).toBe(`assembly/index.ts:${lineOf('picks("check")')}`);
  });

  test("of one that succeeds → none", () => {
    expect(runScene(handler, scene("")).failure).toBeUndefined();
  });
});

describe("makeMap()", () => {
  test("of an example → a map of the released bytes; of bytes with other code → none", async () => {
    const project = join(ROOT, "examples/split-balances");
    const compiler = await openCompiler(project, ROOT);
    const options = { compiler, project, entry: "assembly/index.ts", packageRoot: ROOT };
    const { bytes } = await compileHandler(options);
    const hash = toHex(sha256(bytes));
    const { map } = await makeMap(options, { bytes, hash });
    expect(map).toContain(`"handler":"${hash}"`);
    const changed = bytes.map((byte, i) => (i === 4_000 ? byte ^ 1 : byte));
    expect((await makeMap(options, { bytes: changed, hash })).map).toBe(undefined);
  });
});
