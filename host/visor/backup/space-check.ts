/** Checks for space for the backup while there is time to make some. */
import { join } from "node:path";
import { messageOf } from "../../base/errors/errors.js";
import { type Layout, problemOf } from "../../node/programs/layout.js";
import type { Plan } from "../decide/decision/plan-file.js";
import type { Machine } from "../decide/machine.js";
import { freshMillis } from "../decide/readiness.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness, StatusBoard } from "../decide/status.js";

/** The data grows, and is walked over each time. */
const LOOK_MILLIS_MIN = 60_000;

interface SpaceCheckOptions {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly layout: Layout;
  readonly board: StatusBoard;
  readonly log: (level: "warn", message: string) => void;
}

export class BackupSpaceCheck {
  #lookedAt = Number.NEGATIVE_INFINITY;
  #said = "";
  #isWithoutProgram = false;

  constructor(private readonly shared: SpaceCheckOptions) {}

  /**
   * Returns at once.
   * @param plan the upcoming one, if any
   * @param isOurs of our chains the program that runs may make the block where that of the plan is missing
   */
  look(plan: Plan | undefined, isOurs: boolean): void {
    if (!plan) {
      this.#forget();
      return;
    }
    const { machine, board, layout } = this.shared;
    const isWithoutProgram = isOurs && problemOf(layout.of(plan.name), machine.files) !== undefined;
    const { clock } = machine;
    const millis = Math.max(LOOK_MILLIS_MIN, freshMillis(board.current.eta));
    if (isWithoutProgram === this.#isWithoutProgram && clock.now() - this.#lookedAt < millis) return;
    this.#isWithoutProgram = isWithoutProgram;
    const begun = clock.now();
    this.#lookedAt = begun;
    // What is found of a plan that is ahead no more is shown nobody.
    void backupReadiness(this.shared, isWithoutProgram).then((found) => this.#lookedAt === begun && this.#show(found));
  }

  #forget(): void {
    if (this.#lookedAt === Number.NEGATIVE_INFINITY) return;
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    const { board } = this.shared;
    board.update({ readiness: board.current.readiness.filter(({ what }) => what !== "backup") });
  }

  #show(found: Readiness): void {
    const { board, log } = this.shared;
    const others = board.current.readiness.filter(({ what }) => what !== found.what);
    board.update({ readiness: [...others, found] });
    if (found.state === "wrong" && found.detail !== this.#said)
      log("warn", `the backup before the upgrade: ${found.detail}`);
    this.#said = found.detail;
  }
}

/** Judges the backup that the switch would make. Never rejects. @param isWithoutProgram the plan may be made by the program that runs */
export async function backupReadiness(
  { settings, machine: { files } }: Pick<SpaceCheckOptions, "settings"> & { readonly machine: Pick<Machine, "files"> },
  isWithoutProgram: boolean,
): Promise<Readiness> {
  const what = "backup";
  if (settings.isBackupSkipped) {
    return { what, state: "skipped", detail: "no backup is made (UNSAFE_SKIP_BACKUP)", next: null };
  }
  try {
    // This also loads the code that makes the backup.
    const [{ dataTree, backupSpace }] = await Promise.all([import("./backup-space.js"), import("./backup.js")]);
    const tree = dataTree(files, join(settings.home, "data"));
    const { bytes, free, isByReflink, problem } = await backupSpace(files, settings, tree);
    if (problem !== undefined) return { what, state: "wrong", detail: problem, next: null };
    const how = isByReflink ? "by reflink, which takes no room" : `of which ${free} are free`;
    const when = isWithoutProgram
      ? "; made where the program ends to be started again for the plan (14), not of one that goes on"
      : "";
    return { what, state: "ready", detail: `${bytes} bytes into ${settings.backupDir}, ${how}${when}`, next: null };
  } catch (error) {
    return { what, state: "unknown", detail: messageOf(error), next: null };
  }
}
