/** What of the home, and not of the plan's own files, speaks against its upgrade. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { toHex } from "../../base/text/bytes.js";
import { shellWord } from "../../base/text/shell-word.js";
import { failedRehearsal } from "../../node/home/failed-rehearsal.js";
import { Home } from "../../node/home/home.js";
import type { Program } from "../../node/programs/layout.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";
import { RESERVE_BYTES } from "../download/reserve.js";
import { currentProblem, earlyProblem } from "./current-link.js";
import { isStartedAgainByUnit } from "./doctor/units.js";
import type { KnownOfChain } from "./plan-conflicts.js";
import { isOurHome, pinnedHandler, replaceCommand } from "./plan-way.js";
import { scriptProblem } from "./script.js";

interface Facts extends KnownOfChain {
  readonly settings: Settings;
  readonly plan: { readonly name: string; readonly height: bigint; readonly info: string };
  readonly machine: { readonly files: Files };
}

const PART_BYTES = 1_048_576;

/** The program of the plan is the one that runs now, byte for byte. */
export function copyOfCurrent(
  program: Program,
  current: Program,
  { plan, settings, machine }: Facts,
): Readiness | undefined {
  const { files } = machine;
  const [one, other] = [files.facts(program.file), files.facts(current.file)];
  if (!one || one.bytes !== other?.bytes || digestOf(files, program.file) !== digestOf(files, current.file))
    return undefined;
  const detail = `${program.file} is a copy of the program that runs now: it cannot make the upgrade`;
  return { what: "program", state: "wrong", detail, next: replaceCommand(plan, settings) };
}

/** Of a program or a handler: without holding it in memory. */
export function digestOf(files: Files, file: string, algorithm = "sha256"): string {
  const hash = createHash(algorithm);
  for (let at = 0; ; ) {
    const part = files.readPart(file, at, PART_BYTES);
    if (part.length === 0) return toHex(hash.digest());
    hash.update(part);
    at += part.length;
  }
}

/** Of the home; what is in order is not in it. */
export const homeReadiness = (facts: Facts): readonly Readiness[] => [
  ...rehearsalReadiness(facts),
  ...currentReadiness(facts),
  ...scriptReadiness(facts),
  ...delayReadiness(facts),
  ...diskReadiness(facts),
];

/** The last rehearsal of the handler that is staged, on this home. */
function rehearsalReadiness({ settings: { home, name }, plan, machine }: Facts): readonly Readiness[] {
  if (!isOurHome(machine.files, home)) return [];
  const staged = pinnedHandler(machine.files, home, plan);
  const failed = failedRehearsal(new Home(home).rehearsalFile(plan.name), staged?.sha256);
  if (failed === undefined) return [];
  const next = `${shellWord(name)} upgrade rehearse --home ${shellWord(home)}`;
  return [
    { what: "rehearsal", state: "wrong", detail: `the last rehearsal on this home did not pass: ${failed}`, next },
  ];
}

/** Less is free than a node needs to go on at all. */
function diskReadiness({ settings: { home }, machine }: Facts): readonly Readiness[] {
  if (!isShort(machine.files, home)) return [];
  // It may be mounted by itself.
  const data = join(home, "data");
  const detail = `less than ${RESERVE_BYTES / PART_BYTES} MiB are free on the disk of ${data}: the node stops when it is full`;
  return [{ what: "disk", state: "missing", detail, next: `df -h ${shellWord(data)}` }];
}

export function isShort(files: Files, home: string): boolean {
  try {
    return files.freeBytes(join(home, "data")) < RESERVE_BYTES;
  } catch {
    return false; // The system does not say it.
  }
}

export const RESTART_OFF =
  "DAEMON_RESTART_AFTER_UPGRADE is false: the sidecar exits with 0 after the switch, and nothing starts it again, so the upgrade's block is not made. Set it to true, and restart the sidecar";
export const RESTART_ON = "export DAEMON_RESTART_AFTER_UPGRADE=true";

/** Of a plan that needs a switch. An operator may leave the restart to the service. */
export function restartReadiness({ settings, machine }: Pick<Facts, "settings" | "machine">): readonly Readiness[] {
  if (settings.isRestartedAfterUpgrade || isStartedAgainByUnit(machine.files, settings.home)) return [];
  return [{ what: "sidecar", state: "wrong", detail: RESTART_OFF, next: RESTART_ON }];
}

/** What the sidecar starts from at the height is lost. */
function currentReadiness({ settings, machine, plan, chain, last }: Facts): readonly Readiness[] {
  const { files } = machine;
  const found = currentProblem(files, settings) ?? earlyProblem(files, settings, last, chain ?? plan);
  return found ? [{ what: "current", state: "wrong", detail: found.problem, next: found.next }] : [];
}

/** The script of the operator's that runs before the switch. */
function scriptReadiness({ settings, machine }: Facts): readonly Readiness[] {
  const detail = scriptProblem(machine.files, settings);
  return detail === undefined ? [] : [{ what: "script", state: "wrong", detail, next: null }];
}

/** Less is no longer than a switch takes. */
const DELAY_MILLIS = 60_000;

/** Undefined: it is short. */
export function delayProblem({ restartDelay }: Pick<Settings, "restartDelay">): string | undefined {
  const isLong = restartDelay >= DELAY_MILLIS;
  const seconds = restartDelay / 1_000;
  return isLong
    ? `DAEMON_RESTART_DELAY is ${seconds} s: the node makes no block for that long at each switch`
    : undefined;
}

/** It may be meant. */
function delayReadiness({ settings }: Facts): readonly Readiness[] {
  const detail = delayProblem(settings);
  return detail === undefined ? [] : [{ what: "plan", state: "skipped", detail, next: null }];
}
