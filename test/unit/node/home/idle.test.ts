/** A node that makes no empty blocks: what it makes blocks for all the same. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { ProposalSchema, ProposalStatus } from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import type { DirectChange } from "../../../../host/chain/app/block.js";
import { enqueue, nextEnd } from "../../../../host/chain/modules/gov/queues.js";
import { GOV_STORE, writeProposal } from "../../../../host/chain/modules/gov/records.js";
import { type Clock, logicalClock, wallClock } from "../../../../host/node/embedded/clock.js";
import type { MadeBlock } from "../../../../host/node/embedded/embedded-node.js";
import { somethingToDo } from "../../../../host/node/embedded/idle.js";
import { type OpenNode, openNode } from "../../../../host/node/open/open-node.js";
import { runNode } from "../../../../host/node/open/run-node.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-idle-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

async function withNode(clock: Clock, use: (open: OpenNode) => Promise<void>): Promise<void> {
  const home = join(root, `home-${homes++}`);
  makeHome(home, genesisText());
  const open = openNode({ chain: exampleChain, home, clock, handlers: join(home, "none"), log: () => undefined });
  try {
    await use(open);
  } finally {
    open.close();
  }
}

/** A proposal whose deposit period ends so many milliseconds from now. */
const proposalEndingIn =
  (millis: number): DirectChange =>
  (context) => {
    const store = context.store(GOV_STORE);
    const at = Date.now() + millis;
    const depositEndTime = { seconds: BigInt(Math.floor(at / 1_000)), nanos: (at % 1_000) * 1_000_000 };
    const status = ProposalStatus.DEPOSIT_PERIOD;
    writeProposal(store, create(ProposalSchema, { id: 99n, status, depositEndTime }));
    enqueue(store, "deposit", depositEndTime, 99n);
  };

/** Runs without empty blocks until `isLast` says so, and gives the blocks. */
async function blocksUntil(open: OpenNode, isLast: (blocks: readonly MadeBlock[]) => boolean): Promise<MadeBlock[]> {
  const stop = new AbortController();
  const blocks: MadeBlock[] = [];
  await runNode(open, {
    ...{ blockMillis: 0, emptyBlocks: false, signal: stop.signal },
    onWarning: (message) => {
      throw new Error(message);
    },
    onBlock: (block) => {
      blocks.push(block);
      if (isLast(blocks)) stop.abort();
    },
  });
  return blocks;
}

const ends = ({ result }: MadeBlock) => result.events.some(({ type }) => type === "inactive_proposal");

/** Would the node go on at once? Asked with a signal that ends the wait on the next turn. */
async function goesOn({ node }: OpenNode): Promise<boolean> {
  const stop = new AbortController();
  let isWaiting = true;
  const waited = somethingToDo(node, stop.signal).then(() => {
    isWaiting = false;
  });
  await new Promise((resolve) => setImmediate(resolve));
  const answer = !isWaiting;
  stop.abort();
  await waited;
  return answer;
}

test("runNode() without empty blocks, a deposit period running → the blocks that end it, and one whose header proves it", () =>
  withNode(wallClock, async (open) => {
    open.node.makeBlock();
    open.node.makeBlock([proposalEndingIn(300)]);
    const blocks = await blocksUntil(open, (made) => made.slice(0, -1).some(ends));
    expect(blocks.filter(ends)).toHaveLength(1);
    const [ending, proving] = blocks.slice(-2);
    expect(ending && ends(ending)).toBe(true);
    expect(proving?.stored.header.appHash).toEqual(ending?.stored.appHash);
    // One for the state before, one that the end woke, the one that ends it, and the last.
    expect(blocks.length).toBeLessThanOrEqual(4);
    expect(await goesOn(open)).toBe(false);
  }));

test("somethingToDo() → at once before the first block and after one that changed state; after one that did not, it waits", () =>
  withNode(logicalClock(1_000_000_000n), async (open) => {
    expect(await goesOn(open)).toBe(true);
    open.node.makeBlock();
    expect(await goesOn(open)).toBe(true);
    open.node.makeBlock();
    expect(await goesOn(open)).toBe(false);
    open.node.makeBlock([proposalEndingIn(3_600_000)]);
    expect(await goesOn(open)).toBe(true);
    open.node.makeBlock();
    // This clock goes on with blocks alone: the end of a period is nothing that could be waited for.
    expect(await goesOn(open)).toBe(false);
  }));

test("somethingToDo() with an end further off than a timer reaches → it waits, and the signal ends it", () =>
  withNode(wallClock, async (open) => {
    open.node.makeBlock();
    open.node.makeBlock([proposalEndingIn(100 * 86_400_000)]);
    open.node.makeBlock();
    expect(await goesOn(open)).toBe(false);
  }));

test("nextEnd() → the earliest of both queues, none when they are empty", () => {
  const store = new MemoryKVStore();
  expect(nextEnd(store)).toBeUndefined();
  enqueue(store, "voting", { seconds: 50n, nanos: 7 }, 1n);
  enqueue(store, "voting", { seconds: 60n, nanos: 0 }, 2n);
  expect(nextEnd(store)).toEqual({ seconds: 50n, nanos: 7 });
  enqueue(store, "deposit", { seconds: 50n, nanos: 6 }, 3n);
  expect(nextEnd(store)).toEqual({ seconds: 50n, nanos: 6 });
});
