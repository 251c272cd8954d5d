/** The folders of a home, made step by step as Cosmovisor's `init` makes them; what exists stays as it is. */
import { basename, dirname, join, resolve } from "node:path";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { linkWhole } from "../../../base/files/whole-file.js";
import { usage } from "../../../base/terminal/usage.js";
import { goQuote } from "../../../upgrade/plan-info/go-quote.js";
import type { Settings } from "../../decide/settings.js";
import { digestOf } from "../home-readiness.js";
import { placeProgram, requireExecutable } from "./install-program.js";

const FOLDER_MODE = 0o750;
const EXECUTE = 0o111;

export interface InitOptions {
  readonly files: Files;
  readonly settings: Pick<Settings, "root" | "name">;
  /** Replaces the program of genesis that is there. */
  readonly isForced?: boolean;
  /** A line for each step. */
  readonly log: (line: string) => void;
}

export interface Initialized {
  readonly genesis: string;
  /** The program that `current` leads to. */
  readonly current: string;
  /** Another program than the one that was given stays in its place and runs first. Undefined: the given one does. */
  readonly kept?: KeptProgram | undefined;
}

/** SHA-256 of both, in hex. */
interface KeptProgram {
  readonly sha256: string;
  readonly given_sha256: string;
}

/** Before anything is read or written. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireInitProgram(files: Files, executable: string | undefined): string {
  if (executable === undefined || executable === "") throw usage("no <path to executable> provided");
  const file = resolve(executable);
  requireExecutable(files, file, {
    missing: "executable file not found",
    unreadable: "could not stat executable",
    folder: "invalid path to executable: must not be a directory",
  });
  return file;
}

/** @throws UpgradeError UPG_INVALID_CONFIG: something else is in a place; UPG_STORE_IO */
export async function initialize(executable: string, options: InitOptions): Promise<Initialized> {
  const { files, settings, log, isForced = false } = options;
  const genesis = join(settings.root, "genesis", "bin", settings.name);
  try {
    makeBinFolder(dirname(genesis), options);
    log("checking on the genesis/bin executable");
    if (files.facts(genesis) && !isForced) log(`the ${goQuote(genesis)} file already exists`);
    else {
      log(`copying executable into place: ${goQuote(genesis)}`);
      await placeProgram(files, executable, genesis, FOLDER_MODE);
    }
    log(`making sure ${goQuote(genesis)} is executable`);
    makeExecutable(files, genesis);
    log("checking on the current symlink and creating it if needed");
    const current = currentProgram(options);
    log(`the current symlink points to: ${goQuote(current)}`);
    return { genesis, current, kept: current === genesis ? keptProgram(files, genesis, executable) : undefined };
  } catch (cause) {
    if (cause instanceof UpgradeError) throw cause;
    throw new UpgradeError("UPG_STORE_IO", `cannot make the folders of ${settings.root}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** A home that has made an upgrade has another program than that of genesis, and rightly so. */
function keptProgram(files: Files, genesis: string, executable: string): KeptProgram | undefined {
  const [sha256, given_sha256] = [digestOf(files, genesis), digestOf(files, executable)];
  return sha256 === given_sha256 ? undefined : { sha256, given_sha256 };
}

function makeBinFolder(folder: string, { files, log }: InitOptions): void {
  log("checking on the genesis/bin directory");
  const found = files.facts(folder);
  if (!found) {
    log(`creating directory (and any parents): ${goQuote(folder)}`);
    files.makeFolder(folder, FOLDER_MODE);
  } else if (found.kind !== "folder") {
    throw wrong(`the path ${goQuote(folder)} already exists but is not a directory`);
  } else log(`the ${goQuote(folder)} directory already exists`);
}

function makeExecutable(files: Files, file: string): void {
  const found = files.facts(file);
  if (found?.kind !== "file") throw wrong(`${basename(file)} is not a regular file`);
  if ((found.mode & EXECUTE) !== EXECUTE) files.chmod(file, found.mode | EXECUTE);
}

/** Cosmovisor takes a link that leads nowhere for none, and fails to make one in its place; here both are named. */
function currentProgram({ files, settings: { root, name } }: InitOptions): string {
  const link = join(root, "current");
  const found = files.linkFacts(link);
  if (!found) linkWhole(files, "genesis", link);
  else if (found.kind !== "link") throw wrong(`symlink genesis current: file exists: ${link} must be a link`);
  else if (!files.facts(link)) {
    throw wrong(`symlink genesis current: file exists: ${link} leads to ${files.readLink(link)}, where nothing is`);
  }
  return join(resolve(root, files.readLink(link)), "bin", name);
}

function wrong(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", message);
}
