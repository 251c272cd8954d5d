/** What this node's validator has attested of the plan, and how much power has attested the same. */

import { equalBytes, toHex } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Chain } from "../../chain/app/chain.js";
import type { ReadableStores } from "../../chain/app/module.js";
import { STAKING_STORE } from "../../chain/modules/staking/records.js";
import { ATTEST_URL } from "../../chain/modules/upgrade/compose.js";
import { contradict, type ReadinessGroup, type ReadinessTally } from "../../chain/modules/upgrade/readiness.js";
import { decidingIn, readinessIn } from "../../chain/modules/upgrade/state-readiness.js";
import type { Row } from "./row.js";

export interface AttestationFacts {
  readonly home: string;
  /** Of the last commit. */
  readonly stores: ReadableStores;
  readonly plan: string;
  /** `app_state.staking.params` of the genesis document. */
  readonly stakingParams: unknown;
  /** This node's; undefined: it is in another process. */
  readonly consensusKey: Uint8Array | undefined;
  /** Lower-case hex, of the file that the node would run. */
  readonly handler: string | undefined;
  /** A report to attest. */
  readonly report: { readonly file: string; readonly handlerSha256: string | undefined } | undefined;
}

/** Undefined: validators of this chain cannot attest. */
export function attestationRow(chain: Chain, facts: AttestationFacts): Row | undefined {
  const { stores, plan, stakingParams, consensusKey } = facts;
  if (!chain.router.has(ATTEST_URL) || !stores.names.includes(STAKING_STORE)) return undefined;
  const own = decidingIn(stores, stakingParams).find(
    (each) => consensusKey && equalBytes(each.consensusKey, consensusKey),
  );
  const tally = readinessIn(stores, stakingParams, plan);
  return rowOf(facts, tally, own?.operator);
}

/** A handler that is a function has no file: what its program is must be said by hand. */
function whatToAttest(report: AttestationFacts["report"]): string {
  if (!report) return "--handler FILE.wasm";
  const artifact = report.handlerSha256 === undefined ? " --artifact-sha256 SHA256_OF_THE_PROGRAM" : "";
  return `--rehearsal ${shellWord(report.file)}${artifact}`;
}

function rowOf(
  { home, plan, handler, report }: AttestationFacts,
  tally: ReadinessTally,
  own: Uint8Array | undefined,
): Row {
  const check = "attestation";
  const spoken = `${tally.attestedPower} of ${tally.totalPower} power has attested`;
  if (!own) return { check, state: "ok", words: `this node is no validator; ${spoken}` };
  const group = tally.groups.find(({ validators }) => validators.some(({ operator }) => equalBytes(operator, own)));
  const next = `${PROGRAM} tx upgrade attest ${shellWord(plan)} ${whatToAttest(report)} --from KEY --home ${shellWord(home)}`;
  if (!group) return { check, state: "warning", words: `this validator has attested nothing; ${spoken}`, next };
  if (handler !== undefined && toHex(group.artifactSha256) !== handler)
    return {
      check,
      state: "warning",
      words: `this validator attested ${toHex(group.artifactSha256)}, and would run ${handler}`,
      next,
    };
  return differenceRow(tally, group, spoken);
}

const powerOf = (groups: readonly ReadinessGroup[]) => groups.reduce((sum, { power }) => sum + power, 0n);

function differenceRow({ groups, totalPower }: ReadinessTally, own: ReadinessGroup, spoken: string): Row {
  const check = "attestation";
  const same = `${own.power} of ${totalPower} power attested the same as this validator`;
  const others = groups.filter((group) => group !== own);
  const agreeing = powerOf(others.filter((group) => !contradict(group, own)));
  const elsewhere = agreeing > 0n ? `, ${agreeing} the same file without a result to compare` : "";
  const differing = powerOf(others.filter((group) => contradict(group, own)));
  const different = differing > 0n ? `, ${differing} something else` : "";
  const isOutnumbered = differing > own.power + agreeing;
  const words = `${same}${elsewhere}${different}; ${spoken}`;
  return { check, state: isOutnumbered ? "warning" : "ok", words };
}
