/**
 * The block of an upgrade whose migration and whose begin and end blockers recurse, by the real programs: `upgrade rehearse` predicts it,
 * nodes on copies of the home make it, and `replay` makes it again.
 */
import { cpSync, rmSync } from "node:fs";
import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { FIRST_PROPOSAL, GOVERNOR } from "../readiness/governor.js";
import { propose, softwareUpgrade, vote } from "../scenario/wallet.js";
import { recursionMessage } from "./chain.js";
import { command, RecursionNode, replay, SMALL, STACKS, STOPPED, type Stack } from "./node.js";

/** Exit status of a node at the plan's height, which is to be started again as the new version. */
const RESTART = 14;
/** Nodes run blocks on a thread whose stack is always the same: two are enough, one of them warm. */
const NODE_STACKS = STACKS.slice(1, 3);
/** Blocks from the first text to the plan's: at most two for a transaction, the second one empty, with the new app hash. */
const BLOCKS_MOST = 16;

export interface UpgradeScene {
  /** File of the bundled program. */
  readonly program: string;
  /** Home of a node that does not run. The scene works on copies of it. */
  readonly home: string;
  /** Texts `WHEN=HOW:N` of messages. */
  readonly texts: readonly string[];
  /** Processes of this scene are warm on the stacks where those of another scene are cold. */
  readonly isOdd: boolean;
}

/** What one process came to. */
export interface UpgradeOutcome {
  readonly by: "rehearsal" | "upgrade block" | "upgrade replay";
  readonly on: Stack;
  /** An app hash, `exit N CODE`, "stop" for UPG_BUG_ENGINE_LIMIT, or "refused" where the stack is too small. */
  readonly result: string;
}

export async function playUpgradeBlock(scene: UpgradeScene): Promise<UpgradeOutcome[]> {
  const base = `${scene.home}-plan`;
  const copies: string[] = [];
  try {
    cpSync(scene.home, base, { recursive: true });
    const height = await schedule(scene, base);
    const beds = alternating([...STACKS, SMALL], scene.isOdd);
    const outcomes = await Promise.all(beds.map((on) => rehearse(on, scene, base)));
    let made: { readonly home: string; readonly appHash: string } | undefined;
    for (const on of alternating(NODE_STACKS, scene.isOdd)) {
      const home = `${scene.home}-block-${copies.length}`;
      copies.push(home);
      cpSync(base, home, { recursive: true });
      const outcome = await makeBlock(on, scene, home, height);
      outcomes.push(outcome);
      if (isAppHash(outcome.result)) made ??= { home, appHash: outcome.result };
    }
    if (made) {
      for (const on of alternating(STACKS, !scene.isOdd)) {
        const replayed = await replay(on, scene.program, made.home);
        outcomes.push({ by: "upgrade replay", on, result: replayed === "same" ? made.appHash : replayed });
      }
    }
    return outcomes;
  } finally {
    for (const folder of [base, ...copies]) rmSync(folder, { recursive: true, force: true });
  }
}

export const isAppHash = (result: string) => /^[0-9A-F]{64}$/.test(result);

const alternating = (stacks: readonly Stack[], isOdd: boolean): Stack[] =>
  stacks.map((stack, index) => ({ ...stack, isWarm: (index % 2 === 1) === isOdd }));

/** Leaves the home at the last block before the plan's. Returns the plan's height. */
async function schedule({ program, texts }: UpgradeScene, home: string): Promise<number> {
  const node = await RecursionNode.start({}, program, home);
  try {
    const height = (await node.height()) + BLOCKS_MOST;
    for (const text of texts) await node.decided(recursionMessage(text));
    const plan = softwareUpgrade("v2", BigInt(height));
    await node.decided(propose(GOVERNOR, [plan], { amount: 1_000 }), vote(GOVERNOR, FIRST_PROPOSAL, VoteOption.YES));
    // At the plan's height the node refuses transactions, and ends.
    while ((await node.send(recursionMessage("pure:1"))) === "decided");
    const exit = await node.ended();
    if (exit !== RESTART) throw new Error(`before the plan's height ${height}, exit ${exit}: ${node.stderr}`);
    return height;
  } finally {
    await node.stop();
  }
}

async function rehearse(on: Stack, { program }: UpgradeScene, home: string): Promise<UpgradeOutcome> {
  const { exit, output } = await command(on, [program, "upgrade", "rehearse", "--home", home, "--no-save"]);
  const { app_hash: appHash } = (output["applied"] ?? {}) as { app_hash?: string };
  // 1: with findings.
  const isApplied = appHash !== undefined && (exit === 0 || exit === 1);
  return { by: "rehearsal", on, result: isApplied ? appHash : ended(exit, JSON.stringify(output)) };
}

async function makeBlock(on: Stack, { program }: UpgradeScene, home: string, height: number): Promise<UpgradeOutcome> {
  const node = await RecursionNode.start(on, program, home);
  try {
    // Has the next block made. The upgrade's block takes no transaction, so the block after it has this one.
    await node.send(recursionMessage("pure:1"));
    return { by: "upgrade block", on, result: await node.appHash(height) };
  } catch (error) {
    if (node.exit === undefined) throw error;
    return { by: "upgrade block", on, result: ended(node.exit, node.stderr) };
  } finally {
    await node.stop();
  }
}

/** Of a report or a log: the code that it ends with. */
function ended(exit: number, output: string): string {
  const code = Array.from(output.matchAll(/\bcode(?:=|":")(UPG_\w+)/g), ([, each]) => each).at(-1);
  if (exit === STOPPED && code === "UPG_BUG_ENGINE_LIMIT") return "stop";
  if (code === "UPG_INVALID_CONFIG") return "refused";
  return code === undefined ? `exit ${exit}: ${output}` : `exit ${exit} ${code}`;
}
