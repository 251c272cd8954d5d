/** `chainvisor rollback`. */

import { basename, join, relative, resolve } from "node:path";
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { confirmHere } from "../../../base/terminal/confirm.js";
import { usage } from "../../../base/terminal/usage.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { HomeLock } from "../../../node/home/home-lock.js";
import { homeUsers } from "../../../node/home/home-users.js";
import { chainvisorFor, SIDECAR_LOCK } from "../../../node/home/supervised-start.js";
import { problemOf } from "../../../node/programs/layout.js";
import { ageInWords } from "../../backup/age.js";
import { type ListedBackup, listBackups } from "../../backup/list.js";
import type { Manifest } from "../../backup/manifest.js";
import { type Restored, restore } from "../../backup/restore.js";
import { cancelRestore, endRestore, Unmovable } from "../../backup/restoring.js";
import { requireGoesOn } from "../../backup/signed-beyond.js";
import { childEnv, MARK } from "../../decide/child-env.js";
import { placesOf } from "../../decide/decision/paths.js";
import { storeHeight } from "../../decide/heights/store-height.js";
import type { Settings } from "../../decide/settings.js";
import { linkedPlan } from "../../stage/current-link.js";
import { linkPrevious } from "../../stage/layout/link-program.js";
import { requireFits } from "../../stage/other-program.js";
import { isOurHome } from "../../stage/plan-way.js";
import { lastStart } from "../../stage/start-command.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";

interface RollbackOptions {
  readonly backup?: string;
  readonly programOnly?: boolean;
  readonly yes?: boolean;
}

export function registerRollback(program: Cobra, tools: VisorTools): void {
  program
    .command("rollback")
    .summary("Go back to a backup")
    .description(
      "Checks a backup, puts its data in place and links the program that wrote it.\n" +
        "The present data stays beside it. Asks first. Stop the node before.\n\n" +
        "The record of what a validator's key signed last is never set back. So a\n" +
        "node with the embedded engine, whose blocks nobody else has, cannot start\n" +
        "from a backup once it has signed later blocks. The command then changes\n" +
        "nothing and prints the commands that take these blocks back.\n\n" +
        "--program-only links the program before the last switch and leaves the data.\n" +
        "It refuses a program of this project that is too old for the data.",
    )
    .option("--backup <name>", "a name of `chainvisor backups` (default: the latest)")
    .option("--program-only", "link the program before the last switch")
    .option("-y, --yes", "do not ask")
    .example("rollback", "rollback --backup data-backup-2026-11-23-v2-1000")
    .action(async (options: RollbackOptions) => {
      const settings = tools.settings();
      const lock = HomeLock.acquire(join(settings.root, SIDECAR_LOCK));
      try {
        requireStopped(tools, settings);
        endCutOff(tools, settings);
        if (options.programOnly) await goBackToProgram(tools, settings);
        else
          await goBack(tools, settings, { ...chosen(tools, settings, options.backup), isSure: options.yes === true });
      } finally {
        lock.release();
      }
    });
}

/** @throws UpgradeError UPG_STORE_LOCKED */
function requireStopped({ files }: VisorTools, settings: Settings): void {
  const { data } = placesOf(settings);
  const [app] = realMachine.processes.left(MARK, settings.root);
  if (app) {
    const message = `process ${app.pid} is the application of this home: stop it first (\`kill ${app.pid}\`)`;
    throw new UpgradeError("UPG_STORE_LOCKED", message);
  }
  const [user] = homeUsers({ data, root: settings.root, name: settings.name });
  if (user !== undefined) {
    const what = `process ${user} has files of ${data} open, or runs a program of ${settings.root}`;
    throw new UpgradeError("UPG_STORE_LOCKED", `${what}: stop it first`);
  }
  // Of this project's programs: it may have been started without a sidecar.
  const lockFile = join(data, "LOCK");
  if (files.facts(lockFile)?.kind === "file") HomeLock.acquire(lockFile).release();
}

