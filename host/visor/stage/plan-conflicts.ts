/** Heights that operators queued, beside the plan that the chain has scheduled: where both cannot be, the node stops at one of them. */

import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { chainvisorFor } from "../../node/home/supervised-start.js";
import type { Program } from "../../node/programs/layout.js";
import { isSame, type QueuedPlan, readQueue } from "../decide/decision/queue.js";
import type { Processes } from "../decide/machine.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";
import { planInState } from "./plan-in-state.js";
import { comesTooEarly, missingHandlerIn, probeProgram } from "./probe.js";

interface Scheduled {
  readonly name: string;
  readonly height: bigint;
}

export interface KnownOfChain {
  /** The plan that the node has scheduled, where it was asked. Default: that of the home's state. */
  readonly chain?: Scheduled | undefined;
  /** The last block, where the home's state does not have it. */
  readonly last?: bigint | undefined;
}

interface Judged extends KnownOfChain {
  readonly settings: Settings;
  readonly plan: Scheduled;
  readonly machine: { readonly files: Files; readonly processes: Pick<Processes, "run"> };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly programOf: (plan: string) => Program;
}

/** Why a height that an operator sets cannot be beside the chain's plan, by names and heights. Undefined: it can. */
export function contradiction(queued: Scheduled, chain: Scheduled): string | undefined {
  const scheduled = `the chain has scheduled "${chain.name}" for height ${chain.height}`;
  if (isSame(queued.name, chain.name)) {
    if (queued.height === chain.height) return undefined;
    return `${scheduled}, and an operator queued it for height ${queued.height}: before its height a program that carries it stops with exit 11`;
  }
  if (queued.height !== chain.height) return undefined;
  return `${scheduled}, and an operator queued "${queued.name}" for the same height: only one upgrade can be made there`;
}

/** What was found of a plan, and what keeps queued plans and the chain's apart. */
export async function besideChain(options: Judged, probed: readonly Readiness[]): Promise<readonly Readiness[]> {
  const { settings, machine, plan } = options;
  const inState = await planInState(machine.files, settings);
  const chain: Scheduled | undefined = options.chain ?? inState?.plan;
  if (!chain) return probed;
  const last = inState?.last ?? options.last ?? 0n;
  const queued = queuedIn(options).filter((each) => each.height > last);
  const conflicts: Readiness[] = [];
  for (const each of queued) {
    const early = isBefore(each, chain) && (await carriesChains(each, options, isOne(each, plan) ? probed : undefined));
    const why = contradiction(each, chain) ?? (early ? earlyText(each, chain) : undefined);
    if (why !== undefined) conflicts.push({ what: "plan", state: "wrong", detail: why, next: takeBack(each, options) });
  }
  const isQueued = queued.some((each) => isOne(each, plan)) && isBefore(plan, chain);
  return [...(isQueued ? probed.map(goesOnUntilChains) : probed), ...conflicts];
}

const isOne = (one: Scheduled, other: Scheduled) => isSame(one.name, other.name) && one.height === other.height;

const isBefore = (queued: Scheduled, chain: Scheduled) =>
  queued.height < chain.height && !isSame(queued.name, chain.name);

const earlyText = ({ name, height }: Scheduled, chain: Scheduled) =>
  `the program of "${name}", queued for height ${height}, carries the chain's "${chain.name}" and cannot run before height ${chain.height} (exit 11)`;

/** A version between carries no handler of the chain's plan, which is made by the program after it. */
const goesOnUntilChains = (row: Readiness): Readiness =>
  row.what === "pre-upgrade" && missingHandlerIn(row.detail) !== undefined
    ? { ...row, state: "ready", next: null }
    : row;

/** By what its `pre-upgrade` prints. @param probed what was found of it already */
async function carriesChains({ name }: Scheduled, options: Judged, probed?: readonly Readiness[]): Promise<boolean> {
  if (probed) return probed.some(comesTooEarly);
  const { settings, machine, env, signal } = options;
  const program = options.programOf(name);
  if (!machine.files.facts(program.file)) return false;
  const found = await probeProgram({ ...machine, env, signal, program, home: settings.home, isOurs: true });
  return found.some(comesTooEarly);
}

/** A queue that cannot be read is a finding of the doctor's. */
function queuedIn({ machine, settings }: Judged): readonly QueuedPlan[] {
  try {
    return readQueue(machine.files, settings).plans;
  } catch {
    return [];
  }
}

/** Null: the file is Cosmovisor's. */
function takeBack({ name, from }: QueuedPlan, options: Judged): string | null {
  if (from === "batch") return null;
  const { file } = options.programOf(name);
  return `${chainvisorFor(options.settings)} add-upgrade ${shellWord(name)} ${shellWord(file)} --upgrade-height 0 --force`;
}
