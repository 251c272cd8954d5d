/** A runner for each file of vectors. */
import { runAbci } from "./abci.js";
import { runComet } from "./comet.js";
import { runCoreCalls } from "./core-calls.js";
import { runEventQuery } from "./event-query.js";
import { runGovTally } from "./gov-tally.js";
import { runHandlerCases } from "./handler-cases.js";
import type { CaseRunner, HeadedRunner } from "./harness.js";
import { runHistories } from "./histories.js";
import { runIavl } from "./iavl.js";
import { runMultistore } from "./multistore.js";
import { runPlan } from "./plan.js";
import { runPlanInfo } from "./plan-info.js";
import { runTxVectors } from "./tx.js";

/** Files that come from the Cosmos SDK's own code. */
export const SOURCE_RUNNERS: Readonly<Record<string, CaseRunner>> = {
  plan: runPlan,
  histories: runHistories,
  iavl: runIavl,
  multistore: runMultistore,
  comet: runComet,
  "plan-info": runPlanInfo,
  tx: runTxVectors,
  "gov-tally": runGovTally,
  abci: runAbci,
  "event-query": runEventQuery,
};

/** With those that this repository writes for other hosts, whose texts have one form. */
export const RUNNERS: Readonly<Record<string, HeadedRunner>> = {
  ...SOURCE_RUNNERS,
  "core-calls": runCoreCalls,
  "handler-cases": runHandlerCases,
};
