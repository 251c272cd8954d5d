/** Governance: the counting of votes, and whole lives of proposals on the real modules over stores in memory. */

import { runTally } from "./gov-count.js";
import { runGovLife } from "./gov-life.js";
import type { CaseRunner } from "./harness.js";

export const runGovTally: CaseRunner = (vector) => {
  if (vector["kind"] === "tally") return runTally(vector);
  if (vector["kind"] === "life") return runGovLife(vector);
  throw new Error(`unknown kind ${vector["kind"]}`);
};
