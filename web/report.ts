/** Compares what a server reports with what was verified. Where the two differ, the page shows the verified claim. */
import type { Claim, ClaimId, ClaimOf } from "chain-upgrade/verify";
import type { Checked } from "./messages.js";
import { count } from "./number-text.js";
import type { ChainStatus } from "./status.js";

/** Why a report is not shown. */
export interface Contradiction {
  /** What the server reports, in our words. */
  readonly reported: string;
  /** The verified claim that says otherwise; undefined: the chain is another one. */
  readonly claim: Claim | undefined;
}

/** Blocks by which a report may lag the evidence: two servers are not equally fast. */
const BEHIND_MAX = 10n;

export function claimOf<Id extends ClaimId>({ claims }: Pick<Checked, "claims">, id: Id): ClaimOf<Id> | undefined {
  return claims.find((claim): claim is Claim & ClaimOf<Id> => claim.id === id);
}

/** Undefined: the report agrees with what was verified, or nothing was verified. */
export function contradictionOf(
  status: ChainStatus,
  checked: Checked | undefined,
  isOwn: boolean,
): Contradiction | undefined {
  if (!checked) return undefined;
  // A sidecar that reports for its silent node does not know the chain's name; nobody else may leave it out.
  const isNamed = status.chainId !== undefined || !isOwn;
  if (isNamed && status.chainId !== checked.chainId) {
    const name = status.chainId === undefined ? "a chain without a name" : `chain "${status.chainId}"`;
    return {
      reported: `its status is of ${name}, and the evidence is of chain "${checked.chainId}"`,
      claim: undefined,
    };
  }
  return ofProgress(status, checked) ?? ofPlan(status, checked);
}

/** Blocks after a halt, or a chain that is further than the report. */
function ofProgress({ phase, halt, plan, height }: ChainStatus, checked: Checked): Contradiction | undefined {
  const claim = claimOf(checked, "header") as Claim | undefined;
  const last = checked.height + 1n;
  const isHalted = phase === "halted" || phase === "failed";
  const at = halt?.height ?? plan?.height ?? height + 1n;
  // CometBFT has the header of the block at which the Cosmos SDK halts, and none after it.
  if (isHalted && at > 1n && at < last) return { reported: `the chain stopped at block ${count(at)}`, claim };
  // A sidecar that has seen no height yet reports 0.
  if (height > 0n && height + BEHIND_MAX < last) return { reported: `block ${count(height)} is the last one`, claim };
  return undefined;
}

function ofPlan({ plan, phase, height }: ChainStatus, checked: Checked): Contradiction | undefined {
  const [scheduled, none] = [claimOf(checked, "plan"), claimOf(checked, "no-plan")];
  const isOpen = plan !== undefined && (phase === "migrating" || plan.height > height);
  const reported = plan
    ? `upgrade "${plan.name}" is scheduled for block ${count(plan.height)}`
    : "no upgrade is scheduled";
  if (none) return isOpen ? { reported, claim: none as Claim } : undefined;
  const proven = scheduled?.value;
  // A plan whose height the report has passed was applied since.
  if (!proven || proven.height <= height) return undefined;
  const isSame = plan?.name === proven.name && plan.height === proven.height;
  return isSame ? undefined : { reported, claim: scheduled as Claim };
}
