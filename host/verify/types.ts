/** The shapes of verification: what is trusted, what is shown as evidence, and what is claimed after it was verified. */

import type { Plan, Timestamp, VersionMap } from "../base/types/types.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import type { Receipt } from "../upgrade/handler/receipt.js";

/** What is believed without proof: the block of this hash at this height. */
export interface TrustRoot {
  readonly chainId: string;
  readonly height: bigint;
  /** Hash of the header, 32 bytes. */
  readonly hash: Uint8Array;
  /**
   * Where the hash came from: `yours` (typed in, or built into the caller), `link` (somebody else may have written it, and the reader has
   * not compared it), or `server` (the very server that is checked). Of the last two no claim is more than amber.
   */
  readonly from: "yours" | "link" | "server";
}

/** What carries trust from the root to other headers. */
export interface TrustOptions {
  readonly root: TrustRoot;
  /** The caller's clock: nothing here has one. */
  readonly now: Timestamp;
  /** Seconds for which validators of a trusted header are held to account; shorter than the chain's unbonding period. */
  readonly trustingPeriod: bigint;
  /** Seconds that a header's time may be after `now`; 10 when left out. */
  readonly maxClockDrift?: bigint | undefined;
}

/** A header that signatures have carried trust to. */
export interface Trusted {
  readonly lightBlock: LightBlock;
  /** How many light blocks were verified on the way. */
  readonly steps: number;
  /** How many signatures were verified on the way. */
  readonly signatures: number;
}

/**
 * One call of CometBFT's RPC: the member `result` of its response, parsed. Params are those of JSON-RPC: heights and
 * pages as decimal texts, `data` in hex. `rpcPath` makes the path of a GET of them.
 */
export type Ask = (method: AskedMethod, params: AskedParams) => Promise<unknown>;
export type AskedMethod = "status" | "commit" | "validators" | "abci_query";
export type AskedParams = Readonly<Record<string, string | boolean>>;

/** JSON whose shape nobody has checked. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A key of a store with its value, or with null when it is proven absent. Bytes in base64. */
export interface EvidenceRecord {
  readonly store: string;
  readonly key: string;
  readonly value: string | null;
  /** `proofOps.ops` of `abci_query`, as they came: of the key in the store, of the store in the app hash. */
  readonly proof_ops: Json;
}

/** All records of a range of keys, with the proofs of absence between them. Bytes in base64; `end` null: open. */
export interface EvidenceRange {
  readonly store: string;
  readonly start: string;
  readonly end: string | null;
  /** Records that are present, ascending by key, and records that are absent between them. */
  readonly records: readonly EvidenceRecord[];
}

/** A header with its commit and validators, as `commit` and `validators` of CometBFT's RPC give them. */
export interface EvidenceLightBlock {
  readonly signed_header: Json;
  /** All pages, in the order of the set. */
  readonly validators: Json;
}

/** Records and ranges of the state after one block. */
export interface EvidenceState {
  /** The state that is proven: the app hash after this block is in the next header, which is among the light blocks. */
  readonly height: string;
  readonly records: readonly EvidenceRecord[];
  readonly ranges: readonly EvidenceRange[];
}

/**
 * One document: what `collect` found and `verifyEvidence` judges, live or from a file. Bytes of its own members are in
 * base64, heights are decimal texts; what CometBFT wrote is kept as it came.
 */
export interface Evidence extends EvidenceState {
  readonly format: "chain-upgrade-evidence-1";
  readonly chain_id: string;
  /** Where it was collected: a URL or other text for readers. */
  readonly source: string;
  /** RFC 3339; by the clock of who collected it. */
  readonly collected_at: string;
  /** The block that trust began at when it was collected; a reader may trust another one of `light_blocks`. */
  readonly root: { readonly height: string; readonly hash: string };
  /** Ascending by height, the root's first. */
  readonly light_blocks: readonly EvidenceLightBlock[];
  /** Name of the upgrade that is asked about; left out: of the one that was applied last. */
  readonly plan?: string;
  /** The state before that upgrade's block, where the server still has it and the root is not later. */
  readonly before?: EvidenceState;
  /** What the server says without proof: shown as such, never as a proven claim. */
  readonly unproven: { readonly status?: Json; readonly plan_status?: Json };
}

/**
 * How far a claim can be believed: `proven` from the reader's own trust root; `link-root` when the root came with a link,
 * `server-root` when it came from the server that is checked; `unproven` when the server only says so; `absent` when the chain has no such record.
 */
export type ClaimState = "proven" | "link-root" | "server-root" | "unproven" | "absent";

/** The value of each kind of claim. */
export interface ClaimValues {
  /** The header that signatures carried trust to; the state that it proves is of `height` − 1. */
  readonly header: { readonly height: bigint; readonly time: Timestamp; readonly appHash: Uint8Array };
  readonly plan: Plan;
  readonly "no-plan": undefined;
  /** One for each upgrade that was applied; `height` undefined: the named one is proven not to have been applied. */
  readonly done: { readonly name: string; readonly height: bigint | undefined };
  /** The whole version map. */
  readonly versions: VersionMap;
  /** The record `04|name` of the upgrade store. */
  readonly receipt: { readonly name: string; readonly bytes: Uint8Array; readonly receipt: Receipt };
  /** The plan that the state before its block held. */
  readonly "plan-before": Plan;
  readonly "versions-before": VersionMap;
  readonly status: { readonly latestHeight: bigint };
  readonly "plan-status": unknown;
}

export type ClaimId = keyof ClaimValues;

/** One thing that a reader may know now. */
export interface ClaimOf<Id extends ClaimId> {
  readonly id: Id;
  readonly state: ClaimState;
  /** In English, for people. */
  readonly words: string;
  /** What it rests on, each a short text: the trusted block, the signatures, the proof. */
  readonly restsOn: readonly string[];
  /** Undefined when there is none. */
  readonly value: ClaimValues[Id] | undefined;
}

export type Claim = { [Id in ClaimId]: ClaimOf<Id> }[ClaimId];

/** What verified evidence shows. */
export interface Claims {
  readonly chainId: string;
  /** The height of the proven state; the header is of the next. */
  readonly height: bigint;
  readonly trusted: Trusted;
  readonly claims: readonly Claim[];
}
