/**
 * What a handler of the kit declares: its module is run once with functions that take note, and the manifest is made of
 * what it said. Nothing else than the author's own file is evaluated, and it is given nothing to read.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { decodeUtf16 } from "../../base/text/text.js";
import { requireNoFindings } from "../../upgrade/handler/handler.js";
import { meterModule } from "../../upgrade/handler/meter/meter.js";
import { METER_EXPORTS } from "../../upgrade/handler/meter/meter-exports.js";
import { decodeModule } from "../../upgrade/wasm/decode.js";
import { Findings } from "../../upgrade/wasm/findings.js";
import { functionNamer } from "../../upgrade/wasm/function-names.js";

interface DeclaredStore {
  readonly name: string;
  readonly access: string;
  readonly prefixes: string[];
}

/** A number while JSON can hold it exactly, else its digits. */
type JsonInteger = number | string;

const jsonInteger = (value: bigint): JsonInteger =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);

/** A manifest as JSON; check.wasm is the judge of it. */
export interface ManifestDocument {
  readonly abi: 1;
  readonly name: string;
  readonly gasLimit: string;
  readonly stores: readonly { name: string; access: string; prefixes?: readonly string[] }[];
  readonly storeUpgrades: {
    readonly added: readonly string[];
    readonly renamed: readonly { old_key: string; new_key: string }[];
    readonly deleted: readonly string[];
  };
  readonly versions: Readonly<Record<string, { from?: readonly JsonInteger[]; to: JsonInteger }>>;
  readonly removes: readonly string[];
  readonly scans: readonly { store: string; prefix?: string }[];
  /** Left out when nothing is allowed. */
  readonly allows?: Readonly<Record<string, readonly string[] | true>>;
}

/** About a tenth of a second of work, at most about one: a declaration takes a thousandth of it. */
const GAS = 1_000_000_000n;

const LISTS_ALLOWED: readonly string[] = ["deleteStores", "removeModules", "writeStores", "keepStores"];

export const refuseDeclaration = (what: string): UpgradeError =>
  new UpgradeError("UPG_INVALID_ARGUMENT", `the declaration of the handler: ${what}`);

export class Declaration {
  #plan: { name: string; gasLimit: bigint } | undefined;
  readonly #stores: DeclaredStore[] = [];
  readonly #added: string[] = [];
  readonly #renamed: { old_key: string; new_key: string }[] = [];
  readonly #deleted: string[] = [];
  readonly #steps = new Map<string, Map<bigint, bigint>>();
  readonly #new = new Map<string, bigint>();
  readonly #removes: string[] = [];
  readonly #allows: Record<string, readonly string[] | true> = {};
  readonly #scans: { store: string; prefix?: string }[] = [];

