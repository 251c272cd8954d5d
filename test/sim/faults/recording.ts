/** One process of a scene as it goes when nobody disturbs it: what it changed on disk, and from where. */
import type { Random } from "../random.js";
import { type Snapshot, takeSnapshot } from "./disk.js";
import { type Change, type Phase, phasesOf, readJournal } from "./journal.js";
import type { FaultClass } from "./library.js";

export interface Recording {
  /** Where it ran. */
  readonly home: string;
  readonly before: Snapshot;
  readonly changes: readonly Change[];
  readonly phases: readonly Phase[];
}

/** Moments that fall into the upgrade block, where there is one; the rest fall anywhere. */
const IN_THE_BLOCK = 0.8;
const BLOCK_PHASES: ReadonlySet<Phase> = new Set(["handler", "staging", "commit"]);

export function beginRecording(home: string): (journal: string) => Recording {
  const before = takeSnapshot(home);
  return (journal) => {
    const changes = readJournal(journal);
    return { home, before, changes, phases: phasesOf(changes) };
  };
}

/** Index of a change (nothing that is said), of a class if given; undefined: there is none. */
export function chooseMoment({ changes, phases }: Recording, random: Random, of?: FaultClass): number | undefined {
  const all = changes.flatMap((change, index) => (change.class && (!of || change.class === of) ? [index] : []));
  const inBlock = all.filter((index) => BLOCK_PHASES.has(phases[index] as Phase));
  const list = inBlock.length > 0 && random.chance(IN_THE_BLOCK) ? inBlock : all;
  return list.length === 0 ? undefined : random.pick(list);
}
