/** The handler interface, version 1 (docs/abi.md): what a module may import and must export, each by name and type. */
import { itemAt } from "../../host/base/text/checked-index.js";
import type { Manifest } from "../../host/upgrade/handler/manifest/manifest-types.js";
import { RESERVED_EXPORT_PREFIX } from "../../host/upgrade/handler/meter/meter-exports.js";
import type { Findings } from "../../host/upgrade/wasm/findings.js";
import { quote } from "../../host/upgrade/wasm/guest-text.js";
import { signatureText } from "../../host/upgrade/wasm/value-types.js";
import type { FunctionImport, ModuleExport, WasmModule } from "../../host/upgrade/wasm/wasm-module.js";

const ABORT_MODULE = "env";

/** By `module.name`. */
export const OFFERED_IMPORTS: ReadonlyMap<string, string> = new Map([
  ["chain.store_get", "(i32, i32, i32, i32, i32) -> i32"],
  ["chain.store_set", "(i32, i32, i32, i32, i32) -> i32"],
  ["chain.store_delete", "(i32, i32, i32) -> i32"],
  ["chain.store_write", "(i32, i32) -> i32"],
  ["chain.store_scan", "(i32, i32, i32, i32, i32, i32, i32) -> i32"],
  ["chain.log", "(i32, i32, i32) -> ()"],
  ["chain.progress", "(i64, i64) -> ()"],
  ["chain.fail", "(i32, i32, i32) -> ()"],
  ["env.abort", "(i32, i32, i32, i32) -> ()"],
]);

/** Functions the host calls, the marker among them, which it never calls. */
export const INTERFACE_EXPORTS: ReadonlyMap<string, { readonly type: string; readonly isRequired: boolean }> = new Map([
  ["handler_abi_1", { type: "() -> ()", isRequired: true }],
  ["handler_in", { type: "(i32) -> i32", isRequired: true }],
  ["handler_out", { type: "(i32) -> i32", isRequired: true }],
  ["handler_run", { type: "(i32) -> i32", isRequired: true }],
  ["handler_batch", { type: "(i32, i32, i32) -> i32", isRequired: false }],
  ["handler_check", { type: "(i32) -> i32", isRequired: false }],
  ["handler_err", { type: "() -> i32", isRequired: false }],
  ["_initialize", { type: "() -> ()", isRequired: false }],
]);

export function checkImports(module: WasmModule, findings: Findings): void {
  for (const entry of module.functionImports) {
    const name = `${entry.module}.${entry.name}`;
    const offered = OFFERED_IMPORTS.get(name);
    const type = signatureOf(module, entry.typeIndex);
    if (offered === undefined) {
      const message = `import ${quote(name)} is not offered; ${importAdvice(entry)}`;
      findings.add("UPG_HANDLER_IMPORT", entry.offset, message);
    } else if (type !== offered) {
      const message = `import ${name} has type ${type}, it is offered as ${offered}`;
      findings.add("UPG_HANDLER_IMPORT", entry.offset, message);
    }
  }
}

function importAdvice({ module, name }: FunctionImport): string {
  if (module.startsWith("wasi")) return "build for a freestanding target (wasm32-unknown-unknown), not for WASI";
  if (module === ABORT_MODULE && name === "seed") return "random numbers differ between nodes: do without Math.random";
  if (module === ABORT_MODULE && name.startsWith("console.")) return "a handler has no console: use log() of the kit";
  if (module === ABORT_MODULE) return "a handler has no clock, console or other environment: do without it";
  if (module.startsWith("__wbindgen") || module === "wbg") return "build without wasm-bindgen";
  return `a handler may import ${[...OFFERED_IMPORTS.keys()].join(", ")}`;
}

/** @param manifest undefined when it could not be read: then nothing is said about `handler_batch` being missing */
export function checkExports(module: WasmModule, manifest: Manifest | undefined, findings: Findings): void {
  const exports = new Map(module.exports.map((entry) => [entry.name, entry]));
  checkMemory(module, exports.get("memory"), findings);
  for (const [name, { type, isRequired }] of INTERFACE_EXPORTS) {
    const entry = exports.get(name);
    const isScan = name === "handler_batch" && manifest !== undefined && manifest.scans.length > 0;
    if (entry) checkFunction(module, entry, type, findings);
    else if (isRequired || isScan) {
      const why = isScan ? ", since the manifest lists scans" : "";
      findings.add("UPG_HANDLER_EXPORT", null, `the module does not export ${name} ${type}${why}`);
    }
  }
  for (const { name, offset } of module.exports) {
    if (!name.startsWith(RESERVED_EXPORT_PREFIX)) continue;
    const message = `export ${quote(name)}: names that begin with ${RESERVED_EXPORT_PREFIX} are the host's`;
    findings.add("UPG_HANDLER_EXPORT", offset, message);
  }
}

function checkMemory(module: WasmModule, entry: ModuleExport | undefined, findings: Findings): void {
  if (module.memories.length === 0) {
    findings.add("UPG_HANDLER_MEMORY", null, "the module has no memory; define one and export it as memory");
  } else if (!entry) {
    findings.add("UPG_HANDLER_EXPORT", null, "the module does not export its memory as memory");
  } else if (entry.kind !== "memory") {
    findings.add("UPG_HANDLER_EXPORT", entry.offset, `export memory is a ${entry.kind}, it must be the memory`);
  }
}

function checkFunction(module: WasmModule, entry: ModuleExport, due: string, findings: Findings): void {
  const { name, kind, index, offset } = entry;
  if (kind !== "function") {
    findings.add("UPG_HANDLER_EXPORT", offset, `export ${name} is a ${kind}, it must be a function ${due}`);
    return;
  }
  if (index < module.functionImports.length) {
    findings.add("UPG_HANDLER_EXPORT", offset, `export ${name} is an import handed on; it must be the module's own`);
    return;
  }
  const type = signatureOf(module, itemAt(module.functionTypes, index));
  if (type !== due)
    findings.add("UPG_HANDLER_EXPORT", offset, `export ${name} has type ${type}, it must be ${due}`, index);
}

function signatureOf(module: WasmModule, typeIndex: number): string {
  const type = module.types[typeIndex];
  return type ? signatureText(type) : "unknown";
}
