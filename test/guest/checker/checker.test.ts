/**
 * check.wasm says of every file what the oracle in TypeScript says (test/oracle): verdict, codes, places, messages, manifest, metered module.
 * The campaign of mutated handlers (fuzz/) compares the two as well.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { concatBytes, fromBase64, utf8 } from "../../../host/base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../../host/base/types/limits.js";
import { examineHandler } from "../../../host/upgrade/handler/check/check.js";
import { withMetered } from "../../../host/upgrade/handler/metered-section.js";
import { FILES_BY_HAND } from "../../embed/mutated-files/files-by-hand.js";
import { ROOT } from "../../house/sources.js";
import { loadFile } from "../../vectors/harness.js";
import { moduleOf } from "../bombs/module-of.js";
import { SHAPES } from "../bombs/shapes.js";
import { assemble, build, customSection, guest, MINIMAL_MANIFEST, manifestSection } from "../build.js";
import { mutated } from "../fuzz/mutate.js";
import { REFUSED_MANIFESTS } from "../hostile/refused-manifests.js";
import { REFUSED_MODULES } from "../hostile/refused-modules.js";
import { asHandler } from "../random/as-handler.js";
import { Random } from "../random/random.js";
import { randomGuest } from "../random/random-guest.js";
import { randomModule } from "../random/random-module.js";
import { compared } from "./compared.js";

const ROUNDS = 4_000;
const SEED = 20_270;

describe("check.wasm and the oracle → the same", () => {
  test("of the examples", () => {
    const folder = join(ROOT, "build/examples");
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".wasm"))) {
      const file = new Uint8Array(readFileSync(join(folder, name)));
      expect(compared(file, name).findings, name).toEqual([]);
      expect(compared(withMetered(file), `${name}, metered`).facts?.carriesMetered, name).toBe(true);
    }
  });

  test("of every file of handler-cases.json, and of those that only a meter refuses", () => {
    const guests: { readonly name: string; readonly wasm: string }[] = loadFile("handler-cases").head["guests"];
    expect(guests.length).toBeGreaterThan(1_000);
    for (const { name, wasm } of guests) compared(fromBase64(wasm), name);
  });

  test.each([...REFUSED_MODULES, ...REFUSED_MANIFESTS])("of what is refused: $what", ({ what, bytes }) => {
    expect(compared(bytes(), what).findings).not.toEqual([]);
  });

  test.each(FILES_BY_HAND)("of a file that every host judges: $what", ({ what, bytes, code }) => {
    expect(compared(bytes(), what).findings[0]?.code).toBe(code);
  });

  test("of 60 random guests and 400 random modules", () => {
    for (let seed = 0; seed < 60; seed++) {
      const { parts, manifest } = randomGuest(seed);
      compared(build(guest(parts), manifest), `guest of seed ${seed}`);
    }
    for (let seed = 0; seed < 400; seed++) {
      const what = `module of seed ${seed}`;
      const file = asHandler(randomModule(seed, seed % 3 === 0, seed % 2 === 0).bytes);
      expect(compared(file, what).findings, what).toEqual([]);
    }
  });

  test("of functions of every shape that is dear to compile, taken or not", () => {
    for (const [name, shape] of Object.entries(SHAPES)) {
      for (const bytes of [400, 4_000]) {
        const body = shape(bytes, 8);
        compared(moduleOf([body]), `${name}, ${bytes} bytes`);
        if (bytes < 1_000) compared(moduleOf(Array.from({ length: 200 }, () => body)), `${name}, 200 times`);
      }
    }
  });

  test(`of ${ROUNDS} mutated manifests, seed ${SEED}`, () => {
    const module = assemble(guest({ batch: "(i32.const 4)" }));
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(SEED + Math.imul(round, 0x9e3779b1));
      const [text, other] = [random.pick(MANIFESTS), random.pick(MANIFESTS)];
      const file = concatBytes(module, manifestSection(mutated(text, random, other)));
      compared(file, `seed ${SEED}, round ${round}`);
    }
  });
});

/** Manifests that use all there is, as bytes. */
const MANIFESTS = [
  {
    stores: [
      { name: "auth", access: "rw", prefixes: ["01", "02ff", "aB"] },
      { name: "new", access: "rw" },
      { name: "upgrade", access: "r" },
    ],
    storeUpgrades: { added: ["x/y"], renamed: [{ old_key: "old", new_key: "new" }], deleted: ["gone"] },
    versions: { auth: { from: [1, "2"], to: 3 }, "m-1": { to: "4294967295" }, "ü ⁂": { from: [0], to: 0 } },
    removes: ["gov", "a"],
    scans: [{ store: "auth", prefix: "02ff00" }, { store: "new" }],
    allows: { deleteStores: ["gone"], removeModules: ["gov"], writeStores: ["old"], keepStores: ["gov"] },
  },
  { stores: [], versions: {}, allows: { emptyVersionMap: true } },
  { name: "\ud83d\ude00".repeat(30), gasLimit: "1", versions: { ["\ud83d\ude00".repeat(35)]: { to: 1 } } },
].map((fields) => new TextEncoder().encode(JSON.stringify({ ...MINIMAL_MANIFEST, ...fields })));

