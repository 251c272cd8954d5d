/**
 * Evidence from a node, verified: from a block that the user trusts, or, where none is named, from the header before the one that
 * proves the state, so that the signatures of that one are verified by validators that the server itself has named.
 */

import { usage } from "../../../base/terminal/usage.js";
import { fromBase64 } from "../../../base/text/bytes.js";
import type { RpcClient } from "../../../node/remote/client.js";
import { collect } from "../../../verify/collect.js";
import { verifyEvidence } from "../../../verify/evidence.js";
import type { Claim, ClaimId, ClaimOf, Claims, Evidence, TrustRoot } from "../../../verify/types.js";
import { askOf, deadline, now, TOOLS, type TrustFlags, trustedBlock, trustingSeconds } from "./trust.js";

export interface Asked {
  /** The state to prove; undefined: the last that a header proves. */
  readonly height: bigint | undefined;
  /** The upgrade that is asked about; undefined: the last one. */
  readonly plan: string | undefined;
}

export interface Proven {
  readonly evidence: Evidence;
  readonly claims: Claims;
  readonly root: TrustRoot;
}

/** @throws UpgradeError UPG_PROOF_*, UPG_REMOTE_*, UPG_INVALID_HEIGHT */
export async function provenFrom(rpc: RpcClient, flags: TrustFlags, { height, plan }: Asked): Promise<Proven> {
  const block = trustedBlock(flags);
  const rootHeight = block?.height ?? (height !== undefined && height > 1n ? height : undefined);
  const options = { rootHeight, height, plan, source: rpc.url, now: now(), signal: deadline(flags) };
  const evidence = await collect(askOf(rpc), options);
  // The chain's name is in the header, and so in the hash that is trusted.
  const root: TrustRoot = block
    ? { chainId: evidence.chain_id, ...block, from: "yours" }
    : {
        ...{ chainId: evidence.chain_id, from: "server" },
        ...{ height: BigInt(evidence.root.height), hash: fromBase64(evidence.root.hash) },
      };
  return await judged(evidence, root, flags);
}

/** Where trust rests on the server alone no age of a block adds to it or takes from it. */
const ANY_TIME = { trustingPeriod: 1n << 40n, maxClockDrift: 1n << 40n };

/** A document of any shape. @throws UpgradeError UPG_PROOF_* */
export async function judged(document: unknown, root: TrustRoot, flags: TrustFlags): Promise<Proven> {
  requireChain(flags, root.chainId);
  const times = root.from === "yours" ? { trustingPeriod: trustingSeconds(flags) } : ANY_TIME;
  const options = { root, now: now(), ...times };
  return { claims: await verifyEvidence(document, options, TOOLS), evidence: document as Evidence, root };
}

/** The trusted hash names the chain anyway; who names it besides means that one. */
function requireChain({ chainId }: Pick<TrustFlags, "chainId">, found: string): void {
  if (chainId === undefined || chainId === "" || chainId === found) return;
  throw usage(`--chain-id is ${chainId}, and the evidence is of ${found}`);
}

/** The first claim of a kind, where there is one. */
export function claimOf<Id extends ClaimId>({ claims }: Claims, id: Id): ClaimOf<Id> | undefined {
  return claims.find((claim): claim is Claim & ClaimOf<Id> => claim.id === id);
}
