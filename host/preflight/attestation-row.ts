/** What this node's validator has attested of the plan, and how much power has attested the same. */
import { equalBytes, toHex } from "../bytes.js";
import type { ReadableStores } from "../chain/module.js";
import { STAKING_STORE } from "../modules/staking/records.js";
import { ATTEST_URL } from "../modules/upgrade/compose.js";
import type { ReadinessGroup, ReadinessTally } from "../modules/upgrade/readiness.js";
import { decidingIn, readinessIn } from "../modules/upgrade/state-readiness.js";
import { programName } from "../program-name.js";
import { programChain } from "../shell/program-chain.js";
import { shellWord } from "../shell-word.js";
import type { Row } from "./row.js";

export interface AttestationFacts {
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
  readonly report: string | undefined;
}

/** Undefined: validators of this chain cannot attest. */
export function attestationRow(facts: AttestationFacts): Row | undefined {
  const { stores, plan, stakingParams, consensusKey } = facts;
  if (!programChain().router.has(ATTEST_URL) || !stores.names.includes(STAKING_STORE)) return undefined;
  const own = decidingIn(stores, stakingParams).find(
    (each) => consensusKey && equalBytes(each.consensusKey, consensusKey),
  );
  const tally = readinessIn(stores, stakingParams, plan);
  return rowOf(facts, tally, own?.operator);
}

function rowOf({ plan, handler, report }: AttestationFacts, tally: ReadinessTally, own: Uint8Array | undefined): Row {
  const check = "attestation";
  const spoken = `${tally.attestedPower} of ${tally.totalPower} power has attested`;
  if (!own) return { check, state: "ok", words: `this node is no validator; ${spoken}` };
  const group = tally.groups.find(({ validators }) => validators.some(({ operator }) => equalBytes(operator, own)));
  const next = `${programName()} tx upgrade attest ${shellWord(plan)} ${report === undefined ? "--handler FILE.wasm" : `--rehearsal ${shellWord(report)}`} --from KEY`;
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

function differenceRow({ groups, totalPower }: ReadinessTally, own: ReadinessGroup, spoken: string): Row {
  const check = "attestation";
  const same = `${own.power} of ${totalPower} power attested the same as this validator`;
  const other = groups.find((group) => group !== own && group.power > own.power);
  if (!other) return { check, state: "ok", words: `${same}; ${spoken}` };
  return { check, state: "warning", words: `${same}, and ${other.power} something else; ${spoken}` };
}