describe("check.wasm", () => {
  test("operands of the wrong type → the finding of the engine's validation, before any of the metered module", () => {
    const wat = guest({ run: "(i64.const 1) (i32.eqz) (drop) (i32.const 0)" }).replace("(i32.eqz)", "(i64.eqz)");
    const good = build(wat);
    const bad = good.slice();
    // i64.eqz becomes i32.eqz: the height of the stack is right, the type is not.
    bad[good.findLastIndex((byte, i) => byte === 0x50 && good[i + 1] === 0x1a)] = 0x45;
    const codes = (file: Uint8Array) => compared(file, "operands").findings.map(({ code }) => code);
    expect(codes(good)).toEqual([]);
    expect(codes(bad)).toEqual(["UPG_HANDLER_FORMAT"]);
    const section = customSection("chain-upgrade.metered", Uint8Array.of(1));
    expect(codes(concatBytes(bad, section))).toEqual(["UPG_HANDLER_FORMAT"]);
    expect(codes(concatBytes(bad, section, section))).toEqual(["UPG_HANDLER_FORMAT", "UPG_HANDLER_METERED"]);
    expect(codes(concatBytes(good, section, section))).toEqual(["UPG_HANDLER_METERED"]);
  });

  test("a file of 1 MiB and one of a byte more → the same as in TypeScript, and the next file is checked as before", () => {
    const file = build(guest());
    const filler = (length: number) => {
      const empty = customSection("filler", new Uint8Array(length - file.length - 20));
      return concatBytes(file, empty, customSection("f", new Uint8Array(length - file.length - empty.length - 4)));
    };
    expect(filler(HANDLER_BYTES_MAX).length).toBe(HANDLER_BYTES_MAX);
    expect(compared(filler(HANDLER_BYTES_MAX), "1 MiB").findings).toEqual([]);
    const [finding] = compared(filler(HANDLER_BYTES_MAX + 1), "a byte more").findings;
    expect(finding?.code).toBe("UPG_HANDLER_LIMIT");
    expect(compared(file, "the next").findings).toEqual([]);
  });

  test("a message longer than 16 KiB, cut inside a character → the same as in TypeScript, without that character", () => {
    for (const [character, bytes] of [
      ["é", 2],
      ["⁂", 3],
      ["😀", 4],
    ] as const) {
      for (let length = 16_310; length < 16_345; length++) {
        const manifest = `{"${"a".repeat(length)}":${character}`;
        const [finding] = compared(build(guest(), manifest), `${character} after ${length} bytes`).findings;
        expect(finding?.code).toBe("UPG_HANDLER_MANIFEST");
        expect(utf8(finding?.message ?? "").length).toBeGreaterThan(16_384 - bytes);
      }
    }
  });

  test("facts of a module → its optional exports, its memory, the schedule", () => {
    const all = { batch: "(i32.const 4)", check: "(i32.const 0)", err: "(i32.const 0)" };
    const more = '(func (export "_initialize"))';
    const memory = '(memory (export "memory") 17 600)';
    expect(examineHandler(build(guest({ ...all, more, memory }))).facts).toEqual({
      ...{ gasSchedule: "gas-2", batch: true, check: true, err: true, initialize: true },
      ...{ memoryPages: 17, memoryPagesMax: 512, carriesMetered: false },
    });
    expect(examineHandler(build(guest())).facts).toEqual({
      ...{ gasSchedule: "gas-2", batch: false, check: false, err: false, initialize: false },
      ...{ memoryPages: 16, memoryPagesMax: 512, carriesMetered: false },
    });
  });
});
