/** assembly/abi.json is the interface: the built modules, their twins in TypeScript and the hosts hold to it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ABSENT, ERROR_KINDS } from "../../host/base/errors/errors.js";
import * as limits from "../../host/base/types/limits.js";
import type { Decision } from "../../host/base/types/types.js";
import { Core } from "../../host/upgrade/core/core.js";
import { CORE_WASM } from "../../host/upgrade/core/core-wasm.js";
import { CHECK_SHA256 } from "../../host/upgrade/handler/check/check-hash.js";
import { checkWasmHex } from "../../host/upgrade/handler/check/check-wasm.js";
import { instructionPrice } from "../../host/upgrade/handler/meter/instruction-prices.js";
import * as schedule from "../../host/upgrade/handler/meter/schedule.js";
import { decodeModule } from "../../host/upgrade/wasm/decode.js";
import { Findings } from "../../host/upgrade/wasm/findings.js";
import * as wasmLimits from "../../host/upgrade/wasm/limits.js";
import { signatureText } from "../../host/upgrade/wasm/value-types.js";
import { SECTION, type WasmModule } from "../../host/upgrade/wasm/wasm-module.js";
import { compile } from "../core/assemblyscript.js";
import { storeOf } from "../core/cores.js";
import { canonicalPlan } from "../core/plan-wire.js";
import { INTERFACE_EXPORTS, OFFERED_IMPORTS } from "../oracle/interface.js";
import { ROOT, sourcesUnder } from "./sources.js";

interface Signature {
  readonly params: readonly string[];
  readonly results: readonly string[];
}
type Signatures = Readonly<Record<string, Signature>>;

interface Abi {
  readonly core: {
    readonly version: { readonly major: number; readonly minor: number };
    readonly memory: { readonly export: string; readonly pages: number; readonly pagesMax: number };
    readonly imports: Signatures;
    readonly exports: Signatures;
    readonly preBlockFlags: Readonly<Record<string, number>>;
    readonly decisions: Readonly<Record<string, number>>;
  };
  readonly check: {
    readonly sha256: string;
    readonly version: { readonly major: number; readonly minor: number };
    readonly memory: { readonly export: string; readonly pages: number; readonly pagesMax: number };
    readonly imports: Signatures;
    readonly exports: Signatures;
    readonly fileFlags: Readonly<Record<string, number>>;
  };
  readonly handler: {
    readonly version: number;
    readonly imports: Signatures;
    readonly exports: Readonly<Record<string, Signature & { readonly required: boolean }>>;
  };
  readonly codes: Readonly<Record<string, number>>;
}

const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
const binary = (path: string) => new Uint8Array(readFileSync(join(ROOT, path)));
const abi = JSON.parse(text("assembly/abi.json")) as Abi;

/** As `signatureText` writes it. */
const written = ({ params, results }: Signature) =>
  `(${params.join(", ")}) -> ${results.length === 1 ? results[0] : `(${results.join(", ")})`}`;
const writtenAll = (signatures: Signatures) =>
  Object.fromEntries(Object.entries(signatures).map(([name, signature]) => [name, written(signature)]));

/** `export const NAME: type = number;` of an AssemblyScript file. */
function constantsOf(path: string): Record<string, number> {
  const found = text(path).matchAll(/^export const (\w+): [iu](?:8|32|64) = (-?[\d_]+|0x[0-9a-f]+);$/gm);
  return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value?.replaceAll("_", ""))]));
}

/** The module, if a handler's decoder has nothing against it: no float, no start section, integers alone. */
function decoded(bytes: Uint8Array): WasmModule {
  const findings = new Findings();
  const { module, isWhole } = decodeModule(bytes, findings);
  expect(findings.list((index) => `func[${index}]`)).toEqual([]);
  expect(isWhole).toBe(true);
  return module;
}

function typeOf(module: WasmModule, index: number): string {
  const type = module.types[module.functionTypes[index] ?? -1];
  return type ? signatureText(type) : "no function";
}

