/** `chain-upgrade/verify` as pages get it: what is in its bundle, how large it is, and that it works with nothing beside it. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkWasmBeside } from "../../scripts/check-wasm-beside.mjs";
import { withoutMeanings } from "../../scripts/without-meanings.mjs";
import { ROOT } from "./sources.js";

/** What a page loads before it shows a claim; minified and compressed. */
const ENTRY_BYTES_MAX = 31_300;
/** And what it loads when a visitor runs the upgrade again: a fifth of it is core.wasm and hash.wasm as text. */
const LATER_BYTES_MAX = 43_500;
/** And beside that check.wasm as text. */
const CHECK_BYTES_MAX = 24_200;

describe("chain-upgrade/verify", () => {
  let outputs: Metafile["outputs"];
  let files: ReadonlyMap<string, Uint8Array>;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "chain-upgrade-verify-"));
    const { metafile, outputFiles } = await build({
      entryPoints: { verify: join(ROOT, "host/verify/index.ts") },
      ...{ bundle: true, splitting: true, minify: true, format: "esm", platform: "browser", target: "es2022" },
      alias: { "@assemblyscript/loader": join(ROOT, "web/instantiate.ts") },
      plugins: [withoutMeanings, checkWasmBeside],
      ...{ absWorkingDir: ROOT, outdir: "out", write: false, metafile: true, logLevel: "silent" },
    });
    outputs = metafile.outputs;
    files = new Map(outputFiles.map(({ path, contents }) => [path.slice(ROOT.length + 1), contents]));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The chunks that a chunk loads with itself. */
  function loadedWith(entry: string): Set<string> {
    const found = new Set<string>();
    const reach = (path: string): void => {
      if (found.has(path)) return;
      found.add(path);
      for (const { path: to, kind } of outputs[path]?.imports ?? []) if (kind === "import-statement") reach(to);
    };
    reach(entry);
    return found;
  }

  const bytesOf = (chunks: Iterable<string>) =>
    [...chunks].reduce((sum, chunk) => sum + brotliCompressSync(files.get(chunk) as Uint8Array).length, 0);

  test("no node:*, no protobuf runtime, no secp256k1, and nothing from outside", () => {
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.length).toBeGreaterThan(30);
    expect(inputs.filter((path) => /@bufbuild|secp256k1|legacy\.js|host\/base\/gen\//.test(path))).toEqual([]);
    const outside = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
    expect(outside.map(({ path }) => path)).toEqual(["./verify-check-wasm.js"]);
    // Another check.wasm beside it is refused by the hash that the bundle has.
    const { check } = JSON.parse(readFileSync(join(ROOT, "assembly/abi.json"), "utf8")) as {
      check: { sha256: string };
    };
    const holding = [...files.values()].filter((contents) => Buffer.from(contents).includes(check.sha256));
    expect(holding).toHaveLength(1);
  });

  test(`check.wasm is a file of its own, of at most ${CHECK_BYTES_MAX} bytes, that imports nothing`, async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [join(ROOT, "host/upgrade/handler/check/check-wasm.ts")],
      ...{ bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022" },
      ...{ absWorkingDir: ROOT, outdir: "out", write: false, metafile: true, logLevel: "silent" },
    });
    expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports)).toEqual([]);
    const [file] = outputFiles;
    expect(Buffer.from(file?.contents ?? []).includes("SHA256")).toBe(false);
    expect(brotliCompressSync(file?.contents ?? new Uint8Array()).length).toBeLessThan(CHECK_BYTES_MAX);
    expect(Buffer.from(file?.contents ?? []).includes(readFileSync(join(ROOT, "dist/check.wasm"), "hex"))).toBe(true);
  });

  test(`at most ${ENTRY_BYTES_MAX} bytes, and ${LATER_BYTES_MAX} more when an upgrade is run again`, () => {
    const entry = loadedWith("out/verify.js");
    const later = Object.keys(outputs).filter((path) => !entry.has(path));
    expect(later.length).toBeGreaterThan(0);
    expect(
      [...entry].some((path) => Object.keys(outputs[path]?.inputs ?? {}).some((it) => it.endsWith("core-wasm.ts"))),
    ).toBe(false);
    expect(bytesOf(entry)).toBeLessThan(ENTRY_BYTES_MAX);
    expect(bytesOf(later)).toBeLessThan(LATER_BYTES_MAX);
  });

  test("the files of dist/, alone in a folder → verify and refuse, and load the rest when it is asked for", () => {
    for (const name of readdirSync(join(ROOT, "dist"))) {
      if (name.startsWith("verify")) cpSync(join(ROOT, "dist", name), join(folder, name));
    }
    const program = `
      import { isUpgradeError, reExecute, verifyEvidence } from "./verify.js";
      const root = { chainId: "a", height: 1n, hash: new Uint8Array(32), from: "yours" };
      const trust = { root, now: { seconds: 1n, nanos: 0 }, trustingPeriod: 9n };
      const headers = { block: { height: 20n }, next: { height: 22n } };
      const [witness, handler] = [new Uint8Array(), new Uint8Array()];
      for (const work of [verifyEvidence("{}", trust), reExecute({ witness, handler, headers, maxBytes: 9 })]) {
        await work.catch((error) => console.log(isUpgradeError(error) && error.code));
      }`;
    writeFileSync(join(folder, "program.mjs"), program);
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8" });
    expect(stdout, stderr).toBe("UPG_PROOF_MALFORMED\nUPG_WITNESS_HEADERS\n");
  });

  test("dist/verify.js says of itself what it is made of: no import but of its own chunks", () => {
    const text = readFileSync(join(ROOT, "dist/verify.js"), "utf8");
    const imported = [...text.matchAll(/(?:\bfrom|\bimport\()\s*"([^"]+)"/g)].map(([, specifier]) => specifier);
    expect(imported.filter((specifier) => !specifier?.startsWith("./"))).toEqual([]);
  });
});
