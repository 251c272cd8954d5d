/** What an upgrade under a supervisor needs of a home, whichever chain it is of. */
import { setTimeout as sleep } from "node:timers/promises";
import { rpc } from "../../e2e/cometbft.js";
import type { Loose } from "../../lying-proxy.js";

const PATIENCE_MILLIS = 60_000;
const STEP_MILLIS = 50;

export abstract class ChainHome {
  protected port = 0;

  constructor(readonly path: string) {}

  /** Of CometBFT's RPC. */
  get rpc(): number {
    return this.port;
  }

  /** Arguments of `start` besides the home. */
  abstract readonly start: readonly string[];

  /** The node's line that a block is committed. */
  abstract committed(height: number): RegExp;

  /** @param commit time between blocks, as CometBFT's `timeout_commit` has it */
  abstract init(commit: string): Promise<this>;

  /** The plan `v2` is scheduled; its height. */
  abstract propose(): Promise<number>;

  async height(): Promise<number> {
    const status = (await rpc(this.port, "status")) as Loose;
    return Number(status?.sync_info?.latest_block_height ?? 0);
  }

  async untilHeight(height: number): Promise<void> {
    await until(`height ${height}`, async () => (await this.height()) >= height);
  }

  /** Does the chain say that `v2` was applied? */
  async isUpgraded(): Promise<boolean> {
    const path = encodeURIComponent('"/cosmos.upgrade.v1beta1.Query/AppliedPlan"');
    const applied = (await rpc(this.port, `abci_query?path=${path}&data=0x0a027632`)) as Loose;
    return Number(applied?.response?.value?.length ?? 0) > 0;
  }
}

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MILLIS; performance.now() < end; await sleep(STEP_MILLIS)) {
    if (await holds()) return;
  }
  throw new Error(`${what}: not after ${PATIENCE_MILLIS / 1_000} s`);
}
