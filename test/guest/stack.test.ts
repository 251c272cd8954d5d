/** Failures of guests in other languages: names of the name section, and positions of the metered code as the original has them. */
import { describe, expect, test } from "vitest";
import { failureLines, openHandler, runScene, type Scene } from "../../host/upgrade/test-kit/index.js";
import { build, guest } from "./build.js";

const SCENE: Scene = { stores: { all: [1, 2, 3].map((i) => [[1, i], "value"] as const) } };
const MANIFEST = { stores: [{ name: "all", access: "rw" }], scans: [{ store: "all" }] };
/** Traps at the third pair, whatever its batch. */
const TRAPS = `(local $at i32) (local.set $at (i32.const 65536))
  (block (loop
    (br_if 1 (i32.ge_u (local.get $at) (i32.add (i32.const 65536) (local.get $len))))
    (call $look (i32.load8_u (i32.add (local.get $at) (i32.const 9))))
    (local.set $at (i32.add (local.get $at) (i32.const 15))) (br 0)))
  (i32.store (i32.const 262144) (local.get $len)) (i32.const 4)`;
const LOOK = `(func $look (param $i i32) (loop (if (i32.eq (local.get $i) (i32.const 3)) (then unreachable))))`;

const bytes = build(guest({ batch: TRAPS, more: LOOK }), MANIFEST);

describe("runScene(), of a guest with a name section", () => {
  test("→ its functions by name, the pair in hand, no places without a map", () => {
    const { failure } = runScene(openHandler(bytes), SCENE);
    expect(failure?.frames).toEqual([
      { function: "look", place: undefined },
      { function: "batch", place: undefined },
    ]);
    expect(failureLines(failure as NonNullable<typeof failure>)).toEqual([
      'in scan 0 of store "all", at pair 3, key 0x0103',
      "  at look",
      "  at batch",
    ]);
  });

  test("with a map of another file → as without; with one that is none → UPG_INVALID_ARGUMENT", () => {
    const other = { map: 1, handler: "00", functions: { 7: "other" }, sources: [], lines: [] };
    const { failure } = runScene(openHandler(bytes, { map: JSON.stringify(other) }), SCENE);
    expect(failure?.frames[0]?.function).toBe("look");
    for (const map of ["{}", "no JSON", JSON.stringify({ ...other, lines: [[1, 2]] })]) {
      expect(() => openHandler(bytes, { map })).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    }
  });

  test("with a map → the place of the instruction that trapped, in the original", () => {
    const handler = openHandler(bytes);
    // unreachable is the only byte 0x00 after i32.eq, if and its type.
    const at = bytes.findIndex((_, i) => [0x46, 0x04, 0x40, 0x00].every((byte, j) => bytes[i + j] === byte)) + 3;
    const lines = [
      [at - 1, 0, 10, 1],
      [at, 0, 11, 2],
      [at + 1, 0, 12, 3],
    ];
    const map = JSON.stringify({ map: 1, handler: handler.hash, functions: { 4: "named" }, sources: ["a.c"], lines });
    const { failure } = runScene(openHandler(bytes, { map }), SCENE);
    expect(failure?.frames[0]?.place).toEqual({ source: "a.c", line: 11, column: 2 });
  });

  test("whose memory is full → out of memory, with the bytes a pair", () => {
    const grows = "(if (i32.eq (memory.grow (i32.const 100)) (i32.const -1)) (then unreachable))";
    const memory = '(memory (export "memory") 16 216)';
    const batch = `${grows} (i32.store (i32.const 262144) (local.get $len)) (i32.const 4)`;
    const leaks = openHandler(build(guest({ batch, memory }), MANIFEST));
    const run = runScene(leaks, SCENE, { batchBytes: 1 });
    expect(run.failure).toMatchObject({
      pair: { number: 3 },
      outOfMemory: { bytes: 216 * 65_536, limit: 216 * 65_536, perPair: 6_553_600 },
    });
    expect(failureLines(run.failure as NonNullable<typeof run.failure>)[1]).toMatch(
      /^out of memory: 13.5 MiB, grows 6553600 bytes a pair;/,
    );
  });
});