  plan(name: string, gasLimit: bigint): void {
    if (this.#plan) throw refuseDeclaration("plan() is called twice");
    this.#plan = { name, gasLimit: BigInt.asUintN(64, gasLimit) };
  }

  store(name: string, access: string, upgrade: string, before: string): void {
    if (upgrade === "deleted") this.#deleted.push(name);
    else this.#stores.push({ name, access, prefixes: [] });
    if (upgrade === "added") this.#added.push(name);
    if (upgrade === "renamed") this.#renamed.push({ old_key: before, new_key: name });
  }

  allow(what: string, name: string): void {
    if (what === "emptyVersionMap") this.#allows[what] = true;
    else if (LISTS_ALLOWED.includes(what)) this.#allows[what] = [...((this.#allows[what] as string[]) ?? []), name];
    else throw refuseDeclaration(`allow("${what}"): there are ${LISTS_ALLOWED.join(", ")} and emptyVersionMap`);
  }

  prefix(handle: number, hex: string): void {
    this.#stores[handle]?.prefixes.push(hex);
  }

  step(module: string, from: bigint, to: bigint): void {
    const [low, high] = [BigInt.asUintN(64, from), BigInt.asUintN(64, to)];
    if (low === 0n)
      throw refuseDeclaration(`migrate("${module}", 0, ${high}): versions begin with 1; addModule brings a new one`);
    if (high <= low) throw refuseDeclaration(`migrate("${module}", ${low}, ${high}): a step goes up`);
    const steps = this.#steps.get(module) ?? new Map<bigint, bigint>();
    if (steps.has(low)) throw refuseDeclaration(`two steps of "${module}" begin at version ${low}`);
    this.#steps.set(module, steps.set(low, high));
  }

  module(module: string, version: bigint): void {
    if (version === 0n) this.#removes.push(module);
    else if (this.#new.has(module)) throw refuseDeclaration(`addModule("${module}") is called twice`);
    else this.#new.set(module, BigInt.asUintN(64, version));
  }

  scan(handle: number, prefix: string): void {
    const store = this.#stores[handle]?.name ?? "";
    if (this.#added.includes(store)) {
      throw refuseDeclaration(`scan("${store}"): this upgrade adds the store, so the scan would meet no pair`);
    }
    this.#scans.push(prefix === "" ? { store } : { store, prefix });
  }

  manifest(): ManifestDocument {
    if (!this.#plan) throw refuseDeclaration('it must begin with plan("<name of the plan>", <most gas>)');
    const gone = this.#stores.find(({ name }) => this.#deleted.includes(name));
    if (gone) {
      const what = `deleteStore("${gone.name}") takes the store away before the handler runs, so it cannot be read or written`;
      throw refuseDeclaration(`${what}; let an earlier upgrade move what is still needed into another store`);
    }
    return {
      abi: 1,
      name: this.#plan.name,
      gasLimit: String(this.#plan.gasLimit),
      stores: this.#stores.map(({ prefixes, ...store }) => (prefixes.length > 0 ? { ...store, prefixes } : store)),
      storeUpgrades: { added: this.#added, renamed: this.#renamed, deleted: this.#deleted },
      versions: this.#versions(),
      removes: this.#removes,
      scans: this.#scans,
      ...(Object.keys(this.#allows).length > 0 ? { allows: this.#allows } : {}),
    };
  }

  #versions(): ManifestDocument["versions"] {
    const versions = new Map<string, { from?: readonly JsonInteger[]; to: JsonInteger }>();
    for (const [module, steps] of this.#steps) {
      const froms = [...steps.keys()];
      let to = 0n;
      for (const end of steps.values()) if (end > to) to = end;
      for (const from of froms) {
        const end = endOf(steps, from);
        if (end !== to)
          throw refuseDeclaration(`"${module}" goes from version ${from} to ${end} and no further, not to ${to}`);
      }
      if (this.#new.has(module)) throw refuseDeclaration(`"${module}" is both migrated and new`);
      versions.set(module, { from: froms.map(jsonInteger), to: jsonInteger(to) });
    }
    for (const [module, to] of this.#new) versions.set(module, { to: jsonInteger(to) });
    // Not by assignment: a module may be called `__proto__`.
    return Object.fromEntries(versions);
  }
}

function endOf(steps: ReadonlyMap<bigint, bigint>, from: bigint): bigint {
  let at = from;
  for (let next = steps.get(at); next !== undefined; next = steps.get(at)) at = next;
  return at;
}

/**
 * Its gas is counted, so that a top level without an end does not hold up the build.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT; UPG_HANDLER_* for what no node would take
 */
export function runDeclaration(wasm: Uint8Array): ManifestDocument {
  const declaration = new Declaration();
  const module = new WebAssembly.Module(metered(wasm));
  let memory: WebAssembly.Memory | undefined;
  const text = (ptr: number) => readString(memory, ptr);
  const describe: WebAssembly.ModuleImports = {
    allow: (what: number, name: number) => declaration.allow(text(what), text(name)),
    plan: (name: number, gasLimit: bigint) => declaration.plan(text(name), gasLimit),
    store: (name: number, access: number, upgrade: number, before: number) =>
      declaration.store(text(name), text(access), text(upgrade), text(before)),
    prefix: (handle: number, hex: number) => declaration.prefix(handle, text(hex)),
    step: (name: number, from: bigint, to: bigint) => declaration.step(text(name), from, to),
    module: (name: number, version: bigint) => declaration.module(text(name), version),
    scan: (handle: number, prefix: number) => declaration.scan(handle, text(prefix)),
  };
  const imports: WebAssembly.Imports = { describe };
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (from === "describe" || kind !== "function") continue;
    imports[from] = { ...imports[from], [name]: refuseToAct(from, name, text) };
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  memory = exports["memory"] as WebAssembly.Memory;
  initialize(exports);
  return declaration.manifest();
}

function metered(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const findings = new Findings();
  const { module } = decodeModule(wasm, findings);
  requireNoFindings(findings.list(functionNamer(module)));
  return meterModule(module);
}

function initialize(exports: WebAssembly.Exports): void {
  const { _initialize: run, [METER_EXPORTS.gas]: gas } = exports;
  if (typeof run !== "function" || !(gas instanceof WebAssembly.Global)) return;
  gas.value = GAS;
  try {
    run();
  } catch (cause) {
    if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
    const isSpent = gas.value < 0n;
    const what = isSpent ? "the top level does not come to an end" : `the top level traps (${cause.message})`;
    throw refuseDeclaration(`${what}: leave the work to the functions that it names`);
  }
}

/** While it declares, a handler has nothing to read or to write. */
function refuseToAct(from: string, name: string, text: (ptr: number) => string): (...args: number[]) => never {
  return (message = 0, file = 0, line = 0, column = 0) => {
    if (from === "env" && name === "abort")
      throw refuseDeclaration(`${text(message)} at ${text(file)}:${line}:${column}`);
    throw refuseDeclaration(`${from}.${name} is called outside of a function that the declaration names`);
  };
}

/** A string of AssemblyScript: its length in bytes is before it. */
function readString(memory: WebAssembly.Memory | undefined, ptr: number): string {
  if (!memory || ptr === 0) return "";
  const length = new DataView(memory.buffer).getUint32(ptr - 4, true);
  return decodeUtf16(new Uint8Array(memory.buffer, ptr, length));
}
