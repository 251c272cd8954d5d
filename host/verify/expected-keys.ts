/** Keys that a range of the upgrade store may have, as the server says without proof: they are asked for at once, and proven. */
import { concatBytes, fromBase64, toHex } from "../base/text/bytes.js";
import { readWire } from "../base/wire/wire.js";
import { DONE_RANGE, UPGRADE, VERSION_RANGE } from "./records.js";
import type { RpcCalls } from "./rpc-calls.js";
import type { EvidenceRange } from "./types.js";

/** Method of the application's query service, which every chain with `x/upgrade` has. */
const MODULE_VERSIONS = "/cosmos.upgrade.v1beta1.Query/ModuleVersions";

/** Of each upgrade that was applied. The Cosmos SDK's stores list their keys; a node of ours does not. */
export function expectedDone(calls: RpcCalls, height: bigint): Promise<Uint8Array[]> {
  return namesIn(calls.said(`/store/${UPGRADE}/subspace`, toHex(DONE_RANGE.start), height));
}

/** Of each module's version. */
export async function expectedVersions(calls: RpcCalls, height: bigint): Promise<Uint8Array[]> {
  const names = await namesIn(calls.said(MODULE_VERSIONS, "", height));
  return names.map((name) => concatBytes(VERSION_RANGE.start, name));
}

/** Field 1 of each message in field 1: `Pairs` of a store and `QueryModuleVersionsResponse` have this form. */
async function namesIn(said: Promise<Uint8Array>): Promise<Uint8Array[]> {
  try {
    return fieldsOne(await said).flatMap(fieldsOne);
  } catch {
    // The walk finds key after key without it, and what stops the collection stops the walk too.
    return [];
  }
}

const fieldsOne = (bytes: Uint8Array): Uint8Array[] =>
  [...readWire(bytes)].filter(({ field }) => field === 1).map((each) => each.bytes);

/** The keys that a walk found: each record after the first one is of the key after one of them. */
export function expectedKeys({ records }: EvidenceRange): Uint8Array[] {
  return records.slice(1).map(({ key }) => fromBase64(key).slice(0, -1));
}
