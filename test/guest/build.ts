/** Builds the modules of these tests: text of trusted people through wabt, then bytes by hand. */
import { createHash } from "node:crypto";
import wabt from "wabt";
import { concatBytes, utf8 } from "../../host/base/text/bytes.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";

const tools = await wabt();

/** Everything on: what is refused must be refused by us, not by the assembler. */
const FEATURES = {
  exceptions: true,
  threads: true,
  simd: true,
  tail_call: true,
  multi_value: true,
  bulk_memory: true,
  reference_types: true,
  mutable_globals: true,
  sign_extension: true,
  sat_float_to_int: true,
  memory64: true,
  extended_const: true,
  multi_memory: true,
};

/** Binary of a module; names of functions are kept. */
export function assemble(wat: string): Uint8Array {
  const module = tools.parseWat("test.wat", wat, FEATURES);
  try {
    return new Uint8Array(module.toBinary({ write_debug_names: true }).buffer);
  } finally {
    module.destroy();
  }
}

export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return [...bytes, value];
}

export function section(id: number, content: ArrayLike<number>): Uint8Array {
  return Uint8Array.from([id, ...leb(content.length), ...Array.from(content)]);
}

export function customSection(name: string, payload: Uint8Array): Uint8Array {
  const nameBytes = utf8(name);
  return section(0, concatBytes(Uint8Array.from(leb(nameBytes.length)), nameBytes, payload));
}

/** Manifest fields as JSON has them; a string or bytes go in as they are. */
export type ManifestSource = Record<string, unknown> | string | Uint8Array;

export const MINIMAL_MANIFEST = { abi: 1, name: "v2", gasLimit: "10000000000", stores: [], versions: {} };

export function manifestSection(source: ManifestSource): Uint8Array {
  const payload =
    source instanceof Uint8Array ? source : utf8(typeof source === "string" ? source : JSON.stringify(source));
  return customSection("chain-upgrade.manifest", payload);
}

/** A module of text and its manifest; fields override those of the smallest one. */
export function build(wat: string, manifest: ManifestSource = {}): Uint8Array {
  const isText = typeof manifest === "string" || manifest instanceof Uint8Array;
  return concatBytes(assemble(wat), manifestSection(isText ? manifest : { ...MINIMAL_MANIFEST, ...manifest }));
}

export interface GuestParts {
  /** Body of handler_run: instructions that leave an i32; 0 when left out. */
  readonly run?: string;
  /** Body of handler_batch (params $scan $len $flags); exported only when given. */
  readonly batch?: string;
  /** Body of handler_check (param $len); exported only when given. */
  readonly check?: string;
  /** Body of handler_err; exported only when given. */
  readonly err?: string;
  /** Imports, before anything else. */
  readonly imports?: string;
  /** More module fields. */
  readonly more?: string;
  readonly memory?: string;
  readonly in?: string;
  readonly out?: string;
}

/** Where the guests of these tests keep their buffers: input at 64 KiB, output at 256 KiB, of 16 pages. */
export const IN = 65_536;
export const OUT = 262_144;

/** Text of a handler with all that is required. */
export function guest(parts: GuestParts = {}): string {
  const optional = (body: string | undefined, head: string) => (body === undefined ? "" : `(func ${head} ${body})`);
  return `(module
    ${parts.imports ?? ""}
    ${parts.memory ?? '(memory (export "memory") 16)'}
    (func (export "handler_abi_1"))
    (func (export "handler_in") (param $cap i32) (result i32) ${parts.in ?? `(i32.const ${IN})`})
    (func (export "handler_out") (param $cap i32) (result i32) ${parts.out ?? `(i32.const ${OUT})`})
    (func $run (export "handler_run") (param $len i32) (result i32) ${parts.run ?? "(i32.const 0)"})
    ${optional(parts.batch, '$batch (export "handler_batch") (param $scan i32) (param $len i32) (param $flags i32) (result i32)')}
    ${optional(parts.check, '$check (export "handler_check") (param $len i32) (result i32)')}
    ${optional(parts.err, '$err (export "handler_err") (result i32)')}
    ${parts.more ?? ""})`;
}

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();

export function load(parts: GuestParts, manifest: ManifestSource = {}): WasmHandler {
  return loadHandler(build(guest(parts), manifest), { sha256 });
}

/** A data segment's text for bytes. */
export function data(at: number, bytes: Uint8Array | string): string {
  const list = typeof bytes === "string" ? utf8(bytes) : bytes;
  const text = Array.from(list, (byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  return `(data (i32.const ${at}) "${text}")`;
}

/** A handler of the plan "v2" that loops for ever at the first accounts, with gas for longer than a test waits. */
export function endlessHandler(): Uint8Array {
  const manifest = {
    gasLimit: "1000000000000",
    stores: [
      { name: "auth", access: "rw", prefixes: ["01"] },
      { name: "bank", access: "rw" },
    ],
    storeUpgrades: { added: ["bank"] },
    versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } },
    scans: [{ store: "auth", prefix: "01" }],
  };
  return build(guest({ batch: "(loop $again (br $again)) (i32.const 0)" }), manifest);
}
