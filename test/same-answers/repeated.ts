/**
 * The blocks of another engine, made again by the embedded one: the same transactions at the same heights, and a clock that gives
 * the times which the other engine's votes had. Headers hold everything that was computed, so equal block hashes are equal
 * states, results and validators; where one differs, the first field that does is named.
 */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import { formatTime } from "../../host/base/time/time.js";
import type { Timestamp } from "../../host/base/types/types.js";
import type { Header } from "../../host/chain/comet-types/header.js";
import type { Clock } from "../../host/node/embedded/clock.js";
import { type OpenNode, openNode } from "../../host/node/open/open-node.js";
import { Halt } from "../../host/upgrade/module/halt.js";
import { exampleChain } from "../example-chain.js";
import { HANDLERS, makeChainHome } from "./chain.js";
import type { DecidedBlock, Refusal, Verdict } from "./decided.js";

/** Votes for the block of a time are cast when those of the other engine were. */
function clockOf(blocks: readonly DecidedBlock[]): Clock {
  const votes = new Map(blocks.map(({ block, commit }) => [formatTime(block.header.time), votedAt(commit)]));
  return {
    after(time) {
      const voted = votes.get(formatTime(time));
      if (!voted) throw new Error(`no block has the time ${formatTime(time)}`);
      return voted;
    },
    millisUntil: () => undefined,
  };
}

function votedAt({ signatures, round }: DecidedBlock["commit"]): Timestamp {
  if (round !== 0 || signatures.length !== 1) throw new Error("a block took another round, or more than one vote");
  return (signatures[0] as { timestamp: Timestamp }).timestamp;
}

export interface Repeated {
  readonly open: OpenNode;
  /** What is not the same; as text. */
  readonly differences: readonly string[];
  /** Block hashes that are the same. */
  readonly equalBlocks: number;
}

export interface RepeatOptions {
  /** Checked again after the block after which they were refused. */
  readonly refusals: readonly Refusal[];
  /** The block that the old version does not make; undefined: one program knows both. */
  readonly haltsAt?: number;
}

export function repeat(home: string, blocks: readonly DecidedBlock[], { refusals, haltsAt }: RepeatOptions): Repeated {
  makeChainHome(home);
  const clock = clockOf(blocks);
  const start = (appVersion?: bigint) =>
    openNode({
      ...{ chain: exampleChain, home, handlers: HANDLERS, clock, log: () => undefined },
      ...(appVersion === undefined ? {} : { appVersion }),
    });
  const differences: string[] = [];
  let equalBlocks = 0;
  let open = start(haltsAt === undefined ? undefined : 1n);
  for (const { block } of blocks) {
    const { header, txs } = block;
    if (Number(header.height) === haltsAt) {
      differences.push(...haltDifferences(open));
      open.close();
      open = start();
    }
    for (const tx of txs) {
      const { code, log } = verdictOf(open, tx);
      if (code !== 0) differences.push(`block ${header.height}: a transaction of it is refused: ${log}`);
    }
    // The embedded engine's headers keep the version of genesis; those of CometBFT name the one that runs.
    Object.assign(open.node.facts, { appVersion: header.version.app });
    const own = makeBlock(open);
    const wrong = headerDifferences(header, own);
    if (wrong.length === 0) equalBlocks++;
    differences.push(...wrong.map((each) => `block ${header.height}, ${each}`));
    for (const refusal of refusals.filter(({ after }) => after === own.height)) {
      const verdict = verdictOf(open, refusal.tx);
      const [a, b] = [JSON.stringify(refusal.verdict), JSON.stringify(verdict)];
      if (a !== b) differences.push(`a transaction with ${refusal.what}: ${a}, not ${b}`);
    }
  }
  return { open, differences, equalBlocks };
}

/** Where a program goes through an upgrade by itself, its application is opened again for the block. */
function makeBlock({ node }: OpenNode): Header {
  try {
    return node.makeBlock().stored.header;
  } catch (error) {
    if (!(error instanceof Halt) || error.code !== "UPG_HALT_RESTART") throw error;
    node.app.reopen();
    return node.makeBlock().stored.header;
  }
}

/** As a mempool takes it, or does not. */
function verdictOf({ node }: OpenNode, tx: Uint8Array): Verdict {
  try {
    const { code, codespace, log } = node.submit(tx);
    return { code, codespace, log };
  } catch (error) {
    if (isUpgradeError(error)) return { code: -1, codespace: error.code, log: error.message };
    throw error;
  }
}

function haltDifferences({ node }: OpenNode): string[] {
  try {
    node.makeBlock();
    return ["the old version made the block of the upgrade"];
  } catch (error) {
    if (error instanceof Halt && error.code === "UPG_HALT_UPGRADE_NEEDED") return [];
    throw error;
  }
}

function headerDifferences(expected: Header, made: Header): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const [theirs, own] = [text(value), text(made[name as keyof Header])];
    return theirs === own ? [] : [`${name}: ${theirs} by CometBFT, ${own} by the embedded engine`];
  });
}

function text(value: unknown): string {
  if (value instanceof Uint8Array) return toHex(value);
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}: ${text(each)}`)
    .join(", ")}}`;
}
