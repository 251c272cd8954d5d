/** Programs of upgrades put into their folders by an operator, and the heights that an operator sets. */
import { resolve } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { usage } from "../../../base/terminal/usage.js";
import { Home } from "../../../node/home/home.js";
import { livingHolder } from "../../../node/home/home-lock.js";
import { Layout } from "../../../node/programs/layout.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { isSame, queuePlans, readQueue, unqueuePlan } from "../../decide/decision/queue.js";
import type { Settings } from "../../decide/settings.js";
import { contradiction } from "../plan-conflicts.js";
import { chainvisorOf } from "../supervision.js";
import { placeProgram, requireExecutable } from "./install-program.js";

const FOLDER_MODE = 0o755;

export interface UpgradeToAdd {
  /** As the plan has it. */
  readonly name: string;
  readonly executable: string;
  /** 0n: the chain says when, and a height that is queued is taken back. Undefined: a queued height stays. */
  readonly height: bigint | undefined;
}

export interface AddOptions {
  readonly files: Files;
  readonly settings: Pick<Settings, "home" | "root" | "name" | "isCaseKept">;
  /** Takes the place of a program and of a height that are there. */
  readonly isForced: boolean;
  readonly log: (line: string) => void;
  /** The plan that the chain has scheduled, as far as it is known. */
  readonly chain?: Pick<Plan, "name" | "height"> | undefined;
  /** The last block of the node; heights up to it are refused. Undefined: not known, or past heights are allowed. */
  readonly last?: bigint | undefined;
}

export interface AddedUpgrade {
  /** In the case of its folder. */
  readonly name: string;
  readonly program: string;
  readonly height: bigint | undefined;
}

/**
 * All of it is checked before anything is written; programs come before heights, so that no height waits for a program that
 * could not be put in its place.
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG, UPG_STORE_IO
 */
export async function addUpgrades(upgrades: readonly UpgradeToAdd[], options: AddOptions): Promise<AddedUpgrade[]> {
  const { files, settings, log } = options;
  const added = upgrades.map((upgrade) => checked(upgrade, options));
  requireDifferent(added);
  requireFreeHeights(added, options);
  requireUpcoming(added, options);
  requireNoRelay(added, options);
  requireBesideChain(added, options);
  for (const { name, program, executable } of added) {
    await placeProgram(files, executable, program, FOLDER_MODE);
    log(`Using ${executable} for ${name} upgrade`);
    log(`Upgrade binary located at ${program}`);
  }
  const queued = added.filter(hasHeight);
  if (queued.length > 0) {
    queuePlans(
      files,
      settings.root,
      queued.map(({ name, height }) => ({ name, height, info: "" })),
    );
    for (const { name, height } of queued) log(`${name} upgrade binary will switch at height ${height}`);
  }
  for (const { name, height } of added) if (height === 0n) unqueuePlan(files, settings.root, name);
  return added.map(({ name, program, height }) => ({ name, program, height: height || undefined }));
}

type Checked = AddedUpgrade & { readonly executable: string };

const hasHeight = (upgrade: Checked): upgrade is Checked & { readonly height: bigint } => Boolean(upgrade.height);

function checked({ name, executable, height }: UpgradeToAdd, options: AddOptions): Checked {
  const { files, settings, isForced } = options;
  if (name.trim() === "") throw usage("name cannot be empty: the upgrade needs the name of its plan");
  const folderName = settings.isCaseKept ? name : name.toLowerCase();
  const program = folderOf(settings, folderName);
  const from = resolve(executable);
  requireExecutable(files, from, {
    missing: "invalid executable path",
    unreadable: "failed to load executable path",
    folder: `failed to read binary: read ${from}: is a directory`,
  });
  if (!isForced && files.linkFacts(program)) throw usage(`file already exists at ${program}; --force replaces it`);
  return { name: folderName, program, height, executable: from };
}

/** `<root>/upgrades/<name>/bin/<program>` */
function folderOf({ home, name: own, isCaseKept }: AddOptions["settings"], plan: string): string {
  const layout = new Layout({ home, name: own, program: undefined, upgrades: new Map(), own: "", isCaseKept });
  return layout.of(plan).file;
}

function requireDifferent(added: readonly Checked[]): void {
  for (const [at, { name, height }] of added.entries()) {
    const before = added.slice(0, at);
    if (before.some((each) => isSame(each.name, name))) throw usage(`"${name}" is given twice`);
    if (height !== undefined && before.some((each) => each.height === height))
      throw usage(`two upgrades at height ${height}: only one can be made there`);
  }
}

/** A height that cannot be is refused with --force, too, which is for what lies there. */
function requireBesideChain(added: readonly Checked[], { chain }: AddOptions): void {
  for (const upgrade of added.filter(hasHeight)) {
    const why = chain && contradiction(upgrade, chain);
    if (why !== undefined)
      throw usage(
        `${why}. Add the program of "${chain?.name}" without --upgrade-height: the sidecar switches when the chain halts for it`,
      );
  }
}

/** A relay without a sidecar makes the block with the program that runs. */
function requireNoRelay(added: readonly Checked[], { settings }: AddOptions): void {
  if (!added.some(hasHeight) || chainvisorOf(settings) !== undefined) return;
  if (livingHolder(new Home(settings.home).relayLockFile) === undefined) return;
  throw usage(
    `a relay runs on ${settings.home}, which does not stop before a height of your own. Stop it, queue the height, and run the node by \`chainvisor run\``,
  );
}

/** With --force, too: the sidecar passes over a plan at such a height. */
function requireUpcoming(added: readonly Checked[], { last }: AddOptions): void {
  const past = added.filter(hasHeight).find(({ height }) => last !== undefined && height <= last);
  if (past) {
    throw usage(
      `--upgrade-height ${past.height} is past: the last block of this node is ${last}. Give a height after it, or leave out --upgrade-height if the chain schedules the upgrade`,
    );
  }
}

function requireFreeHeights(added: readonly Checked[], { files, settings, isForced }: AddOptions): void {
  if (isForced || !added.some(hasHeight)) return;
  const { plans } = readQueue(files, settings);
  for (const { name, height } of added.filter(hasHeight)) {
    const before = plans.find((each) => isSame(each.name, name));
    if (before) throw usage(`"${before.name}" has the height ${before.height} already; --force replaces it`);
    const there = plans.find((each) => each.height === height);
    if (there)
      throw usage(
        `"${there.name}" is queued for height ${height}: only one upgrade can be made there; --force adds it all the same`,
      );
  }
}
