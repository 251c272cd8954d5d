/** Everything that a plan's upgrade needs, brought to its place as far as that may be done before the height, and judged. */

import { basename, join } from "node:path";
import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { livingHolder } from "../../node/home/home-lock.js";
import { chainvisorFor } from "../../node/home/supervised-start.js";
import { Layout, type Program, problemOf } from "../../node/programs/layout.js";
import type { UpgradeInfo } from "../../upgrade/module/upgrade-info.js";
import { goPlatform } from "../../upgrade/plan-info/platform.js";
import type { Clock, Processes } from "../decide/machine.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";
import type { Fetched } from "../download/fetch-program.js";
import { partFolderOf } from "../download/part.js";
import { filesReadiness } from "./files-readiness.js";
import { copyOfCurrent, homeReadiness, restartReadiness } from "./home-readiness.js";
import { sumReadiness } from "./plan-checksum.js";
import { besideChain, type KnownOfChain } from "./plan-conflicts.js";
import {
  hasDownload,
  isOurHome,
  nextCommand,
  orHandler,
  type PinnedHandler,
  pinnedHandler,
  replaceCommand,
  staged,
} from "./plan-way.js";
import { askCurrent, probeProgram, saysItMakes } from "./probe.js";
import { rememberDownload } from "./verified-download.js";

export interface StagePlanOptions extends KnownOfChain {
  readonly settings: Settings;
  readonly plan: UpgradeInfo;
  readonly machine: { readonly files: Files; readonly clock: Clock; readonly processes: Pick<Processes, "run"> };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
  readonly onProgress: (what: string, done: number, total: number | undefined) => void;
  /** Nothing is fetched, whatever the settings allow: it is only looked at. */
  readonly isReadOnly?: boolean;
  /** Of the place that is fetched to: another process may fetch the same plan. Default: none. */
  readonly partSuffix?: string;
  /** What the current program reported just before. Default: it is asked. */
  readonly saidByCurrent?: Readiness | undefined;
}

export interface StagedPlan {
  readonly readiness: readonly Readiness[];
  /** Bytes that came over the network. */
  readonly bytes: number;
  readonly fetched?: Fetched;
  /** The first failure of those that `readiness` has in words. */
  readonly error?: unknown;
}

/** Of the place that `prepare` fetches to. */
export const PREPARE_SUFFIX = "-prepare";

export const prepareLock = ({ root }: Pick<Settings, "root">): string => join(root, "prepare.lock");

export const isPreparing = (settings: Pick<Settings, "root">): boolean =>
  livingHolder(prepareLock(settings)) !== undefined;

/** Nothing is asked twice of the plan's author: what is in its place is not fetched. Never throws; `signal` ends it early. */
export async function stagePlan(options: StagePlanOptions): Promise<StagedPlan> {
  const { program, fetched, problem, error } = await placed(options);
  const handler = await handled(options);
  const probed = program
    ? (await probeProgram({ ...options, ...options.machine, program, ...homeOf(options) })).map((each) =>
        // A script that cannot be asked: another file in its place can.
        each.state === "unknown" && each.next === null
          ? { ...each, next: replaceCommand(options.plan, options.settings) }
          : each,
      )
    : await withoutProgram(problem, options);
  const failure = error ?? handler.error;
  const copy = program && !probed.some(saysItMakes) ? copyOfCurrent(program, currentOf(options), options) : undefined;
  const judged = await besideChain({ ...options, programOf: (name) => layoutOf(options).of(name) }, probed);
  // The handler may be in a program as well.
  const isMade = probed.some(saysItMakes) || (!program && probed.every(({ state }) => state === "ready"));
  return {
    readiness: [
      ...(copy ? [copy, ...judged.filter(({ what }) => what !== "program")] : judged),
      ...homeReadiness(options),
      ...(isMade && !program ? [] : restartReadiness(options)),
      ...filesReadiness(options.machine.files, options.settings, layoutOf(options).of(options.plan.name).file),
      ...(fetched ? [checksumReadiness(fetched)] : program ? [comparedReadiness(program, options)].flat() : []),
      ...handler.readiness.filter((each) => !(isMade && each.state === "missing")),
    ],
    bytes: fetched?.bytes ?? 0,
    ...(fetched ? { fetched } : {}),
    ...(failure === undefined ? {} : { error: failure }),
  };
}

