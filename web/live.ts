/** What a source says of now, without proof: a node of ours its status and proposals, any CometBFT its last blocks. */
import { windowsOf } from "../host/chain/app/pace.js";
import type { BlockTime } from "./countdown.js";
import { fetchJson } from "./fetching.js";
import { integer, members, shownText } from "./json.js";
import { millisOf } from "./number-text.js";
import { readProposals, type UpgradeProposal } from "./proposal.js";
import type { Source } from "./source.js";
import { type ChainStatus, readStatus, type StatusPlan } from "./status.js";

/** Newest first, as many as may hold the plan's. */
const PROPOSALS = "cosmos/gov/v1/proposals?pagination.limit=50&pagination.reverse=true";
/** Block times and proposals change slowly. */
const SLOW_MILLIS = 60_000;

export interface Live {
  readonly status: ChainStatus | undefined;
  readonly proposals: readonly UpgradeProposal[];
}

export class LiveSource {
  #blockTimes: readonly BlockTime[] = [];
  #proposals: readonly UpgradeProposal[] = [];
  #slowAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly source: Source) {}

  /**
   * @param plan the one that was verified, for a source that has no status of its own
   * @param now milliseconds, to ask rarely for what changes slowly
   */
  async look(plan: StatusPlan | undefined, now: number): Promise<Live> {
    const isSlow = now - this.#slowAt >= SLOW_MILLIS;
    const own = await this.#ownStatus();
    const status = own ?? (await this.#cometStatus(plan, isSlow));
    if (isSlow && status) {
      this.#slowAt = now;
      this.#proposals = await this.#askedProposals();
    }
    return { status, proposals: this.#proposals };
  }

  async #ownStatus(): Promise<ChainStatus | undefined> {
    const { api } = this.source;
    return api === undefined ? undefined : readStatus(await orNothing(fetchJson(`${api}chain/upgrade/v1/status`)));
  }

  async #askedProposals(): Promise<readonly UpgradeProposal[]> {
    const { api } = this.source;
    return api === undefined ? [] : readProposals(await orNothing(fetchJson(api + PROPOSALS)));
  }

  async #cometStatus(plan: StatusPlan | undefined, isSlow: boolean): Promise<ChainStatus | undefined> {
    const { rpc } = this.source;
    const result = members(members(await orNothing(fetchJson(`${rpc}status`)))["result"]);
    const sync = members(result["sync_info"]);
    const [height, time] = [integer(sync["latest_block_height"]), millisOf(sync["latest_block_time"])];
    if (height === undefined || time === undefined) return undefined;
    if (isSlow) this.#blockTimes = await this.#times(height, time, integer(sync["earliest_block_height"]) ?? 1n);
    return {
      chainId: shownText(members(result["node_info"])["network"]),
      ...{ height, time, plan, blockTimes: this.#blockTimes, progress: [] },
      ...{ proposal: undefined, last: undefined, secondsLeft: undefined, halt: undefined },
      phase: plan && plan.height > height ? "waiting" : "running",
    };
  }

  /** Windows whose first block is not served are left out. */
  async #times(height: bigint, time: number, earliest: bigint): Promise<BlockTime[]> {
    const found = windowsOf(height, earliest).map(async (blocks) => {
      const answer = members(await orNothing(fetchJson(`${this.source.rpc}commit?height=${height - blocks}`)));
      const header = members(members(members(answer["result"])["signed_header"])["header"]);
      const millis = millisOf(header["time"]);
      return millis === undefined ? [] : [{ blocks, seconds: (time - millis) / Number(blocks) / 1_000 }];
    });
    return (await Promise.all(found)).flat();
  }
}

/** A source that is silent, or has no such thing, is shown as that: it is no failure of the page. */
async function orNothing(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch {
    return undefined;
  }
}