describe.each(["build/core.wasm", "build/core.debug.wasm"])("%s", (path) => {
  const bytes = binary(path);
  const module = decoded(bytes);

  test("imports and exports functions as abi.json says, no more and no less", () => {
    const imports = module.functionImports.map(({ module: from, name }, index) => [
      `${from}.${name}`,
      typeOf(module, index),
    ]);
    expect(Object.fromEntries(imports)).toEqual(writtenAll(abi.core.imports));
    const functions = module.exports.filter(({ kind }) => kind === "function");
    const exports = functions.map(({ name, index }) => [name, typeOf(module, index)]);
    expect(Object.fromEntries(exports)).toEqual(writtenAll(abi.core.exports));
    const others = module.exports.filter(({ kind }) => kind !== "function").map(({ name, kind }) => [name, kind]);
    expect(others).toEqual([[abi.core.memory.export, "memory"]]);
  });

  test("imports and exports the same by the engine's account", () => {
    const compiled = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    const imports = WebAssembly.Module.imports(compiled).map(({ module: from, name }) => `${from}.${name}`);
    expect(imports.sort()).toEqual(Object.keys(abi.core.imports).sort());
    const exports = WebAssembly.Module.exports(compiled).map(({ name }) => name);
    expect(exports.sort()).toEqual([...Object.keys(abi.core.exports), abi.core.memory.export].sort());
  });

  test("has one memory of as many pages as abi.json says, and no start section", () => {
    expect(module.memories).toMatchObject([{ min: abi.core.memory.pages, max: abi.core.memory.pagesMax }]);
    expect(module.sections.map(({ id }) => id)).not.toContain(SECTION.start);
  });

  test("core_abi answers the version of abi.json", () => {
    const kv = Object.fromEntries(Object.keys(abi.core.imports).map((name) => [name.slice(3), () => -ABSENT]));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>), { kv });
    const { major, minor } = abi.core.version;
    expect((instance.exports["core_abi"] as () => number)()).toBe((major << 16) | minor);
  });
});

describe("core.wasm", () => {
  test("has at most 16 KiB", () => expect(binary("build/core.wasm").length).toBeLessThanOrEqual(16_384));

  test("compiles again to the same bytes, which the host carries and whose hash is committed", async () => {
    const bytes = binary("build/core.wasm");
    const again = await compile(["--config", "asconfig.json", "--target", "release", "--textFile", "memory.wat"]);
    expect(Buffer.compare(again, bytes)).toBe(0);
    expect(Buffer.compare(CORE_WASM(), bytes)).toBe(0);
    const hash = createHash("sha256").update(bytes).digest("hex");
    expect(text("assembly/core.sha256")).toBe(`${hash}  build/core.wasm\n`);
  });
});

describe("check.wasm", () => {
  const bytes = binary("build/check.wasm");
  const module = decoded(bytes);

  test("imports nothing, exports functions as abi.json says, and has its memory; no floats, no start section", () => {
    expect(module.functionImports).toEqual([]);
    const functions = module.exports.filter(({ kind }) => kind === "function");
    const exports = functions.map(({ name, index }) => [name, typeOf(module, index)]);
    expect(Object.fromEntries(exports)).toEqual(writtenAll(abi.check.exports));
    const others = module.exports.filter(({ kind }) => kind !== "function").map(({ name, kind }) => [name, kind]);
    expect(others).toEqual([[abi.check.memory.export, "memory"]]);
    expect(module.memories).toMatchObject([{ min: abi.check.memory.pages, max: abi.check.memory.pagesMax }]);
    expect(module.sections.map(({ id }) => id)).not.toContain(SECTION.start);
  });

  test("check_abi answers the version of abi.json", () => {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>), {});
    const { major, minor } = abi.check.version;
    expect((instance.exports["check_abi"] as () => number)()).toBe((major << 16) | minor);
  });

  test("has at most 60 KiB", () => expect(bytes.length).toBeLessThanOrEqual(61_440));

  test("compiles again to the same bytes, which the host carries and whose hash is in abi.json", async () => {
    const args = ["--config", "asconfig.check.json", "--target", "release", "--textFile", "memory.wat"];
    expect(Buffer.compare(await compile(args), bytes)).toBe(0);
    expect(checkWasmHex()).toBe(Buffer.from(bytes).toString("hex"));
    expect([abi.check.sha256, CHECK_SHA256]).toEqual(Array(2).fill(createHash("sha256").update(bytes).digest("hex")));
  }, 180_000);

  test("its limits, codes and prices are those of the host", () => {
    const known: Readonly<Record<string, unknown>> = { ...limits, ...wasmLimits, ...schedule };
    const twins = Object.entries({
      ...constantsOf("assembly/check/limits.ts"),
      ...constantsOf("assembly/check/meter/schedule.ts"),
    });
    expect(twins.length).toBeGreaterThan(45);
    for (const [name, value] of twins) expect(Number(known[name]), name).toBe(value);
    for (const [code, number] of Object.entries(constantsOf("assembly/check/codes.ts")))
      expect(abi.codes[code], code).toBe(number);
    expect(pricesOf(text("assembly/check/meter/schedule.ts"))).toEqual(
      Array.from({ length: 268 }, (_, slot) => instructionPrice(slot < 256 ? slot : 0xfc00 + slot - 256)),
    );
  });
});

/** What the lines `price(first, last, gas)` give each instruction. */
function pricesOf(source: string): number[] {
  const prices = new Array<number>(268).fill(0);
  const place = (written: string) => (written.startsWith("SLOTS") ? 268 - Number(written.slice(7)) : Number(written));
  for (const [, first = "", last = "", gas] of source.matchAll(/^price\(([^,]+), ([^,]+), (\d+)\);$/gm)) {
    prices.fill(Number(gas), place(first), place(last) + 1);
  }
  return prices;
}

