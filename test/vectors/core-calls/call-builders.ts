/** What the lists of calls are made of. */
import { toHex, utf8 } from "../../../host/base/text/bytes.js";
import type { CallArgument, HexPair } from "./call.js";
import type { SeenCall } from "./record.js";

export interface GivenCase {
  readonly label: string;
  readonly calls: readonly SeenCall[];
}

/** A number, a bigint, bytes or a text, and `room(n)`. */
export type Argument = number | bigint | Uint8Array | string | { readonly room: number };
export const room = (bytes = 1_024): Argument => ({ room: bytes });

/** A call that a store is not asked for. */
export function pure(call: string, ...args: readonly Argument[]): SeenCall {
  return { pairs: undefined, call, args: args.map(written) };
}

/** A call on a store with these pairs, hex. */
export function on(store: Readonly<Record<string, string>>, call: string, ...args: readonly Argument[]): SeenCall {
  const pairs: HexPair[] = Object.entries(store).sort(([a], [b]) => (a < b ? -1 : 1));
  return { pairs, call, args: args.map(written) };
}

function written(arg: Argument): CallArgument {
  if (typeof arg === "number") return `i32:${arg}`;
  if (typeof arg === "bigint") return `i64:${arg}`;
  if (typeof arg === "string") return `in:${toHex(utf8(arg))}`;
  return arg instanceof Uint8Array ? `in:${toHex(arg)}` : `out:${arg.room}`;
}
