/** What one process does with each case: is it let in, would it be in a block, and what does a block with it give? */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import { RecursionProgram } from "../scenario/recursion-chain.js";
import { useShapes } from "./chain.js";
import { freshShapes, warmed } from "./shapes.js";

export interface Outcome {
  readonly isChecked: boolean;
  readonly isProposed: boolean;
  /** Code, gas and app hash; "stop" where the node ends with UPG_BUG_ENGINE_LIMIT. */
  readonly block: string;
}

/** @param isWarm V8 has optimized the recursions before; otherwise each message has functions that are new to it */
export async function runCases(cases: readonly string[], isWarm: boolean): Promise<Outcome[]> {
  // What opens the chain also sets V8's flags.
  let program = new RecursionProgram();
  const shapes = isWarm ? await warmed() : undefined;
  useShapes(() => shapes ?? freshShapes());
  return cases.map((text) => {
    program = new RecursionProgram();
    return outcomeOf(program, program.tx(text));
  });
}

function outcomeOf(program: RecursionProgram, tx: Uint8Array): Outcome {
  const isChecked = program.app.checkTx(tx).code === 0;
  const isProposed = program.port.processProposal({ height: program.app.nextHeight, txs: [tx] });
  try {
    const { txResults, appHash } = program.block([tx]);
    const [{ code, gasUsed } = { code: -1, gasUsed: 0n }] = txResults;
    return { isChecked, isProposed, block: `${code} ${gasUsed} ${toHex(appHash).slice(0, 16)}` };
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_BUG_ENGINE_LIMIT") throw error;
    return { isChecked, isProposed, block: "stop" };
  }
}
