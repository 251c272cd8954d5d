/** docs/abi.md is enough to write a host from: its tables are those of the code, by name, type, number and price. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ERROR_KINDS, type ErrorCode } from "../../host/base/errors/errors.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { hasHidden } from "../../host/base/text/visible.js";
import * as limits from "../../host/base/types/limits.js";
import { examineHandler } from "../../host/upgrade/handler/check/check.js";
import { METER_EXPORTS } from "../../host/upgrade/handler/meter/meter-exports.js";
import { GAS_SCHEDULE, HOST_PRICES, STACK_BUDGET, WRITES_ALONE } from "../../host/upgrade/handler/meter/schedule.js";
import { withMetered } from "../../host/upgrade/handler/metered-section.js";
import * as wasmLimits from "../../host/upgrade/wasm/limits.js";
import { build, guest } from "../guest/build.js";
import { parseManifest } from "../guest/checker/compared-manifest.js";
import { INTERFACE_EXPORTS, OFFERED_IMPORTS } from "../oracle/interface.js";
import { ROOT } from "./sources.js";

const page = readFileSync(join(ROOT, "docs/abi.md"), "utf8");

/** The rows of the first table after a heading that has a column of this name, as cells without their backticks. */
function rows(heading: string, column: string): string[][] {
  const from = page.indexOf(`\n${heading}\n`);
  expect(from, heading).toBeGreaterThan(0);
  const [, table = ""] = page.slice(from).split(`\n| ${column} |`);
  const lines = table.split("\n").slice(2);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end < 0 ? undefined : end).map(cellsOf);
}

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("`", ""));

const pairs = (table: readonly (readonly string[])[]) => table.map(([name, value]) => [name, value]);

/** `repeated CheckResult results = 1`, as .proto files write it. */
const fieldText = (repeated: boolean, type: string, name: string, number: number) =>
  `${repeated ? "repeated " : ""}${type} ${name} = ${number}`;

function messagesOf(file: string): Map<string, string[]> {
  const text = readFileSync(join(ROOT, "proto", file), "utf8").replaceAll(/\/\/.*$/gm, "");
  const found = [...text.matchAll(/^message (\w+) \{([^}]*)\}/gm)];
  return new Map(
    found.map(([, message = "", body = ""]) => {
      const fields = [...body.matchAll(/(repeated )?([\w.]+) (\w+) = (\d+)/g)];
      const last = (type: string) => type.split(".").at(-1) ?? type;
      return [
        message,
        fields.map(([, repeated, type = "", name = "", number]) =>
          fieldText(repeated !== undefined, last(type), name, Number(number)),
        ),
      ];
    }),
  );
}

const scalarText = (field: DescField) =>
  fieldText(false, ScalarType[field.scalar ?? 0]?.toLowerCase() ?? "", field.name, field.number);