/** Completes a rollback that was interrupted, or cancels one that cannot be completed. @throws UpgradeError UPG_STORE_CORRUPT */
function endCutOff({ files, output }: VisorTools, { home, root }: Settings): void {
  const place = { files, home, root };
  try {
    const ended = endRestore(place);
    if (ended) output.say(`the rollback to ${ended.note.folder}, which was cut off, is ended`);
  } catch (cause) {
    if (!(cause instanceof Unmovable) || cause.code !== "UPG_INVALID_CONFIG") throw cause;
    cancelRestore(place);
    output.say(`canceled the interrupted rollback: ${cause.message}`);
  }
}

/** @throws UpgradeError UPG_NOT_FOUND_FILE, UPG_INVALID_ARGUMENT */
function chosen({ files }: VisorTools, { backupDir, home }: Settings, name: string | undefined): ListedBackup {
  const found = listBackups(files, backupDir);
  const data = join(home, "data");
  const wanted =
    name === undefined
      ? found.find(({ manifest }) => manifest?.data === data)
      : found.find((each) => each.name === name);
  if (!wanted) {
    const what = name === undefined ? `no backup of ${data} that has a manifest` : `no backup ${name}`;
    throw new UpgradeError("UPG_NOT_FOUND_FILE", `there is ${what} in ${backupDir}: \`chainvisor backups\` lists them`);
  }
  if (!wanted.manifest) {
    throw usage(
      `${wanted.folder} has no manifest, so it cannot be checked: copy it by hand, but for priv_validator_state.json`,
    );
  }
  return wanted;
}

type Chosen = ListedBackup & { readonly isSure: boolean };

async function goBack(tools: VisorTools, settings: Settings, { folder, manifest, isSure }: Chosen): Promise<void> {
  if (!manifest) return;
  const { files, output } = tools;
  const { home, root } = settings;
  await requireStarts(tools, settings, folder, manifest);
  if (!isSure) {
    const age = ageInWords(manifest.time, realMachine.clock.wall());
    output.say(`${folder}, made ${age}, replaces ${home}/data, which stays beside it`);
    await confirmHere(tools.io, false, "Replace the data?");
    // The answer may have taken hours.
    requireStopped(tools, settings);
    await requireStarts(tools, settings, folder, manifest);
  }
  const total = manifest.files.length;
  const made = ageInWords(manifest.time, realMachine.clock.wall());
  output.say(`checking ${folder}: ${total} files, made ${made}`);
  const { signal } = new AbortController();
  const done = await restore({ files, home, root, folder, manifest, signal, onFile: () => undefined });
  const { kept, program, signed } = done;
  const own = { kept: kept ?? null, program: program ?? null, signed_kept: signed === "the present one", signed };
  const answer = { restored: folder, ...own };
  const words = wordsOf(settings, { folder, manifest, made }, done);
  await output.print({ ...answer, plan: manifest.plan, made: manifest.time }, words);
}

/** @throws UpgradeError UPG_STORE_SIGNED */
async function requireStarts({ files }: VisorTools, settings: Settings, folder: string, manifest: Manifest) {
  const last = await storeHeight(settings.home);
  requireGoesOn({ files, settings, folder, manifest }, last, chainvisorFor(settings));
}

interface Source {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly made: string;
}

function wordsOf(settings: Settings, { folder, manifest: { plan }, made }: Source, done: Restored): string {
  const { home } = settings;
  const { kept, program, signed } = done;
  const lines = [
    `${home}/data is that of ${folder}, before "${plan.name}" at height ${plan.height}. The backup was made ${made}; what was ` +
      "written since is not in it.",
  ];
  if (kept) lines.push(`The data before is in ${kept}; when it is needed no more: rm -r ${shellWord(kept)}`);
  if (program) lines.push(`The current program is that of ${program}.`);
  if (signed !== "none") lines.push(`The record of what the consensus key signed last is ${signed}: the later one.`);
  if (signed === "the backup's" && !kept) {
    lines.push(
      "There was no data here to compare it with: if the key has signed since, elsewhere or here, put that record in its place before the start.",
    );
  }
  if (kept && process.getuid?.() === 0) {
    lines.push(
      `It was put there by root. Where the node runs as another user: chown -R --reference=${shellWord(kept)} ${shellWord(`${home}/data`)}`,
    );
  }
  lines.push(...nextWords(settings, plan, done));
  return lines.join("\n");
}