/** The one that runs first, where nothing is linked yet. */
const currentOf = ({ settings, machine }: StagePlanOptions): Program => {
  const folder = machine.files.linkFacts(join(settings.root, "current")) ? "current" : "genesis";
  return { name: folder, file: join(settings.root, folder, "bin", settings.name), folder };
};

/** The places of a plan's programs, by the settings. */
export function layoutOf({
  settings,
  machine,
}: {
  readonly settings: Settings;
  readonly machine: { readonly files: Files };
}): Layout {
  const { home, name, isCaseKept } = settings;
  const own = join(settings.root, "genesis", "bin", name);
  return new Layout({ home, name, program: undefined, upgrades: new Map(), own, isCaseKept, files: machine.files });
}

function homeOf({ settings, machine }: StagePlanOptions) {
  const { home } = settings;
  return { home, isOurs: isOurHome(machine.files, home) };
}

/** Of a plan whose folder has no program that can be run: another way may do. */
async function withoutProgram(
  problem: Readiness | undefined,
  options: StagePlanOptions,
): Promise<readonly Readiness[]> {
  const found = problem ? [problem] : [];
  try {
    const { settings, plan, machine } = options;
    if (machine.files.facts(layoutOf(options).of(plan.name).file)) return found;
    const pinned = pinnedHandler(machine.files, settings.home, plan);
    const current = currentOf(options);
    const ask = { ...options, ...machine, program: current, ...homeOf(options) };
    const asked = options.saidByCurrent ?? (await askCurrent(ask))?.row;
    if (isStaged(pinned)) {
      const detail = `${current.file} cannot be asked whether it takes ${pinned.file}`;
      const unknown: Readiness = { what: "pre-upgrade", state: "unknown", detail, next: null };
      return [{ what: "program", state: "ready", detail: staged(pinned), next: null }, asked ?? unknown];
    }
    if (asked && saysItMakes(asked)) {
      const detail = `${current.file} has what the plan needs: no other program is needed`;
      return [{ what: "program", state: "ready", detail, next: null }, asked];
    }
    if (!pinned) return found;
    // What is missing is in the handler's own row, once; files of which the node takes none have no row of their own.
    const own =
      pinned.duplicates === undefined
        ? ({ state: "skipped", next: null } as const)
        : { next: nextCommand(plan, pinned) };
    return found.map((each) => ({ ...each, detail: `${each.detail}; ${orHandler(pinned)}`, ...own }));
  } catch {
    return found;
  }
}

const isStaged = (pinned: PinnedHandler | undefined): pinned is PinnedHandler & { file: string } =>
  pinned?.file !== undefined;

interface Handled {
  readonly readiness: readonly Readiness[];
  readonly error?: unknown;
}

interface Placed {
  readonly program?: Program;
  readonly fetched?: Fetched;
  readonly problem?: Readiness;
  readonly error?: unknown;
}

async function placed(options: StagePlanOptions): Promise<Placed> {
  const { settings, plan, machine } = options;
  try {
    const program = layoutOf(options).of(plan.name);
    if (machine.files.facts(program.file)) {
      removeLeftover(program, options);
      const problem = problemOf(program, machine.files);
      return problem === undefined
        ? { program }
        : { problem: wrong("program", problem, replaceCommand(plan, settings)) };
    }
    const pinned = pinnedHandler(machine.files, settings.home, plan);
    if (pinned?.isPinned && !hasDownload(plan))
      return { problem: missing(`${program.file} is missing`, options, pinned) };
    if (settings.isDownloadAllowed && plan.info.trim() === "") {
      const detail = `${program.file} is missing, and the plan names no download: put the program there`;
      return { problem: missing(pinned ? `${program.file} is missing` : detail, options, pinned) };
    }
    if (!settings.isDownloadAllowed) {
      const detail = `${program.file} is missing, and DAEMON_ALLOW_DOWNLOAD_BINARIES is not set: put the program there`;
      return {
        problem: missing(pinned || options.isReadOnly ? `${program.file} is missing` : detail, options, pinned),
      };
    }
    return { program, fetched: await fetchTo(program, options) };
  } catch (error) {
    return {
      problem: wrong("program", wordsOf(error), nextCommand(options.plan, undefined, chainvisorFor(settings))),
      error,
    };
  }
}

/** Of a run that was killed after the program was in its place. */
function removeLeftover({ file }: Program, { settings, machine, partSuffix = "", log }: StagePlanOptions): void {
  const part = partFolderOf(join(file, "..", ".."));
  // Of `prepare`, too, unless it is at work.
  const others = partSuffix === "" && !isPreparing(settings) ? [part + PREPARE_SUFFIX] : [];
  for (const each of [part + partSuffix, ...others]) {
    try {
      if (machine.files.linkFacts(each)) machine.files.remove(each);
    } catch (error) {
      log("warn", `${each} is not removed: ${messageOf(error)}`);
    }
  }
}

