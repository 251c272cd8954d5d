/** Blocks and what is hashed in them: every field of every case; every message is also decoded and encoded again. */
import { checkBlock, checkHeader, checkMerkle, checkResults, checkTxs } from "./comet-blocks.js";
import { checkDefaultParams, checkParams } from "./comet-params.js";
import { checkCommit, checkEvidence, checkKey, checkProposal, checkVote } from "./comet-signing.js";
import { checkValidators } from "./comet-validators.js";
import type { CaseRunner, VectorCase } from "./harness.js";

const CHECKS: Readonly<Record<string, (vector: VectorCase) => void>> = {
  header: checkHeader,
  merkle: checkMerkle,
  validators: checkValidators,
  consensus_params: checkParams,
  consensus_params_default: checkDefaultParams,
  txs: checkTxs,
  results: checkResults,
  commit: checkCommit,
  vote: checkVote,
  proposal: checkProposal,
  key: checkKey,
  evidence: checkEvidence,
  block: checkBlock,
};

export const runComet: CaseRunner = (vector) => {
  const check = CHECKS[vector["kind"]];
  if (!check) throw new Error(`unknown kind "${vector["kind"]}"`);
  check(vector);
  return [];
};
