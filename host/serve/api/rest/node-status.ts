/**
 * What a node says of itself and of the upgrade that is to come, for people and pages. Nothing of it is proven: pages show it as
 * the word of this server, beside what they verify.
 */

import { formatTime } from "../../../base/time/time.js";
import type { Height, Plan, Timestamp } from "../../../base/types/types.js";
import { windowsOf } from "../../../chain/app/pace.js";
import type { NodePort, NodeProgress } from "../../../chain/app/query/node-port.js";
import type { ServedHalt } from "../../../upgrade/module/halt-served.js";
import type { HandlerState } from "../../../upgrade/module/handler-set.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import type { Query } from "../../query/query.js";
import { PlanProposals } from "./plan-proposal.js";

/** A step of the upgrade's block, and how far it has come. */
interface ProgressStage {
  readonly phase: string;
  /** "" where the phase is of no store. */
  readonly store: string;
  readonly done: number;
  /** 0: not known. */
  readonly total: number;
}

export interface StatusFacts {
  handlerState(plan: Plan): HandlerState;
  halt(): ServedHalt | undefined;
  stages(): readonly ProgressStage[];
}

/** A mean time between blocks. */
interface Pace {
  readonly blocks: string;
  /** Decimal, with three places. */
  readonly seconds: string;
}

const NANOS = 1_000_000_000n;
const MILLI_NANOS = 1_000_000n;

export class NodeStatus {
  readonly #proposals: PlanProposals;
  #pace: { readonly height: Height; readonly found: Promise<readonly Pace[]> } | undefined;

  constructor(
    private readonly query: Query,
    private readonly facts: StatusFacts,
  ) {
    this.#proposals = new PlanProposals(query);
  }

  async json(): Promise<object> {
    const { query, facts } = this;
    const { node } = query;
    const height = node.lastHeight;
    const halt = facts.halt();
    const progress = node.progress();
    const state = height === undefined ? undefined : this.#state();
    return {
      unproven: "what this node says of itself: nothing of it is proven",
      chain_id: node.chainId,
      phase: phaseOf(halt, progress, state?.plan),
      height: String(height ?? 0n),
      block_time: height === undefined ? null : formatTime(node.timeOf(height)),
      block_seconds: height === undefined ? [] : await this.#paceAt(height),
      plan: state?.plan ? await this.#planJson(state.plan, height ?? 0n) : null,
      last_upgrade: state?.done ? { name: state.done.name, height: String(state.done.height) } : null,
      progress: progress ? progressJson(progress, facts.stages()) : null,
      halt: halt ?? null,
    };
  }

  #state() {
    const { app } = this.query;
    const store = app.at().stores.store(UPGRADE_STORE);
    return { plan: app.keeper.plan(store), done: app.keeper.lastDone(store) };
  }

  async #planJson(plan: Plan, last: Height): Promise<object> {
    const { name, height, info } = plan;
    return {
      ...{ name, height: String(height), info },
      blocks_left: String(height > last ? height - last : 0n),
      handler: this.facts.handlerState(plan),
      proposal: (await this.#proposals.find(plan)) ?? null,
    };
  }

  /** Once a block: where CometBFT keeps the blocks each time is a call to it. */
  #paceAt(height: Height): Promise<readonly Pace[]> {
    if (this.#pace?.height !== height) this.#pace = { height, found: paceOf(this.query.node, height) };
    return this.#pace.found;
  }
}

/** `failed` is an end that no start repeats as it is; a node that only waits for its next version is halted. */
function phaseOf(halt: ServedHalt | undefined, progress: NodeProgress | undefined, plan: Plan | undefined): string {
  if (halt) return halt.code.startsWith("UPG_HALT_") ? "halted" : "failed";
  if (progress) return "migrating";
  return plan ? "waiting" : "running";
}

/** Windows whose first block is not kept any more are left out. */
async function paceOf(node: NodePort, last: Height): Promise<readonly Pace[]> {
  const paces: Pace[] = [];
  try {
    const to = nanosOf(node.timeOf(last));
    const earliest = (await node.earliest())?.header.height ?? last;
    for (const window of windowsOf(last, earliest)) {
      const { header } = await node.at(last - window);
      paces.push({ blocks: String(window), seconds: secondsText((to - nanosOf(header.time)) / window) });
    }
  } catch {
    // A status without these is better than none, as while CometBFT is away.
  }
  return paces;
}

const nanosOf = ({ seconds, nanos }: Timestamp) => seconds * NANOS + BigInt(nanos);

const secondsText = (nanos: bigint) => `${nanos / NANOS}.${String((nanos % NANOS) / MILLI_NANOS).padStart(3, "0")}`;

function progressJson(progress: NodeProgress, stages: readonly ProgressStage[]): object {
  const { plan, height, phase, store, done, total, rate, secondsLeft, secondsElapsed } = progress;
  return {
    ...{ plan, height: String(height), phase, store, done, total, rate: Math.round(rate) },
    seconds_left: secondsLeft === undefined ? null : Math.ceil(secondsLeft),
    seconds_elapsed: Math.round(secondsElapsed),
    stages,
  };
}
