/** What befalls a round: errors and deaths at its calls of files, and deaths at moments. */
import type { Random } from "../../sim/random.js";
import { FILE_CALLS, type FileCall, type Interference } from "./model-files.js";
import { HOME } from "./world.js";

/** What is gone after a death: the sidecar alone, it and the node (a service manager ends both), all that was not synced. */
export const DEATHS = ["sidecar", "both", "power"] as const;
export type Death = (typeof DEATHS)[number];
const ERRORS = ["EIO", "ENOSPC", "EACCES"] as const;
export type ErrorCode = (typeof ERRORS)[number];
export const EFFECTS = [...DEATHS, ...ERRORS] as const;
type Effect = Death | ErrorCode;

/** A file's call by what is called and which file it is: digits of names are left out. */
const kindOfCall = (call: FileCall, path: string) => `${call} ${path.replace(`${HOME}/`, "").replace(/[0-9]+/g, "#")}`;

/** Calls that write may find a disk full. */
const MAY_FILL: ReadonlySet<FileCall> = new Set<FileCall>([
  ...(["makeFolder", "open new", "open append", "write", "sync", "close", "rename", "symlink", "copy"] as const),
  ...(["syncFolder", "syncFile"] as const),
]);
const MAY_BE_DENIED: ReadonlySet<FileCall> = new Set<FileCall>([
  ...(["facts", "linkFacts", "readLink", "read", "readPart", "list", "makeFolder", "open new", "open append"] as const),
  ...(["rename", "remove", "symlink", "chmod", "copy"] as const),
]);

export function errorsOf(kind: string): readonly ErrorCode[] {
  const call = FILE_CALLS.find((each) => kind.startsWith(`${each} `)) ?? "facts";
  return ERRORS.filter((code) => code === "EIO" || (code === "ENOSPC" ? MAY_FILL : MAY_BE_DENIED).has(call));
}

export type Mishap =
  | {
      readonly at: "call";
      readonly kind: string;
      /** The how-manieth call of that kind in the round, from 1. */
      readonly turn: number;
      readonly effect: Effect;
      readonly crash: "before" | "middle" | "after";
      /** So many calls of any kind fail, from that one on. */
      readonly lasting: number;
    }
  | { readonly at: "moment"; readonly millis: number; readonly effect: Death | "node" };

/** The calls of an undisturbed round, each kind with how often it came. */
export type Journal = ReadonlyMap<string, number>;

const MISHAPS_MORE = 0.45;
const AT_MOMENT = 0.25;

export function chooseMishaps(random: Random, journal: Journal, millis: number): Mishap[] {
  const chosen: Mishap[] = [];
  do chosen.push(random.chance(AT_MOMENT) ? atMoment(random, millis) : atCall(random, journal));
  while (chosen.length < 4 && random.chance(MISHAPS_MORE));
  return chosen;
}

const atMoment = (random: Random, millis: number): Mishap => ({
  ...{ at: "moment", millis: random.below(millis) },
  effect: random.pick([...DEATHS, "node", "node"] as const),
});

/** Of all kinds as often: most calls are looks, which would hide the few that matter. */
function atCall(random: Random, journal: Journal): Mishap {
  const kind = random.pick([...journal.keys()].sort());
  const effect = random.chance(0.5) ? random.pick(DEATHS) : random.pick(errorsOf(kind));
  return {
    ...{ at: "call", kind, effect },
    turn: 1 + random.below(journal.get(kind) ?? 1),
    crash: random.pick(["before", "middle", "after"] as const),
    lasting: random.chance(0.5) ? 1 : 1 + random.below(40),
  };
}

export const mishapText = (mishap: Mishap) =>
  mishap.at === "moment"
    ? `${mishap.effect} at ${mishap.millis / 1_000} s`
    : `${mishap.effect} ${isDeath(mishap.effect) ? mishap.crash : `for ${mishap.lasting}`} at ${mishap.kind} (${mishap.turn})`;

export const isDeath = (effect: string): effect is Death => (DEATHS as readonly string[]).includes(effect);

/** Counts calls, and says what happens at one. */
export class Mishaps {
  readonly journal = new Map<string, number>();
  /** That have come. */
  readonly hit: Mishap[] = [];
  #lasting = 0;
  #error: ErrorCode = "EIO";
  readonly #waiting: Mishap[];

  constructor(mishaps: readonly Mishap[]) {
    this.#waiting = mishaps.filter(({ at }) => at === "call");
  }

  /** @param die what a death leaves is the round's to know */
  at(call: FileCall, path: string, die: (death: Death) => void): Interference | undefined {
    const kind = kindOfCall(call, path);
    const turn = (this.journal.get(kind) ?? 0) + 1;
    this.journal.set(kind, turn);
    const at = this.#waiting.findIndex((each) => each.at === "call" && each.kind === kind && each.turn === turn);
    const mishap = at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
    if (mishap?.at === "call") {
      this.hit.push(mishap);
      if (isDeath(mishap.effect)) {
        die(mishap.effect);
        return { crash: mishap.crash };
      }
      this.#lasting = mishap.lasting;
      this.#error = mishap.effect;
    }
    if (this.#lasting === 0) return undefined;
    this.#lasting--;
    return errorsOf(kind).includes(this.#error) ? { error: this.#error } : undefined;
  }
}
