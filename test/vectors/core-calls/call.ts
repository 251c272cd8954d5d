/**
 * A call of core.wasm as core-calls.json has it (README.md): bytes and integers in, result, bytes, error and store out.
 * The calls that only make room for the others (`core_alloc`, `core_reset`, `core_err`) are not written down.
 */

import { ABSENT } from "../../../host/base/errors/errors.js";
import { fromHex, toHex } from "../../../host/base/text/bytes.js";
import type { KVReader } from "../../../host/base/types/types.js";
import { MemoryKVStore } from "../../../host/state/branch/kv/memory-kv.js";
import type { RawCore } from "../../core/raw-core.js";

/** `i32:` and `i64:` a number, `in:` bytes in hex, `out:` a room of so many bytes. */
export type CallArgument = `${"i32" | "i64" | "in" | "out"}:${string}`;

/** Key and value, hex. */
export type HexPair = readonly [key: string, value: string];

export interface GivenCall {
  /** The store's pairs before the call; left out: those that the call before left, in the first call none. */
  readonly before?: readonly HexPair[];
  readonly call: string;
  readonly args: readonly CallArgument[];
}

export interface CallOutcome {
  /** Decimal; or "trap". */
  readonly result: string;
  /** What was written to the room of `out:`; left out: nothing. */
  readonly out?: string;
  /** The record of the failure; for results below -1 and traps. */
  readonly error?: { readonly code: number; readonly message: string };
  /** The store's pairs after the call, ascending; left out: the call wrote nothing. */
  readonly store?: readonly HexPair[];
}

export type RecordedCall = GivenCall & CallOutcome;

/** Longer than any room. */
const UNTOUCHED = Buffer.alloc(1 << 20, 0xa5);

/** Makes the call on the core and its store; after a trap the core must not be used again. */
export function performCall(core: RawCore, { before, call, args }: GivenCall): CallOutcome {
  core.reset(before ? storeOf(before) : core.store);
  const rooms: Uint8Array[] = [];
  const numbers = args.flatMap((arg) => laid(core, arg, rooms));
  let result: string;
  try {
    result = String(core.call(call, ...numbers));
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return { result: "trap", error: core.error };
  }
  const [out] = rooms.flatMap((room) => writtenTo(room, Number(result)));
  const hasWritten = core.calls.set + core.calls.delete > 0;
  return {
    result,
    ...(out === undefined ? {} : { out }),
    ...(Number(result) < -ABSENT ? { error: core.error } : {}),
    ...(hasWritten ? { store: pairsOf(core.store) } : {}),
  };
}

function laid(core: RawCore, arg: CallArgument, rooms: Uint8Array[]): (number | bigint)[] {
  const at = arg.indexOf(":");
  const [kind, text] = [arg.slice(0, at), arg.slice(at + 1)];
  if (kind === "i32") return [Number(text)];
  if (kind === "i64") return [BigInt(text)];
  if (kind === "in") return core.lay(fromHex(text));
  const cap = Number(text);
  const out = core.put(UNTOUCHED.subarray(0, cap));
  rooms.push(core.bytes.subarray(out, out + cap));
  return [out, cap];
}

/** @throws Error when the core wrote what it must not */
function writtenTo(room: Uint8Array, size: number): string[] {
  const written = size > 0 && size <= room.length ? size : 0;
  const rest = room.subarray(written);
  if (!UNTOUCHED.subarray(0, rest.length).equals(rest)) throw new Error("the room was written to beyond the result");
  return written > 0 ? [toHex(room.subarray(0, written))] : [];
}

function storeOf(pairs: readonly HexPair[]): MemoryKVStore {
  const store = new MemoryKVStore();
  for (const [key, value] of pairs) store.set(fromHex(key), fromHex(value));
  return store;
}

export function pairsOf(store: KVReader): HexPair[] {
  return Array.from(store.iterate(), ([key, value]) => [toHex(key), toHex(value)] as const);
}
