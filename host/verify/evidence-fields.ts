/** What evidence keeps of a server's JSON: the members that are read, and nothing that was sent beside them. */
import { hasOwn } from "../base/text/checked-index.js";
import type { Json } from "./types.js";

/** A text or number; a list; members by name. */
type Kept = true | readonly [Kept] | { readonly [name: string]: Kept };

const BLOCK_ID = { hash: true, parts: { total: true, hash: true } } as const satisfies Kept;

const SIGNED_HEADER: Kept = {
  header: {
    ...{ version: { block: true, app: true }, chain_id: true, height: true, time: true, last_block_id: BLOCK_ID },
    ...{ last_commit_hash: true, data_hash: true, validators_hash: true, next_validators_hash: true },
    ...{ consensus_hash: true, app_hash: true, last_results_hash: true, evidence_hash: true, proposer_address: true },
  },
  commit: {
    ...{ height: true, round: true, block_id: BLOCK_ID },
    signatures: [{ block_id_flag: true, validator_address: true, timestamp: true, signature: true }],
  },
};

const VALIDATOR: Kept = {
  ...{ address: true, pub_key: { type: true, value: true }, voting_power: true, proposer_priority: true },
};

const STATUS: Kept = { node_info: { network: true }, sync_info: { latest_block_height: true } };
const PROOF_OPS: Kept = [{ type: true, key: true, data: true }];

export const keptSignedHeader = (json: unknown): Json => kept(json, SIGNED_HEADER) ?? null;
export const keptValidator = (json: unknown): Json => kept(json, VALIDATOR) ?? null;
export const keptStatus = (json: unknown): Json => kept(json, STATUS) ?? null;
export const keptProofOps = (json: unknown): Json => kept(json, PROOF_OPS) ?? null;

/** Undefined: there is nothing of that form. */
function kept(value: unknown, form: Kept): Json | undefined {
  if (value === null || value === undefined) return value;
  if (form === true) return typeof value === "string" || typeof value === "number" ? value : undefined;
  if (isList(form)) {
    return Array.isArray(value) ? value.map((each) => kept(each, form[0]) ?? null) : undefined;
  }
  if (typeof value !== "object") return undefined;
  const members = value as Record<string, unknown>;
  const found = Object.entries(form).map(([name, each]) => {
    return [name, hasOwn(members, name) ? kept(members[name], each) : undefined] as const;
  });
  return Object.fromEntries(found.filter((pair): pair is readonly [string, Json] => pair[1] !== undefined));
}

const isList = (form: Kept): form is readonly [Kept] => Array.isArray(form);
