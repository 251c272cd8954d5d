/** Applying a plan: stores where one is due, version maps as bytes, and the raw call that takes any bytes. */

import { toHex, utf8 } from "../../host/base/text/bytes.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import type { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import { storeOf, u64Hex } from "./cores.js";
import { canonicalPlan } from "./plan-wire.js";
import type { RawCore } from "./raw-core.js";

export const HEIGHT = 100n;
export const PLAN = canonicalPlan("v2", HEIGHT, "info");

/** A store with the plan "v2" due at `HEIGHT`, these module versions, and whatever else is given as hex. */
export function dueStore(
  versions: Readonly<Record<string, bigint>> = {},
  rest: Readonly<Record<string, string>> = {},
): MemoryKVStore {
  const modules = Object.entries(versions).map(([name, version]) => [`02${toHex(utf8(name))}`, u64Hex(version)]);
  return storeOf({ "00": toHex(PLAN), ...Object.fromEntries(modules), ...rest });
}

/** One entry of a VersionMap; what is left out is not written. */
export function entry(name: string | Uint8Array | undefined, version?: bigint): Uint8Array {
  const writer = new WireWriter();
  if (name !== undefined) writer.message(1, typeof name === "string" ? utf8(name) : name);
  if (version !== undefined) writer.tag(2, 0).varint(version);
  return new WireWriter().message(1, writer.finish()).finish();
}

/** Names as the core takes them. */
export function names(...list: readonly (string | Uint8Array)[]): Uint8Array {
  const writer = new WireWriter();
  for (const name of list) writer.message(1, typeof name === "string" ? utf8(name) : name);
  return writer.finish();
}

/** The answer of `apply` for bytes that no typed host would make. */
export function rawApply(
  raw: RawCore,
  store: MemoryKVStore,
  input: { height?: bigint; plan?: Uint8Array; map?: Uint8Array; removes?: Uint8Array },
): number {
  raw.reset(store);
  const { height = HEIGHT, plan = PLAN, map = new Uint8Array(), removes = new Uint8Array() } = input;
  return Number(raw.send("apply", height, plan, map, removes));
}
