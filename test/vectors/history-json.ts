/** How histories.json writes texts, plans, maps and pairs. */
import { createHash } from "node:crypto";
import { toHex } from "../../host/base/text/bytes.js";
import type { Plan, VersionMap } from "../../host/base/types/types.js";
import type { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";
import type { VectorCase } from "./harness.js";
import { type GivenText, hexBytes, strictTextOf, textOf } from "./short-forms.js";

/** A plan as a vector gives it. A text that is not UTF-8 becomes one with a lone surrogate, which ours refuses alike. */
export function planOf(json: VectorCase): Plan {
  const { seconds, nanos } = json["time"];
  const isZero = seconds === "-62135596800" && nanos === 0;
  const state = json["upgraded_client_state"];
  const text = (value: GivenText) => strictTextOf(value) ?? "\ud800";
  return {
    name: text(json["name"]),
    height: BigInt(json["height"]),
    info: text(json["info"]),
    ...(isZero ? {} : { time: { seconds: BigInt(seconds), nanos } }),
    ...(state ? { upgradedClientState: { typeUrl: textOf(state.type_url), value: hexBytes(state.value) } } : {}),
  };
}

export function planJson(plan: Plan): unknown {
  return { name: plan.name, height: String(plan.height), info: plan.info };
}

export function normalPlan(json: VectorCase): unknown {
  return { name: json["name"], height: json["height"], info: json["info"] };
}

export function callOf(call: VectorCase): unknown {
  return { ...call, plan: normalPlan(call["plan"]) };
}

export function versionMap(json: Record<string, string>): Map<string, bigint> {
  return new Map(Object.entries(json).map(([name, version]) => [name, BigInt(version)]));
}

export function texts(map: VersionMap): Record<string, string> {
  return Object.fromEntries([...map].map(([name, version]) => [name, String(version)]));
}

export function rawPairs(store: MemoryKVStore): unknown[] {
  return Array.from(store.iterate(), ([key, value]) => [toHex(key), shortHex(value)]);
}

/** Outputs of more than 4,096 bytes are kept as length and hash. */
function shortHex(bytes: Uint8Array): unknown {
  if (bytes.length <= 4_096) return toHex(bytes);
  return { len: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
