/**
 * The same recursions by the real programs: sent to a node that `start` runs, cold and after blocks that made V8 optimize; then the
 * home's blocks by `replay`, and an upgrade's block by `upgrade rehearse`, nodes and `replay`. All must come to one result.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { makeHome } from "../e2e/prepared-home.js";
import { FIRST_PROPOSAL, GOVERNOR, governedGenesis } from "../readiness/governor.js";
import { type Packed, propose, vote } from "../scenario/wallet.js";
import { bundle } from "../sim/worker-process.js";
import { recursionMessage, votedRecursion } from "./chain.js";
import { RecursionNode, replay, type Sent, STACKS, STOPPED, type Stack } from "./node.js";
import { isAppHash, playUpgradeBlock } from "./upgrade-block.js";

/** Blocks of this many calls of each recursion; V8 optimizes meanwhile. */
const WARM_BLOCKS = 6;
const WARM_CALLS = 500;

export interface ProgramsFound {
  /** By what became of them. */
  readonly sent: Map<string, number>;
  /** Replays that came to the node's results, upgrade blocks that came to one result in all processes, and those that stopped. */
  same: number;
  stopped: number;
  readonly different: string[];
}

/**
 * One home's story.
 * @param cases texts of messages
 * @param upgrade texts of a migration and of the hooks of its block
 * @param outside texts of hooks and proposals; one of these may stop the node
 */
export interface Story {
  readonly cases: readonly string[];
  readonly upgrade: readonly string[];
  readonly outside: readonly string[];
}

export async function runPrograms(stories: readonly Story[]): Promise<ProgramsFound> {
  const program = await bundle("deepd", "test/recursion/program.ts");
  const found: ProgramsFound = { sent: new Map(), same: 0, stopped: 0, different: [] };
  const root = mkdtempSync(join(tmpdir(), "chain-upgrade-recursion-"));
  try {
    for (const [index, story] of stories.entries()) {
      const played = new Played(program.file, join(root, String(index)), story, found);
      await played.play(index % 2 === 1);
    }
  } finally {
    program.remove();
    rmSync(root, { recursive: true, force: true });
  }
  return found;
}

class Played {
  #node: RecursionNode | undefined;
  #proposals = 0n;
  #starts = 0;

  constructor(
    private readonly program: string,
    private readonly home: string,
    private readonly story: Story,
    private readonly found: ProgramsFound,
  ) {
    makeHome(home, governedGenesis("2026-01-01T00:00:00Z"));
  }

  async play(isOdd: boolean): Promise<void> {
    try {
      await this.#messages();
      await this.#stop();
      await this.#upgrade(isOdd);
      await this.#outside();
    } finally {
      await this.#stop();
    }
    for (const stack of STACKS) await this.#replay(stack);
  }

  /** A node that has just started, then one that is optimized, then one that has started again. */
  async #messages(): Promise<void> {
    const { cases } = this.story;
    await this.#start();
    for (const text of cases) await this.#sent("cold", recursionMessage(text));
    for (let block = 0; block < WARM_BLOCKS; block++)
      await this.#sent("warming", recursionMessage(`warm:${WARM_CALLS}`));
    for (const text of cases) await this.#sent("warm", recursionMessage(text));
    await this.#start();
    for (const text of cases) await this.#sent("restarted", recursionMessage(text));
  }

  /** Hooks and proposals, until a node stops that was started again. */
  async #outside(): Promise<void> {
    await this.#start();
    for (const text of this.story.outside) {
      const [where = "", what = ""] = text.split("=");
      const sent =
        where === "vote" ? await this.#pass(votedRecursion(what)) : await this.#sent(where, recursionMessage(text));
      // What it left is done in this block or the next one.
      const then = sent === "decided" ? await this.#sent(where, recursionMessage("pure:1")) : sent;
      if (!then.startsWith("exit")) continue;
      // A node that stopped decided nothing; one that starts cold may decide, or stops too.
      await this.#start();
      const again = await this.#sent(`${where} again`, recursionMessage("pure:1"));
      if (again.startsWith("exit")) return;
    }
  }

  /** The block of an upgrade on copies of the home, which does not have it then. */
  async #upgrade(isOdd: boolean): Promise<void> {
    const { upgrade: texts } = this.story;
    const outcomes = await playUpgradeBlock({ program: this.program, home: this.home, texts, isOdd });
    for (const { by, result } of outcomes) this.#count(`${by}: ${isAppHash(result) ? "app hash" : result}`);
    const results = outcomes.map(({ result }) => result);
    const decided = new Set(results.filter((result) => result !== "stop" && result !== "refused"));
    if (decided.size === 1 && !results.includes("stop")) this.found.same++;
    else if (decided.size <= 1) this.found.stopped++;
    else this.found.different.push(`upgrade of ${texts.join(", ")}: ${JSON.stringify(outcomes)}`);
  }

  /** The blocks that the chain has; the node's word for each of them is in its home. */
  async #replay(stack: Stack): Promise<void> {
    const result = await replay(stack, this.program, this.home);
    if (result === "same") this.found.same++;
    else if (result === "stop") this.found.stopped++;
    else this.found.different.push(`replay on ${JSON.stringify(stack)} of ${JSON.stringify(this.story)}: ${result}`);
  }

  #count(key: string): void {
    this.found.sent.set(key, (this.found.sent.get(key) ?? 0) + 1);
  }

  get #running(): RecursionNode {
    if (!this.#node) throw new Error("no node runs");
    return this.#node;
  }

  async #start(): Promise<void> {
    await this.#stop();
    const stack = STACKS[this.#starts++ % STACKS.length] as Stack;
    this.#node = await RecursionNode.start(stack, this.program, this.home);
  }

  async #stop(): Promise<void> {
    await this.#node?.stop();
  }

  async #pass(message: Packed): Promise<Sent> {
    const ballot = vote(GOVERNOR, FIRST_PROPOSAL + this.#proposals, VoteOption.YES);
    const sent = await this.#sent("vote", propose(GOVERNOR, [message], { amount: 1_000 }), ballot);
    if (sent === "decided") this.#proposals++;
    return sent === "decided" ? this.#sent("vote", recursionMessage("pure:1")) : sent;
  }

  async #sent(stage: string, ...messages: readonly Packed[]): Promise<Sent> {
    const sent = await this.#running.send(...messages);
    const key = `${stage} ${sent}`;
    this.#count(key);
    const isAllowed = sent === "decided" || sent === "refused" || sent === `exit ${STOPPED}`;
    if (!isAllowed) this.found.different.push(`${key}: ${this.#running.stderr.slice(-2_000)}`);
    return sent;
  }
}
