/**
 * The block of an operator's plan is the next program's: the application that runs is started with `--halt-height` of it, which
 * those of the Cosmos SDK and ours have. They refuse that block, so that no poll can come too late.
 */
import { join } from "node:path";
import { decodeLossy } from "../../../base/text/text.js";
import { chainvisorFor } from "../../../node/home/supervised-start.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { skipHeights } from "../../decide/decision/skips.js";
import { HeightSettings } from "../../decide/height-settings.js";
import type { HaltFacts } from "../../decide/heights/halt-record.js";
import type { ProcessEnd } from "../../decide/machine.js";
import { prefixOf } from "../../decide/program-variables.js";
import type { Shared } from "../loop/options.js";

/** Flags of the whole program may come before it. */
const START = "start";
const FLAG = "--halt-height";
const SKIP_FLAG = "--unsafe-skip-upgrades";
/** Of our programs that have come to it. */
const HALT_HEIGHT = 13;
const APP_TOML_BYTES_MAX = 1_024 * 1_024;

export class HaltFlag {
  /** Of the run that is under way, or was the last one. */
  #given: bigint | undefined;
  #said: string | undefined;
  #args: readonly string[] = [];
  readonly #settings: HeightSettings;

  constructor(private readonly shared: Pick<Shared, "args" | "settings" | "machine" | "env" | "log" | "board">) {
    this.#settings = new HeightSettings(shared.machine.files, shared.settings.home);
  }

  /** @param next whose block the application is not to make */
  begin(args: readonly string[], next: Plan | undefined): readonly string[] {
    this.#said = undefined;
    this.#args = args;
    this.#settings.runBegins();
    this.#given = next && this.#isGiven(next) ? next.height : undefined;
    return this.with(args, next);
  }

  /** The arguments of a run that does not begin yet. */
  with(args: readonly string[], next: Plan | undefined): readonly string[] {
    if (!next || !this.#isGiven(next)) return args;
    return args.toSpliced(args.indexOf(START) + 1, 0, FLAG, String(next.height));
  }

  /**
   * A flag is given at the start alone: what is queued, or taken back, meanwhile comes into force with the next one.
   * @param pending the plan that is ahead, the chain's or the operator's
   */
  look(next: Plan | undefined, pending?: Plan): void {
    const given = this.#given;
    this.#show(next);
    this.#showSkip(pending);
    this.#showSettings(pending ?? next);
    if (next?.height === given || (next && !this.#isGiven(next))) return;
    const height = given === undefined ? "" : ` with ${FLAG} ${given}`;
    if (next && (given === undefined || next.height < given)) {
      this.#say(
        `"${next.name}" was queued for height ${next.height} after the application was started${height}: it may make that block ` +
          `before it is ended. Before height ${next.height}: ${this.#restart}`,
      );
    } else {
      this.#say(
        `the application was started${height}, for which no plan is queued any more: it stops there, and is started again then`,
      );
    }
  }

  /** The application has ended by the flag that the sidecar gave, not by one of the operator's. */
  isReason({ exit }: ProcessEnd, halt: HaltFacts | undefined): boolean {
    return exit === HALT_HEIGHT && this.#given !== undefined && halt?.height === this.#given;
  }

  get #restart(): string {
    return `${chainvisorFor(this.shared.settings)} restart`;
  }

  /** The program that runs would make the block that is the next one's. */
  #show(next: Plan | undefined): void {
    const { board } = this.shared;
    const before = board.current.readiness;
    const others = before.filter(({ what }) => what !== "halt-height");
    const isStopped = !next || (this.#given !== undefined && this.#given <= next.height) || this.#stopsItself(next);
    if (isStopped && others.length === before.length) return;
    const detail = `the application was started without ${FLAG} ${next?.height}: it would make that block, which is the next version's`;
    const row = { what: "halt-height", state: "missing", detail, next: this.#restart } as const;
    board.update({ readiness: isStopped ? others : [...others, row] });
  }

  /** The application passes over the plan: that is right only where all validators do. */
  #showSkip(pending: Plan | undefined): void {
    const { board } = this.shared;
    const others = board.current.readiness.filter(({ what }) => what !== "skip");
    const isSkipped = pending !== undefined && skipHeights(this.#args).includes(pending.height);
    if (!isSkipped && others.length === board.current.readiness.length) return;
    const detail = `started with ${SKIP_FLAG} ${pending?.height}: it does not make the upgrade, and leaves the chain if the others do`;
    board.update({ readiness: isSkipped ? [...others, { what: "skip", state: "wrong", detail, next: null }] : others });
  }

  /** What the file says now was judged for the plan; the application runs with what it said at its start. */
  #showSettings(plan: Plan | undefined): void {
    const { board } = this.shared;
    const others = board.current.readiness.filter(({ what }) => what !== "settings");
    const rows = plan ? this.#settings.readiness(this.#restart) : [];
    if (rows.length > 0 || others.length < board.current.readiness.length)
      board.update({ readiness: [...others, ...rows] });
  }

  /** By a flag or a setting of the operator's, or there is no flag that it takes. */
  #stopsItself(next: Plan): boolean {
    return !this.#isGiven(next);
  }

  #say(line: string): void {
    if (this.#said === line) return;
    this.#said = line;
    this.shared.log("warn", line);
  }

  #isGiven({ height }: Plan): boolean {
    const { args, settings } = this.shared;
    if (!settings.isHaltedAtHeight || !args.includes(START) || args.some(isFlag)) return false;
    const own = this.#ofEnvironment() ?? this.#ofFile();
    return own === undefined || own > height;
  }

  #ofEnvironment(): bigint | undefined {
    const { env, settings } = this.shared;
    return heightOf(env[`${prefixOf(settings.name)}HALT_HEIGHT`]);
  }

  /** A flag would take the place of the operator's own, earlier height. */
  #ofFile(): bigint | undefined {
    const { machine, settings } = this.shared;
    try {
      const bytes = machine.files.read(join(settings.home, "config", "app.toml"), APP_TOML_BYTES_MAX);
      const top = bytes && decodeLossy(bytes).split(/^[ \t]*\[/m, 1)[0];
      return heightOf(/^[ \t]*halt-height[ \t]*=[ \t]*"?([0-9]+)/m.exec(top ?? "")?.[1]);
    } catch {
      return undefined; // The application says what is wrong with its file.
    }
  }
}

const isFlag = (arg: string) => arg === FLAG || arg.startsWith(`${FLAG}=`);

/** 0 is none. */
function heightOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[0-9]{1,16}$/.test(text) && BigInt(text) > 0n ? BigInt(text) : undefined;
}
