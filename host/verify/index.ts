/**
 * chain-upgrade/verify: what anyone can check about a chain's upgrades, in a browser too. No clock, no sockets: a function
 * that asks the RPC, and the time, are passed in.
 *
 *   const evidence = await collect(ask, { rootHeight: root.height, source: url, now });
 *   const { claims } = await verifyEvidence(evidence, { root, now, trustingPeriod: 1_209_600n });
 *   for (const { state, words } of claims) console.log(state, words);
 */

export { isUpgradeError, type UpgradeError } from "../base/errors/errors.js";
export { fromHex, toHex } from "../base/text/bytes.js";
export type { Plan, Sha256, Timestamp, VersionMap } from "../base/types/types.js";
export type { BlockId } from "../chain/comet-types/block-id.js";
export type { Commit, CommitSig } from "../chain/comet-types/commit.js";
export type { Header } from "../chain/comet-types/header.js";
export type { LightBlock } from "../chain/comet-types/light-block.js";
export type { PublicKey } from "../chain/comet-types/public-key.js";
export type { Validator } from "../chain/comet-types/validator.js";
export type { ValidatorSet } from "../chain/comet-types/validator-set.js";
export type { Neighbours } from "../state/commitment/verify-absence.js";
export type { AskingOptions } from "./asking.js";
export { type CollectOptions, collect } from "./collect.js";
export { verifyEvidence } from "./evidence.js";
export { type AdvanceOptions, advance, startAt, type VerifyTools } from "./light.js";
export {
  type MembershipEvidence,
  type NonMembershipEvidence,
  type ProvenRecord,
  type RangeEvidence,
  verifyMembership,
  verifyNonMembership,
  verifyRange,
} from "./proofs.js";
export type { ReceiptOfRun, ReExecuted, ReExecuteInput } from "./re-execute.js";
export { type ReExecuteOptions, reExecute } from "./re-execute-lazily.js";
export { readLightBlock } from "./read-light-block.js";
export { rpcPath, rpcResult } from "./rpc-path.js";
export type { RunProgress, WatchOptions } from "./run-watch.js";
export { type Subtle, type VerifyEd25519, verifierOf, verifyByNoble } from "./signatures.js";
export type {
  Ask,
  AskedMethod,
  AskedParams,
  Claim,
  ClaimId,
  ClaimOf,
  ClaimState,
  Claims,
  ClaimValues,
  Evidence,
  EvidenceLightBlock,
  EvidenceRange,
  EvidenceRecord,
  EvidenceState,
  Json,
  Trusted,
  TrustOptions,
  TrustRoot,
} from "./types.js";
