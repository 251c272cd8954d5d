/**
 * Runs metered modules in a JavaScript engine and writes down what can be seen of them, one line a call. It needs nothing
 * but `WebAssembly`, so it runs in a page too. The runners in go/ and python/ write the same lines.
 */

/** Write bytes (base64) to memory, or call an export; arguments are `i32:…` and `i64:…`, signed. */
export type Step =
  | { readonly write: number; readonly bytes: string }
  | { readonly call: string; readonly args: readonly string[] };

export interface EngineCase {
  readonly name: string;
  /** Metered module, base64. Its imports answer 0. */
  readonly wasm: string;
  /** Gas at the start, decimal. */
  readonly gas: string;
  readonly steps: readonly Step[];
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[i] as number)) & 255] as number);
  return (crc ^ 0xffffffff) >>> 0;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export function runCases(cases: readonly EngineCase[]): string[] {
  return cases.flatMap(runCase);
}

function runCase({ name, wasm, gas, steps }: EngineCase): string[] {
  const module = new WebAssembly.Module(fromBase64(wasm));
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name: field } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [field]: () => 0 };
  }
  // An import that gives nothing may answer anything; one that gives an i64 is never asked for.
  const { exports } = new WebAssembly.Instance(module, imports);
  const counter = (which: string) => exports[`chain-upgrade:${which}`] as WebAssembly.Global;
  const memory = exports["memory"] as WebAssembly.Memory;
  counter("gas").value = BigInt(gas);
  const lines: string[] = [];
  for (const step of steps) {
    if ("write" in step) {
      new Uint8Array(memory.buffer).set(fromBase64(step.bytes), step.write);
      continue;
    }
    const answer = call(exports[step.call] as (...args: (number | bigint)[]) => unknown, step.args);
    lines.push(`${name} ${step.call} ${answer} gas ${counter("gas").value} stack ${counter("stack").value}`);
    if (answer === "trap") break;
  }
  const bytes = new Uint8Array(memory.buffer);
  lines.push(`${name} memory ${bytes.length} ${crc32(bytes)}`);
  return lines;
}

function call(entry: (...args: (number | bigint)[]) => unknown, args: readonly string[]): string {
  const values = args.map((arg) => (arg.startsWith("i64:") ? BigInt(arg.slice(4)) : Number(arg.slice(4))));
  try {
    return String(entry(...values) ?? "void");
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) return "trap";
    throw error;
  }
}