describe("decisions and flags", () => {
  test("are those of assembly/core/machine.ts", () => {
    const constants = constantsOf("assembly/core/machine.ts");
    const { FLAG_HANDLER, FLAG_LAST_HANDLER, FLAG_SKIP, FLAG_FIRST_BLOCK, ...decisions } = constants;
    const upper = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
    expect(Object.fromEntries(Object.entries(abi.core.decisions).map(([name, n]) => [upper(name), n]))).toEqual(
      decisions,
    );
    expect(Object.values(abi.core.preBlockFlags)).toEqual([
      FLAG_HANDLER,
      FLAG_LAST_HANDLER,
      FLAG_SKIP,
      FLAG_FIRST_BLOCK,
    ]);
  });

  test("are those of the host", () => {
    const plan = (height: bigint) => storeOf({ "00": Buffer.from(canonicalPlan("v2", height)).toString("hex") });
    const core = new Core();
    const no = { hasHandler: false, hasLastHandler: false, isSkipHeight: false, isFirstBlock: false };
    const has = { ...no, hasHandler: true };
    const skips = { ...no, isSkipHeight: true };
    const first = { ...no, isFirstBlock: true };
    const seen: Decision[] = [
      core.preBlock(storeOf(), 5n, no),
      core.preBlock(plan(6n), 5n, no),
      core.preBlock(plan(5n), 5n, skips),
      core.preBlock(plan(5n), 5n, has),
      core.preBlock(plan(5n), 5n, no),
      core.preBlock(plan(6n), 5n, has),
      core.preBlock(storeOf({ "017631": "0000000000000001" }), 5n, first),
    ];
    expect(seen).toEqual(Object.keys(abi.core.decisions));
    expect(Object.values(abi.core.decisions)).toEqual(seen.map((_, number) => number));
  });
});

describe("codes", () => {
  test("are those of host/base/errors/errors.ts", () => {
    const kinds = Object.entries(ERROR_KINDS).map(([code, { number }]) => [code, number]);
    expect(Object.entries(abi.codes)).toEqual([["ABSENT", ABSENT], ...kinds]);
  });

  test("of assembly/core/codes.ts are among them, each used by the core", () => {
    const twin = constantsOf("assembly/core/codes.ts");
    expect(Object.keys(twin).length).toBeGreaterThan(10);
    expect(abi.codes).toMatchObject(twin);
    const core = sourcesUnder("assembly/core").filter(({ path }) => !path.endsWith("/codes.ts"));
    const used = new Set(core.flatMap((file) => file.text.match(/\b(?:ABSENT|UPG_\w+)\b/g) ?? []));
    expect([...used].sort()).toEqual(Object.keys(twin).sort());
  });
});

describe("limits", () => {
  test("of assembly/core/limits.ts are those of host/base/types/limits.ts, but for the sizes of the core's own memory", () => {
    const { SCRATCH_BYTES, ARENA_BYTES, ...twins } = constantsOf("assembly/core/limits.ts");
    expect(Object.keys(twins).length).toBe(5);
    expect(limits).toMatchObject(twins);
    expect(SCRATCH_BYTES).toBeGreaterThanOrEqual(73_728);
    expect(ARENA_BYTES).toBeGreaterThanOrEqual(512 * 1_024);
  });
});

describe("handler interface", () => {
  test("is that of host/upgrade/handler/interface.ts", () => {
    expect(writtenAll(abi.handler.imports)).toEqual(Object.fromEntries(OFFERED_IMPORTS));
    const exports = Object.entries(abi.handler.exports).map(([name, { required, ...signature }]) => [
      name,
      { type: written(signature), isRequired: required },
    ]);
    expect(Object.fromEntries(exports)).toEqual(Object.fromEntries(INTERFACE_EXPORTS));
    expect(Object.keys(abi.handler.exports)).toContain(`handler_abi_${abi.handler.version}`);
  });

  test("of the assembly kit imports from module chain only what is there, as it is there", () => {
    const kit = text("assembly/handler/imports.ts");
    const declared = [
      ...kit.matchAll(/@external\("chain", "(\w+)"\)\s+export declare function \w+\(([^)]*)\): (\w+);/g),
    ];
    expect(declared.length).toBe(Object.keys(abi.handler.imports).length - 1);
    for (const [, name = "", params = "", result = ""] of declared) {
      const types = [...params.matchAll(/: (\w+)/g)].map(([, type]) => (type === "i64" ? "i64" : "i32"));
      expect(abi.handler.imports[`chain.${name}`]).toEqual({
        params: types,
        results: result === "void" ? [] : ["i32"],
      });
    }
  });
});
