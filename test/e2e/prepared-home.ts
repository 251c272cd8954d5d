/** Homes of the example chain, made and opened in this process, for what has no command. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../host/base/text/log-line.js";
import type { Chain } from "../../host/chain/app/chain.js";
import { initHome } from "../../host/cli/commands/init.js";
import { logicalClock } from "../../host/node/embedded/clock.js";
import type { BlockSettings, EmbeddedNode, MadeBlock } from "../../host/node/embedded/embedded-node.js";
import { openNode } from "../../host/node/open/open-node.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { exampleChain } from "../example-chain.js";

/** Time between blocks, as the option `--block-time` has it and in nanoseconds. */
export const BLOCK_TIME = "5s";
const BLOCK_NANOS = 5_000_000_000n;

export interface PlannedUpgrade {
  readonly name: string;
  readonly height: bigint;
  readonly info?: string;
}

/** A home with this genesis document and always the same keys. */
export function makeHome(path: string, genesis: string): void {
  mkdirSync(path, { recursive: true });
  const file = join(path, "given-genesis.json");
  writeFileSync(file, genesis);
  initHome(exampleChain, { home: path, genesis: file, keySeed: new Uint8Array(32).fill(1) });
}

export interface OpenHomeOptions {
  readonly path: string;
  /** Default: the example chain. */
  readonly chain?: Chain;
  /** Folder of the program's handlers. Default: the chain's own. */
  readonly handlers?: string;
  readonly appVersion?: bigint | undefined;
  readonly blocks?: Partial<BlockSettings>;
  readonly versionsKept?: number;
  readonly log?: Log;
}

export function withNode<T>({ path, appVersion, ...settings }: OpenHomeOptions, use: (node: EmbeddedNode) => T): T {
  const open = openNode({
    chain: exampleChain,
    home: path,
    clock: logicalClock(BLOCK_NANOS),
    log: () => undefined,
    ...settings,
    ...(appVersion === undefined ? {} : { appVersion }),
  });
  try {
    return use(open.node);
  } finally {
    open.close();
  }
}

/** Makes a block that schedules a plan by the app itself. */
export function schedule(node: EmbeddedNode, { name, height, info = "" }: PlannedUpgrade): MadeBlock {
  const { keeper } = node.app;
  const { authority } = keeper;
  return node.makeBlock([
    (context) =>
      keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, { authority, plan: { name, height, info } }),
  ]);
}

export function makeBlocksUpTo(node: EmbeddedNode, height: bigint): void {
  while (node.app.lastCommitID.version < height) node.makeBlock();
}
