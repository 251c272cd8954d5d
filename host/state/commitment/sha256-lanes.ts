/**
 * SHA-256 of up to a thousand short messages in one call: assembly/hash works on four at a time. The handed-in function
 * stays the rule; this is for bulk, where calls cost more than the hashing.
 */
import { HASH_WASM } from "./hash-wasm.js";

/** Messages are written to `bytes`, one after the other, and their lengths to `lengths`; `hash` fills `digests`. */
export interface Sha256Lanes {
  readonly bytes: Uint8Array;
  readonly lengths: Uint32Array;
  readonly digests: Uint8Array;
  hash(count: number): void;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  inputPtr(): number;
  lengthsPtr(): number;
  digestsPtr(): number;
  hash(count: number): void;
}

export const LANES_BYTES_MAX = 131_072;
export const LANES_MESSAGES_MAX = 1_024;
const DIGEST_BYTES = 32;

let compiled: WebAssembly.Module | undefined;

/** Undefined where the engine has no Wasm with SIMD. */
export function hashModule(): WebAssembly.Module | undefined {
  if (compiled) return compiled;
  const code = HASH_WASM() as BufferSource;
  if (WebAssembly.validate(code)) compiled = new WebAssembly.Module(code);
  return compiled;
}

/** What the module asks of its host while it finishes nodes; nothing while it hashes messages. */
const NOTHING = { host: { emit: () => undefined, digest: () => undefined } };

/** Undefined where the engine has no Wasm with SIMD. */
export function openSha256Lanes(): Sha256Lanes | undefined {
  const module = hashModule();
  if (!module) return undefined;
  const exports: unknown = new WebAssembly.Instance(module, NOTHING).exports;
  const { memory, inputPtr, lengthsPtr, digestsPtr, hash } = exports as Exports;
  return {
    bytes: new Uint8Array(memory.buffer, inputPtr(), LANES_BYTES_MAX),
    lengths: new Uint32Array(memory.buffer, lengthsPtr(), LANES_MESSAGES_MAX),
    digests: new Uint8Array(memory.buffer, digestsPtr(), LANES_MESSAGES_MAX * DIGEST_BYTES),
    hash,
  };
}
