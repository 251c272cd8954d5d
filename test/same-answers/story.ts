/** One chain by both engines: CometBFT decides its blocks, the embedded engine makes them again, and both are asked the same. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../host/base/native/sha256.js";
import { operators } from "../addresses.js";
import { Random } from "../sim/random.js";
import { serveNode } from "../unit/serve/api/test-node.js";
import type { Servers } from "./answers.js";
import { ALICE, genesis, OPERATOR, PEOPLE, VOTING_MILLIS } from "./chain.js";
import { type Comparison, compareGrpc, compareRest, compareRpc } from "./compare.js";
import { DecidedChain } from "./decided.js";
import { type Repeated, repeat } from "./repeated.js";
import { governance, Ledger, oneTransfer, refusals, transfers, upgrade } from "./transactions.js";

export interface StoryOptions {
  /** CometBFT's program. */
  readonly comet: string;
  readonly seed: number;
  readonly transfers: number;
  /** Does the old version end at the height, and the new one go on? Else one program knows both. */
  readonly halts: boolean;
  /** Of so many requests one is sent. */
  readonly every: number;
}

export interface StoryResult {
  readonly blocks: number;
  readonly txs: number;
  readonly refusals: number;
  readonly equalBlocks: number;
  /** Requests by server. */
  readonly asked: Readonly<Record<"rest" | "grpc" | "rpc", number>>;
  /** Those that were not refused. */
  readonly good: number;
  readonly differences: readonly string[];
}

/** Enough for the proposal, its vote and what is between. */
const BLOCKS_TO_PLAN = 8;
/** The proposals before that of the upgrade. */
const PROPOSALS = 4n;

export async function story(options: StoryOptions): Promise<StoryResult> {
  const root = mkdtempSync(join(tmpdir(), "chain-upgrade-same-answers-"));
  const chain = await DecidedChain.make(join(root, "cometbft"), options.comet);
  let repeated: Repeated | undefined;
  try {
    const ledger = new Ledger();
    const upgradeAt = await live(chain, ledger, options);
    const blocks = await chain.blocks();
    const halts = options.halts ? { haltsAt: upgradeAt } : {};
    repeated = repeat(join(root, "embedded"), blocks, { refusals: chain.refusals, ...halts });
    const txs = blocks.flatMap(({ block }) => block.txs);
    const facts = {
      ...{ account: ALICE.address, operator: operators.encode(OPERATOR.addressBytes), last: blocks.length },
      ...{ hashes: [txs.at(0), txs.at(-5)].map((tx = new Uint8Array()) => sha256(tx)), tx: oneTransfer(ledger) },
    };
    const theirs: Servers = { rest: chain.rest, grpc: chain.grpc, rpc: chain.node.rpc.url };
    const compared = {} as Record<"rest" | "grpc" | "rpc", Comparison>;
    await serveNode(
      repeated.open,
      async (own) => {
        const both = { nodes: [theirs, own] as const, every: options.every, seed: options.seed };
        compared.rest = await compareRest(both, own.query.routed, facts);
        compared.grpc = await compareGrpc(both, own.query.services, facts);
        compared.rpc = await compareRpc(both, facts, [1, 2, 3, upgradeAt, blocks.length]);
      },
      { genesis: genesis(), blocks: 0 },
    );
    const { rest, grpc, rpc } = compared;
    return {
      ...{ blocks: blocks.length, txs: txs.length, refusals: chain.refusals.length, equalBlocks: repeated.equalBlocks },
      asked: { rest: rest.asked, grpc: grpc.asked, rpc: rpc.asked },
      good: rest.good + grpc.good + rpc.good,
      differences: [repeated, rest, grpc, rpc].flatMap(({ differences }) => differences),
    };
  } finally {
    repeated?.open.close();
    await chain.node.stop().catch(() => chain.node.kill());
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Transfers, refusals, governance, an upgrade, transfers; returns the height of the upgrade. */
async function live(chain: DecidedChain, ledger: Ledger, options: StoryOptions): Promise<number> {
  const random = new Random(String(options.seed));
  const sendAll = async (txs: readonly Uint8Array[]) => {
    for (const tx of txs) await chain.send(tx);
  };
  await chain.start(...(options.halts ? ["--app-version", "1"] : []));
  await sendAll(transfers(ledger, random, options.transfers));
  await chain.untilQuiet();
  for (const [what, tx] of refusals(ledger)) await chain.sendRefused(what, tx);
  await sendAll(governance(ledger));
  await chain.untilQuiet();
  const upgradeAt = (await chain.node.height()) + BLOCKS_TO_PLAN + random.below(2);
  await sendAll(upgrade(ledger, PROPOSALS + 1n, "v2", upgradeAt));
  // The next block counts all votes: it is made when there is something to do.
  await sleep(VOTING_MILLIS);
  while (await chain.isQuietBefore(upgradeAt)) await chain.send(oneTransfer(ledger));
  if (options.halts) {
    const { exit } = await chain.node.end();
    if (exit !== 10) throw new Error(`the old version ended with ${exit}:\n${chain.node.log.slice(-2_000)}`);
    await chain.start();
    for (const person of PEOPLE) ledger.resume(person, await chain.sequence(person.address));
  }
  if (!chain.node.isRunning) throw new Error(`the node ended:\n${chain.node.log.slice(-2_000)}`);
  await sendAll(transfers(ledger, random, Math.ceil(options.transfers / 3)));
  await chain.untilQuiet();
  return upgradeAt;
}