async function fetchTo(program: Program, options: StagePlanOptions): Promise<Fetched> {
  const { fetchProgram } = await import("../download/fetch-program.js");
  const { settings, plan } = options;
  const folder = join(program.file, "..", "..");
  const fetched = await fetchProgram({
    ...boundsOf(options, folder, "program"),
    ...{ info: plan.info, folder, name: settings.name },
    platform: goPlatform(process.platform, process.arch),
    isChecksumRequired: settings.isChecksumRequired,
  });
  rememberDownload(options.machine.files, fetched, options.log);
  return fetched;
}

async function handled(options: StagePlanOptions): Promise<Handled> {
  const { settings, plan, machine } = options;
  const { stageHandler } = await import("../download/stage-handler.js");
  const { home, isDownloadAllowed } = settings;
  try {
    const name = basename(layoutOf(options).of(plan.name).folder ?? plan.name);
    const bounds = boundsOf(options, join(home, "handlers", "staged", name), "handler");
    const staged = await stageHandler({ ...bounds, home, name, info: plan.info, isDownloadAllowed });
    if (!staged) return { readiness: [] };
    const detail = `${staged.file}, with the hash that the plan pins, ${staged.sha256}`;
    return { readiness: [{ what: "handler", state: "ready", detail, next: null }] };
  } catch (error) {
    const isAbsent = isUpgradeError(error) && error.code === "UPG_NOT_FOUND_FILE";
    const finding = { ...wrong("handler", wordsOf(error)), state: isAbsent ? "missing" : "wrong" } as const;
    const pinned = pinnedHandler(machine.files, home, plan);
    // What a URL leads to and was refused is not fetched again: the file comes by hand.
    const way = pinned && (isAbsent ? pinned : byHand(pinned));
    const next = way ? nextCommand(plan, way, chainvisorFor(settings)) : null;
    return { readiness: [{ ...finding, next }], error };
  }
}

const byHand = ({ url: _, ...pinned }: PinnedHandler): PinnedHandler => pinned;

function boundsOf(options: StagePlanOptions, place: string, what: string) {
  const { settings, machine, signal, log, onProgress, partSuffix = "" } = options;
  return {
    ...{ files: machine.files, signal, log },
    part: partFolderOf(place) + partSuffix,
    bytesMax: settings.downloadBytesMax,
    millisMax: settings.downloadTimeout,
    stallMillis: settings.downloadStall,
    onProgress: (done: number, total: number | undefined) => onProgress(what, done, total),
    sleep: (millis: number, ended: AbortSignal) => machine.clock.sleep(millis, ended),
  };
}

function checksumReadiness({ isVerified, url, sha256 }: Fetched): Readiness {
  if (isVerified) return { what: "checksum", state: "ready", detail: `${url} has the plan's checksum`, next: null };
  const detail = `the plan has no checksum for ${url}; what came has the sha256 ${sha256}: compare it with the release's`;
  return { what: "checksum", state: "skipped", detail, next: null };
}

/** Of a program that an operator, or an earlier run, has put there. */
function comparedReadiness({ file: program }: Program, { plan, settings, machine }: StagePlanOptions) {
  const { platform, arch } = process;
  try {
    return sumReadiness({ plan, program, files: machine.files, settings, platform, arch }) ?? [];
  } catch (error) {
    return wrong("checksum", `${program} cannot be read: ${messageOf(error)}`);
  }
}

function missing(detail: string, options: StagePlanOptions, pinned: PinnedHandler | undefined): Readiness {
  const { settings, plan } = options;
  const name = settings.isCaseKept ? plan.name : plan.name.toLowerCase();
  const chainvisor = chainvisorFor(settings);
  const next =
    options.isReadOnly && hasDownload(plan)
      ? `${chainvisor} prepare`
      : nextCommand({ ...plan, name }, pinned, chainvisor);
  return { what: "program", state: "missing", detail, next };
}

const wrong = (what: Readiness["what"], detail: string, next: string | null = null): Readiness => ({
  ...{ what, state: "wrong", detail, next },
});
const wordsOf = (error: unknown) => `${messageOf(error)}${isUpgradeError(error) ? ` [${error.code}]` : ""}`;
