/**
 * The data of a backup in the place of the present data, which is kept beside it. A consensus key never signs a height twice: the
 * record of what it signed last is the later one of both.
 */
import { dirname, join } from "node:path";
import { UpgradeError } from "../errors.js";
import type { Files } from "../programs/files.js";
import { linkWhole } from "../programs/whole-file.js";
import { decodeText } from "../text.js";
import { visible } from "../visible.js";
import { MANIFEST, type Manifest, problemIn } from "./manifest.js";
import { treeOf } from "./tree.js";

const SIGNED = "priv_validator_state.json";
const SIGNED_BYTES_MAX = 1_024 * 1_024;
const FOLDER_MODE = 0o700;
/** Beside the data, until it is whole. */
const PART = "data.restoring";

export interface RestoreOptions {
  readonly files: Files;
  readonly home: string;
  readonly root: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly signal: AbortSignal;
  readonly onFile: (bytes: number) => void;
}

export interface Restored {
  /** Where the data is that was there; undefined: none was. */
  readonly kept: string | undefined;
  /** What `current` links to again; undefined: it is as it was. */
  readonly program: string | undefined;
  /** The present record of the last signature was later than the backup's, and stays. */
  readonly isSignedKept: boolean;
}

/**
 * @throws UpgradeError UPG_STORE_CORRUPT: the backup is not whole; UPG_INVALID_ARGUMENT: it is another home's, or its program is not
 * here; then, and on what the system says, the data is as it was
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { files, home, root, folder, manifest, signal, onFile } = options;
  requireFits(options);
  const problem = await problemIn(files, folder, manifest, signal, onFile);
  if (problem !== undefined) throw new UpgradeError("UPG_STORE_CORRUPT", `${folder} is not whole: ${problem}`);
  const part = join(home, PART);
  const data = join(home, "data");
  files.remove(part);
  await copyBack(options, part);
  const present = files.linkFacts(data) ? data : lastKept(files, home);
  const isSignedKept = present !== undefined && keepSigned(files, present, part);
  files.syncFolder(part);
  const kept = files.linkFacts(data) ? moveAway(files, data) : undefined;
  files.rename(part, data);
  files.syncFolder(home);
  const program = manifest.program ?? undefined;
  if (program !== undefined) linkBack(files, root, program);
  return { kept, program, isSignedKept };
}

/** Data of before an upgrade is nothing for the program of after it, and another home's is nothing for this one. */
function requireFits({ files, home, root, folder, manifest }: RestoreOptions): void {
  const { data, program } = manifest;
  const copy = "copy it by hand, but for priv_validator_state.json";
  if (data !== join(home, "data")) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${folder} is a backup of ${visible(data)}, not of this home: ${copy}`,
    );
  }
  if (program === null) return;
  if (/^(genesis|upgrades\/(?!\.\.?$)[^/]+)$/.test(program) && files.facts(join(root, program))?.kind === "folder")
    return;
  const message = `the program that had written ${folder} is not in ${join(root, visible(program))}: put it there, or ${copy}`;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", message);
}

/** The switch that `previous` was kept for is taken back: it names no program before the present one any more. */
function linkBack(files: Files, root: string, program: string): void {
  const current = join(root, "current");
  const isAsBefore = files.linkFacts(current)?.kind === "link" && files.readLink(current) === program;
  const previous = join(root, "previous");
  if (!isAsBefore || (files.linkFacts(previous)?.kind === "link" && files.readLink(previous) === program)) {
    files.remove(previous);
  }
  // Makes both durable: they are in one folder.
  linkWhole(files, program, current);
}

async function copyBack({ files, folder, signal }: RestoreOptions, part: string): Promise<void> {
  const tree = treeOf(files, folder, (path) => path === MANIFEST);
  files.makeFolder(part, FOLDER_MODE);
  for (const path of tree.folders) files.makeFolder(join(part, path), FOLDER_MODE);
  for (const path of tree.links) files.symlink(files.readLink(join(folder, path)), join(part, path));
  for (const { path } of tree.files) {
    signal.throwIfAborted();
    await files.copy(join(folder, path), join(part, path));
    files.syncFile(join(part, path));
  }
  for (const path of [...tree.folders].reverse()) files.syncFolder(join(part, path));
}

/** A restore that was cut between its two renames has left the data beside its place. */
function lastKept(files: Files, home: string): string | undefined {
  const names = (files.list(home) ?? []).filter((name) => KEPT.test(name));
  const [last] = names.sort(
    (a, b) => Number(b.slice(b.lastIndexOf("-") + 1)) - Number(a.slice(a.lastIndexOf("-") + 1)),
  );
  return last && join(home, last);
}

const KEPT = /^data-before-rollback-\d+$/;

function moveAway(files: Files, data: string): string {
  for (let number = 1; ; number++) {
    const path = join(dirname(data), `data-before-rollback-${number}`);
    if (files.linkFacts(path)) continue;
    files.rename(data, path);
    return path;
  }
}

/** @returns was the present one the later? */
function keepSigned(files: Files, data: string, part: string): boolean {
  const present = files.read(join(data, SIGNED), SIGNED_BYTES_MAX);
  const copied = files.read(join(part, SIGNED), SIGNED_BYTES_MAX);
  if (!present || (copied && !isLater(present, copied))) return false;
  const to = join(part, SIGNED);
  files.remove(to);
  const file = files.open(to, "new", files.facts(join(data, SIGNED))?.mode ?? 0o600);
  try {
    file.write(present);
    file.sync();
  } finally {
    file.close();
  }
  return true;
}

/** Height, round, step. A record that cannot be read is taken for the later one: it is the present one. */
function isLater(present: Uint8Array, copied: Uint8Array): boolean {
  try {
    const [a, b] = [signed(present), signed(copied)];
    const before = b.find((value, index) => value !== a[index]);
    const after = a.find((value, index) => value !== b[index]);
    return before === undefined || after === undefined || after > before;
  } catch {
    return true;
  }
}

function signed(bytes: Uint8Array): bigint[] {
  const { height, round, step } = JSON.parse(decodeText(bytes)) as Record<string, string | number>;
  return [BigInt(height ?? 0), BigInt(round ?? 0), BigInt(step ?? 0)];
}