describe("docs/abi.md", () => {
  test("imports and exports of handlers, with their types → those that the check knows", () => {
    expect(pairs(rows("### Imports", "import"))).toEqual([...OFFERED_IMPORTS]);
    expect(pairs(rows("### Exports", "export"))).toEqual(
      [...INTERFACE_EXPORTS].map(([name, { type }]) => [name, type]),
    );
    const steps = rows("### Imports, step by step", "import").map(([name]) => name);
    expect(steps).toEqual([...OFFERED_IMPORTS.keys()].map((name) => name.split(".")[1]));
  });

  test("exports of handlers that are not required → the ones that say optional, and handler_batch", () => {
    const optional = rows("### Exports", "export").filter(([, , what = ""]) =>
      /^optional|^needed when/.test(withoutArguments(what)),
    );
    const due = [...INTERFACE_EXPORTS].filter(([, { isRequired }]) => !isRequired).map(([name]) => name);
    expect(optional.map(([name]) => name)).toEqual(due);
  });

  test("imports and exports of core.wasm → those of assembly/abi.json", () => {
    const { core } = JSON.parse(readFileSync(join(ROOT, "assembly/abi.json"), "utf8"));
    const heading = "## core.wasm: the upgrade module for a host in any language";
    const imports = rows(heading, "import").map(([name]) => `kv.${name}`);
    expect(imports).toEqual(Object.keys(core.imports));
    const cells = rows(heading, "export").map(([first = ""]) => first);
    const named = cells.flatMap((cell) => [...cell.matchAll(/\b([a-z_]+)\(/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(Object.keys(core.exports).sort());
  });

  test("exported globals of the metered module → those of one, with their types and first values", async () => {
    const { metered } = examineHandler(withMetered(build(guest())));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(metered as BufferSource));
    const table = rows("### The metered module", "exported global");
    expect(table.map(([name]) => name)).toEqual(Object.values(METER_EXPORTS));
    for (const [name = "", type, first] of table) {
      const global = exports[name] as WebAssembly.Global;
      expect(String(global.value), name).toBe(first);
      expect(typeof global.value === "bigint" ? "mutable i64" : "mutable i32").toBe(type);
      const { value } = global;
      // Throws for one that is not mutable.
      global.value = value;
    }
  });

  test("limits → those of host/base/types/limits.ts, host/upgrade/wasm/limits.ts and the schedule", () => {
    const known: Readonly<Record<string, unknown>> = { ...limits, ...wasmLimits, STACK_BUDGET, WRITES_ALONE };
    const table = rows("### Limits", "limit");
    expect(table.length).toBeGreaterThan(20);
    for (const [name = "", value] of table) expect(value, name).toBe(String(known[name]));
  });

  test("codes → those of the families HANDLER and MIGRATION, with their numbers; each that a table names is one", () => {
    const due = (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) => /^UPG_(HANDLER|MIGRATION)_/.test(code));
    const table = rows("### Codes", "a handler's file or run ends with");
    expect(new Map(table.map(([code = "", number]) => [code, number]))).toEqual(
      new Map(due.map((code) => [code, String(ERROR_KINDS[code].number)])),
    );
    const named = new Set(page.match(/\bUPG_[A-Z_]+\b/g));
    expect([...named].filter((code) => !(code in ERROR_KINDS))).toEqual([]);
    expect(due.filter((code) => !named.has(code))).toEqual([]);
  });

  test("prices that the steps charge → all of the schedule, each by its name in docs/gas.md", () => {
    const from = page.indexOf("### A run, step by step");
    const steps = page.slice(from, page.indexOf("### Before and after the run"));
    const named = new Set([...steps.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ""));
    expect(Object.keys(HOST_PRICES).filter((name) => !named.has(name))).toEqual([]);
    const gas = readFileSync(join(ROOT, "docs/gas.md"), "utf8");
    for (const [name, price] of Object.entries(HOST_PRICES)) {
      expect(gas).toMatch(new RegExp(`^\\| \`${name}\` \\| .* \\| ${price.toLocaleString("en")} \\|$`, "m"));
    }
    expect(page).toContain(`\`gas_schedule\` \`${GAS_SCHEDULE}\``);
  });

  test("messages → those of the .proto files, field by field", () => {
    const files = [
      "chain/handler/v1/handler.proto",
      "chain/upgrade/v1beta1/upgrade.proto",
      "chain/upgrade/v1/receipt.proto",
    ];
    const known = new Map(files.flatMap((file) => [...messagesOf(file)]));
    known.set("Timestamp", TimestampSchema.fields.map(scalarText));
    const table = rows("### Messages", "message");
    for (const [message = "", fields] of table) expect(fields?.split(", "), message).toEqual(known.get(message));
    expect(
      [...known.keys()].filter((name) => name !== "Names" && !table.some(([message]) => message === name)),
    ).toEqual([]);
  });

  test("characters that do not show → those of the guest's texts, each of them", () => {
    const [, list = ""] = /Characters that do not show: (.*)\. Each/.exec(page) ?? [];
    const shown = (text: string) => Number.parseInt(text, 16);
    const ranges = [...list.matchAll(/U\+([0-9A-F]+)(?: to U\+([0-9A-F]+))?/g)].map(([, first = "", last = first]) => [
      shown(first),
      shown(last),
    ]);
    const isNamed = (code: number) => ranges.some(([first = 0, last = 0]) => first <= code && code <= last);
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10_ffff; code++) {
      const isHalf = code >= 0xd800 && code <= 0xdfff;
      if (!isHalf && hasHidden(String.fromCodePoint(code)) !== isNamed(code)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test("the manifest that is shown → is one, with every field of the table", () => {
    const [, json = ""] = /```json\n([\s\S]*?)```/.exec(page.slice(page.indexOf("### Manifest"))) ?? [];
    const manifest = parseManifest(utf8(json));
    const fields = rows("### Manifest", "field").map(([name]) => name);
    expect(fields.sort()).toEqual(Object.keys(manifest).sort());
    const required = rows("### Manifest", "field").filter(([, isDue]) => isDue === "required");
    for (const [name = ""] of required) {
      const { [name]: _, ...rest } = JSON.parse(json) as Record<string, unknown>;
      expect(() => parseManifest(utf8(JSON.stringify(rest)))).toThrow(`$.${name}: is missing`);
    }
  });
});

const withoutArguments = (what: string) =>
  what.replace(/^\([^)]*\)(: |; |\. )?/, "").replace(/^optional, \(.*/, "optional");
