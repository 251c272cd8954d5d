/** What the node says of itself without proof: `/chain/upgrade/v1/status`. A member that is absent or of another type is not shown. */
import type { BlockTime } from "./countdown.js";
import { integer, list, members, real, shownText } from "./json.js";
import { millisOf } from "./number-text.js";

type Phase = "waiting" | "halted" | "migrating" | "running" | "failed";

export interface StatusPlan {
  readonly name: string;
  readonly height: bigint;
  readonly info: string;
}

/** The proposal that scheduled a plan. */
export interface StatusProposal {
  readonly id: bigint;
  readonly title: string;
  readonly summary: string;
}

export interface StoreProgress {
  readonly store: string;
  readonly work: string;
  readonly done: number;
  /** 0: not known. */
  readonly total: number;
}

/** Why the node made no further block, and what its operator does next. */
export interface HaltWords {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly commands: readonly string[];
  readonly height: bigint | undefined;
  readonly time: number | undefined;
}

export interface ChainStatus {
  readonly phase: Phase;
  readonly chainId: string | undefined;
  readonly plan: StatusPlan | undefined;
  readonly proposal: StatusProposal | undefined;
  /** The upgrade that was applied last. */
  readonly last: { readonly name: string; readonly height: bigint } | undefined;
  readonly height: bigint;
  /** Milliseconds since 1970. */
  readonly time: number | undefined;
  readonly blockTimes: readonly BlockTime[];
  readonly progress: readonly StoreProgress[];
  /** Of the migration that is under way; undefined: not known. */
  readonly secondsLeft: number | undefined;
  readonly halt: HaltWords | undefined;
}

const PHASES: readonly string[] = ["waiting", "halted", "migrating", "running", "failed"] satisfies Phase[];
/** Of any list that a server sends. */
const SHOWN_MAX = 64;

/** Undefined: what came is no status. */
export function readStatus(value: unknown): ChainStatus | undefined {
  const status = members(value);
  const { phase } = status;
  const height = integer(status["height"]);
  if (typeof phase !== "string" || !PHASES.includes(phase) || height === undefined) return undefined;
  const progress = members(status["progress"]);
  const stages = list(progress["stages"]).slice(0, SHOWN_MAX);
  return {
    phase: phase as Phase,
    chainId: shownText(status["chain_id"]),
    plan: readPlan(status["plan"]),
    proposal: readProposal(members(status["plan"])["proposal"]),
    last: readPlan(status["last_upgrade"]),
    height,
    time: millisOf(status["block_time"]),
    blockTimes: list(status["block_seconds"]).slice(0, SHOWN_MAX).flatMap(readBlockTime),
    progress: (stages.length > 0 ? stages : [progress]).flatMap(readStage),
    secondsLeft: real(progress["seconds_left"]),
    halt: readHalt(status["halt"]),
  };
}

function readPlan(value: unknown): StatusPlan | undefined {
  const plan = members(value);
  const [name, height] = [shownText(plan["name"]), integer(plan["height"])];
  return name === undefined || height === undefined ? undefined : { name, height, info: shownText(plan["info"]) ?? "" };
}

function readProposal(value: unknown): StatusProposal | undefined {
  const proposal = members(value);
  const id = integer(proposal["id"]);
  if (id === undefined) return undefined;
  return { id, title: shownText(proposal["title"]) ?? "", summary: shownText(proposal["summary"]) ?? "" };
}

function readBlockTime(value: unknown): BlockTime[] {
  const window = members(value);
  const [blocks, seconds] = [integer(window["blocks"]), real(window["seconds"])];
  return blocks === undefined || seconds === undefined ? [] : [{ blocks, seconds }];
}

function readStage(value: unknown): StoreProgress[] {
  const stage = members(value);
  const [work, done] = [shownText(stage["phase"]), real(stage["done"])];
  if (work === undefined || done === undefined) return [];
  return [{ work, done, store: shownText(stage["store"]) ?? "", total: real(stage["total"]) ?? 0 }];
}

/** As codes of docs/errors.md are made. */
const HALT_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

function readHalt(value: unknown): HaltWords | undefined {
  const halt = members(value);
  const [code, message] = [shownText(halt["code"]), shownText(halt["message"])];
  if (code === undefined || message === undefined || !HALT_CODE.test(code)) return undefined;
  const commands = list(halt["commands"])
    .slice(0, SHOWN_MAX)
    .flatMap((command) => shownText(command) ?? []);
  const next = shownText(halt["next"]) ?? "";
  return { code, message, next, commands, height: integer(halt["height"]), time: millisOf(halt["time"]) };
}