/** A key that has signed beyond the backup signs none of those heights again. */
function nextWords(settings: Settings, { name: plan, height }: Manifest["plan"], { signedHeight }: Restored): string[] {
  const already = signedHeight !== undefined && signedHeight >= BigInt(height);
  return [
    ...(already
      ? [
          `The key has signed block ${signedHeight} already: the node takes the blocks up to there from others, and signs none of them again.`,
        ]
      : []),
    `The next start makes the upgrade again, ${upgradeBy(settings, plan)}. To stay on the old version, together with ` +
      `all validators: \`${lastStart(realMachine.files, placesOf(settings).startFile, settings).run} --unsafe-skip-upgrades ${height}\`.`,
  ];
}

/** @throws UpgradeError UPG_NOT_FOUND_FILE, UPG_STORE_VERSION_MISMATCH */
async function goBackToProgram({ output, files }: VisorTools, settings: Settings): Promise<void> {
  const { current, previous } = placesOf(settings);
  if (!files.linkFacts(previous)) {
    throw new UpgradeError("UPG_NOT_FOUND_FILE", `there is no ${previous}: no switch was made here`);
  }
  const folderOfLink = (link: string) => folderOf(settings.root, files.readLink(link));
  if (files.linkFacts(current)?.kind === "link" && folderOfLink(current) === folderOfLink(previous)) {
    const message = `${previous} and ${current} are links to the same program: there is none before it to go back to`;
    throw new UpgradeError("UPG_NOT_FOUND_FILE", message);
  }
  const before = files.linkFacts(current)?.kind === "link" ? folderOfLink(current) : "genesis";
  const newer = join(settings.root, before, "bin", settings.name);
  const back = (height: bigint | "HEIGHT") =>
    `${shellWord(newer)} rollback --to ${height} --home ${shellWord(settings.home)}`;
  await requireFit(files, settings, back);
  const folder = linkPrevious(files, current);
  const next = back("HEIGHT");
  await output.print(
    { program: folder, next },
    `The current program is that of ${folder}. The data was not changed. On a chain of this project, \`${next}\` takes back ` +
      `blocks that ${before} made.`,
  );
}

/** An operator's own link may have an absolute target. */
const folderOf = (root: string, target: string) => relative(root, resolve(root, target));

/**
 * A program that is too old for the state would end each start, and the way back to the newer one would be gone.
 * @param back command that takes blocks back
 * @throws UpgradeError UPG_NOT_FOUND_FILE, UPG_STORE_VERSION_MISMATCH
 */
function requireFit(files: Files, settings: Settings, back: (height: bigint | "HEIGHT") => string): Promise<void> {
  const { home, root, name } = settings;
  const folder = folderOf(root, files.readLink(placesOf(settings).previous));
  const program = { name: basename(folder), folder, file: join(root, folder, "bin", name) };
  // Makes the file executable, as the next start does.
  const missing = problemOf(program, files);
  if (missing !== undefined) {
    const message = `the program before cannot be linked: ${missing}. Nothing was changed. Put the program in its place first`;
    throw new UpgradeError("UPG_NOT_FOUND_FILE", message);
  }
  const plan = linkedPlan(files, settings);
  const options = {
    ...{ program, home, files, isOurs: isOurHome(files, home), processes: realMachine.processes },
    ...{ env: childEnv({ settings, env: process.env }), signal: new AbortController().signal },
  };
  return requireFits(options, back(plan ? plan.height - 1n : "HEIGHT"));
}

/** What brings the upgrade: the plan's program, or a handler file of the home. */
function upgradeBy({ root, home }: Settings, plan: string): string {
  const bin = join(root, "upgrades", plan, "bin");
  if (realMachine.files.facts(bin)) return `with the program in ${bin}`;
  const handlers = join(home, "handlers");
  return `with its handler: keep the file for "${plan}" in ${handlers} or ${handlers}/staged`;
}
