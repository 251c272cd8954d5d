/** `chaind handler check` and `inspect` as processes: what they print of good, bad and odd files, how they end. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { at, handler, type Json, SPLIT_BALANCES, written } from "../../../e2e/handler-line.js";
import { build, guest } from "../../../guest/build.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

describe("chaind handler check", () => {
  test("of a good file and bad ones --json → one line each, exit 21", async () => {
    const float = guest({ more: "(func (drop (f32.const 1)))" });
    const refused = written("float.wasm", build(float));
    const { exit, answers } = await handler("check", SPLIT_BALANCES, refused, "--json");
    expect(exit).toBe(21);
    const [good, bad] = answers();
    expect(good).toMatchObject({ file: SPLIT_BALANCES, ok: true, name: "v2", gas_limit: "100000000000", findings: [] });
    expect(good?.["sha256"]).toBe(toHex(sha256(readFileSync(SPLIT_BALANCES))));
    expect(bad).toMatchObject({ ok: false, name: "v2", findings: [{ code: "UPG_HANDLER_OPCODE" }] });
  });

  test("of a file that is absent → exit 2, of a folder → exit 30, and the files beside them are checked all the same", async () => {
    const absent = await handler("check", at("nowhere"), SPLIT_BALANCES, "--json");
    expect(absent.exit).toBe(2);
    expect(absent.answers()).toMatchObject([
      { ok: false, sha256: null, findings: [{ code: "UPG_INVALID_ARGUMENT" }] },
      { ok: true },
    ]);
    expect((await handler("check", at("nowhere"))).stdout).toBe(
      `${at("nowhere")}: not read\n  UPG_INVALID_ARGUMENT: there is no file ${at("nowhere")}\n`,
    );
    const unread = await handler("check", at(), at("nowhere"), "--json");
    expect(unread.exit).toBe(30);
    expect(unread.answers()[0]).toMatchObject({ ok: false, sha256: null, findings: [{ code: "UPG_STORE_IO" }] });
  });

  test("of refused files among files that are absent or no files → exit 21: a verdict comes first", async () => {
    const refused = written("cut.wasm", readFileSync(SPLIT_BALANCES).subarray(0, 999));
    expect((await handler("check", at("nowhere"), refused, at())).exit).toBe(21);
  });

  test("of a file that the nodes of this chain refuse by its manifest → refused in the first line, exit 21, and in JSON", async () => {
    const deletes = { name: "v3", storeUpgrades: { added: [], renamed: [], deleted: ["gov"] } };
    for (const [name, allows, why] of [
      ["deletes.wasm", {}, 'deletes the store "gov", and the module "gov" stays'],
      ["allowed.wasm", { deleteStores: ["gov"] }, 'the module "gov" is in the version map and has no store ("gov")'],
    ] as const) {
      const file = written(name, build(guest(), { ...deletes, allows }));
      const text = await handler("check", file);
      expect([text.exit, text.stdout.split("\n")[0]]).toEqual([
        21,
        expect.stringMatching(`^${file}: refused by the nodes of this chain, for plan "v3", `),
      ]);
      expect(text.stdout).toContain(`NODES REFUSE IT: `);
      const { exit, answers } = await handler("check", file, SPLIT_BALANCES, "--json");
      expect(exit).toBe(21);
      const finding = { code: "UPG_MIGRATION_VERSION_MAP", message: expect.stringContaining(why) };
      expect(answers()).toMatchObject([{ ok: false, name: "v3", findings: [finding] }, { ok: true }]);
    }
  });

  test("of good files alone → exit 0", async () => {
    expect((await handler("check", SPLIT_BALANCES)).exit).toBe(0);
  });

  test("of a pipe that nobody writes to, an endless device, a file that is too long → an end at once", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    const long = written("long.wasm", new Uint8Array(5_000_000));
    const { exit, answers } = await handler("check", at("pipe"), "/dev/zero", long, "--json");
    expect(exit).toBe(21);
    expect(answers().map(({ findings }) => (findings as Json[])[0]?.["code"])).toEqual([
      "UPG_STORE_IO",
      "UPG_STORE_IO",
      "UPG_HANDLER_LIMIT",
    ]);
    expect(answers()[2]?.["sha256"]).toBe(toHex(sha256(new Uint8Array(5_000_000))));
  });

  test("of one file cut short anywhere, and with bytes changed → refused or taken, and always an answer", async () => {
    const whole = readFileSync(SPLIT_BALANCES);
    const files = Array.from({ length: 60 }, (_, i) => {
      const bytes = Uint8Array.from(whole);
      const place = Math.floor((i * whole.length) / 60);
      if (i % 2 === 0) return written(`broken-${i}.wasm`, bytes.subarray(0, place));
      bytes[place] = (bytes[place] as number) ^ (1 << (i % 8));
      return written(`broken-${i}.wasm`, bytes);
    });
    const { exit, answers } = await handler("check", ...files, "--json");
    expect(exit).toBe(21);
    expect(answers().map(({ file }) => file)).toEqual(files);
  });
});

describe("chaind handler inspect", () => {
  test("of a handler → its manifest, imports, exports, sections and functions", async () => {
    const { exit, answer } = await handler("inspect", SPLIT_BALANCES, "--json");
    expect(exit).toBe(0);
    const { manifest, imports, exports, sections, functions, size } = answer();
    expect(manifest).toMatchObject({ name: "v2", scans: [{ store: "auth", prefix: "01" }] });
    expect(imports).toContainEqual({ name: "chain.store_write", type: "(i32, i32) -> i32" });
    expect(exports).toContainEqual({ name: "handler_run", kind: "function", type: "(i32) -> i32" });
    const bytes = (sections as { bytes: number }[]).reduce((sum, section) => sum + section.bytes, 8);
    expect(bytes).toBe(size);
    expect((functions as Json[]).length).toBeGreaterThan(10);
  });

  test("of a handler, for people → a screen of lines, manifest first; with --all each function", async () => {
    const { exit, stdout } = await handler("inspect", SPLIT_BALANCES);
    const lines = stdout.trimEnd().split("\n");
    expect([exit, lines.length <= 40, lines[2]]).toEqual([0, true, 'manifest  plan "v2", at most 100000000000 gas']);
    expect((await handler("inspect", SPLIT_BALANCES, "--all")).stdout.split("\n").length).toBeGreaterThan(lines.length);
  });

  test("of no Wasm → what can be said, exit 21", async () => {
    const { exit, answer } = await handler("inspect", written("text.wasm", Buffer.from("hello")), "--json");
    expect(exit).toBe(21);
    expect(answer()).toMatchObject({
      ok: false,
      manifest: null,
      functions: [],
      findings: [{ code: "UPG_HANDLER_FORMAT" }],
    });
  });
});

describe("chaind handler meter", () => {
  test("of a handler → the file with its metered module, which check, inspect and diff name; again → the same bytes", async () => {
    mkdirSync(at("made"));
    const { exit, answer } = await handler("meter", SPLIT_BALANCES, "--out", at("made/metered.wasm"), "--json");
    expect(exit).toBe(0);
    const { size, metered, sha256: hash } = answer();
    expect((await handler("check", at("made/metered.wasm"), SPLIT_BALANCES, "--json")).answers()).toMatchObject([
      { ok: true, metered, sha256: hash },
      { ok: true, metered: null },
    ]);
    expect((await handler("check", SPLIT_BALANCES)).stdout).toContain(
      `  metered module   no: hosts make it themselves with check.wasm; for a host that cannot, \`chaind handler meter ${SPLIT_BALANCES} --out FILE\` puts it in\n`,
    );
    expect((await handler("inspect", at("made/metered.wasm"), "--json")).answer()).toMatchObject({
      size,
      metered: { bytes: metered },
    });
    const { answer: difference } = await handler("diff", SPLIT_BALANCES, at("made/metered.wasm"), "--json");
    expect(difference()).toMatchObject({ same: false, functions: [], metered: { a: null, b: metered } });
    const again = await handler("meter", at("made/metered.wasm"), "--out", at("made/metered.wasm"));
    expect(again.stdout).toContain(`sha256  ${hash}`);
  });

  test("of what is no handler, and to a place that is a folder → an error, and nothing is written", async () => {
    const text = written("no.wasm", Buffer.from("hello"));
    const refused = await handler("meter", text, "--out", at("refused.wasm"));
    expect([refused.exit, existsSync(at("refused.wasm"))]).toEqual([21, false]);
    expect(refused.stderr).toContain("UPG_HANDLER_FORMAT");
    expect((await handler("meter", at("nowhere"), "--out", at("refused.wasm"))).exit).toBe(2);
    expect((await handler("meter", SPLIT_BALANCES, "--out", at())).exit).toBe(2);
    expect((await handler("meter", SPLIT_BALANCES)).exit).toBe(2);
  });
});

describe("chaind handler pack", () => {
  const manifest = { abi: 1, name: "packed", gasLimit: "5", stores: [], versions: { bank: { from: [1], to: 2 } } };

  test("of a module and a manifest → a handler that check takes, exit 0; a bad manifest → 21, none → 2, and nothing is written", async () => {
    const module = written("module.wasm", build(guest()));
    const json = written("manifest.json", Buffer.from(JSON.stringify(manifest)));
    const packed = await handler("pack", module, "--manifest", json, "--out", at("packed.wasm"), "--json");
    expect([packed.exit, packed.answer()["name"]]).toEqual([0, "packed"]);
    expect((await handler("check", at("packed.wasm"), "--json")).answer()).toMatchObject({ ok: true, name: "packed" });
    const bad = written("bad.json", Buffer.from(JSON.stringify({ ...manifest, gasLimit: "0" })));
    const refused = await handler("pack", module, "--manifest", bad, "--out", at("refused.wasm"));
    expect([refused.exit, refused.stderr]).toEqual([21, expect.stringContaining("$.gasLimit")]);
    expect((await handler("pack", module, "--manifest", at("none.json"), "--out", at("refused.wasm"))).exit).toBe(2);
    expect(existsSync(at("refused.wasm"))).toBe(false);
  });
});

describe("chaind handler scene", () => {
  test("of no home, of nothing named, of a prefix that is no hex → exit 2, and nothing is written", async () => {
    const scene = (...args: string[]) => handler("scene", "--state", at("nowhere"), "--out", at("scene.json"), ...args);
    for (const args of [["--store", "bank"], [], ["--store", "bank", "--prefix", "0"]])
      expect((await scene(...args)).exit).toBe(2);
    expect(existsSync(at("scene.json"))).toBe(false);
  });
});
