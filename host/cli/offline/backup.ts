/** `chaind backup`: a copy of a home that is whole, made beside its running node, in a folder that gets its name when it is verified. */
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { makeFolder, openRegularFile, syncFolder } from "../../base/files/open-file.js";
import { VERSION } from "../../base/terminal/version.js";
import { toHex, utf8 } from "../../base/text/bytes.js";
import { Home } from "../../node/home/home.js";
import { noChain } from "../../node/open/home-database.js";
import { copyLmdb } from "../../state/store/disk/lmdb-copy.js";
import { removedAtEnd } from "../../state/store/disk/lmdb-temporary-path.js";
import { verifyHome } from "./verify.js";

/** A file of a copy. */
interface BackedUpFile {
  /** Below the folder. */
  readonly file: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** As it is printed, and as `backup.json` has it. */
export interface Backup {
  readonly folder: string;
  readonly height: string;
  /** Upper-case hex. */
  readonly app_hash: string;
  /** Of the program that made it. */
  readonly program_version: string;
  readonly with_keys: boolean;
  readonly files: readonly BackedUpFile[];
}

export interface BackupFlags {
  /** The keys of the validator and of the node too, with the record of what was signed. */
  readonly withKeys?: boolean;
}

const UNFINISHED = ".part";
const LIST = "backup.json";
const PART_BYTES = 1_048_576;
/** What a home needs besides its database, and others may read. Folders as they are. */
const OPEN_FILES = [
  ...["config/genesis.json", "config/app.toml", "config/client.toml", "config/config.toml", "config/addrbook.json"],
  ...["handlers", "data/receipts", "data/witness", "data/upgrade-info.json"],
];
/** After the database: the record must not be older than its last block. */
const KEY_FILES = [
  ...["config/priv_validator_key.json", "config/node_key.json"],
  ...["data/priv_validator_state.json", "data/last_signed_txs.json"],
];

/**
 * @param folder must not exist, or be empty
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_CONFIG, UPG_STORE_*: no such folder is there then
 */
export async function backupHome(
  path: string,
  folder: string,
  { withKeys = false }: BackupFlags,
  say: (line: string) => void,
): Promise<Backup> {
  const home = new Home(resolve(path));
  if (!home.hasDatabase) throw noChain(path);
  const target = resolve(folder);
  requireFree(target, home);
  const part = new Home(`${target}${UNFINISHED}`);
  const release = removedAtEnd(part.path);
  try {
    rmSync(part.path, { recursive: true, force: true });
    makeFolder(part.dataFolder);
    await copyLmdb(home.databaseFile, part.databaseFile, (done, all) => say(`copied ${done} of about ${all} bytes`));
    const names = [...OPEN_FILES, ...(withKeys ? KEY_FILES : [])].flatMap((name) => filesBelow(home.path, name));
    for (const name of names) copyDurably(join(home.path, name), join(part.path, name));
    const files = ["data/chain.mdb", ...names].map((name) => listed(part.path, name));
    const { height, app_hash } = verifyHome(part.path, say, home);
    const backup = { folder: target, height, app_hash, program_version: VERSION, with_keys: withKeys, files };
    const { folder: _, ...list } = backup;
    writeFileAtomically(join(part.path, LIST), utf8(`${JSON.stringify(list, null, 2)}\n`), 0o644);
    rmSync(target, { recursive: true, force: true });
    renameSync(part.path, target);
    syncFolder(dirname(target));
    return backup;
  } catch (cause) {
    rmSync(part.path, { recursive: true, force: true });
    throw isUpgradeError(cause) ? cause : diskFailure("write", `cannot write ${target}`, dirname(target), cause);
  } finally {
    release();
  }
}

function requireFree(target: string, home: Home): void {
  if (`${target}${sep}`.startsWith(`${home.path}${sep}`) || `${home.path}${sep}`.startsWith(`${target}${sep}`)) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `${target} is part of the home ${home.path}: name another folder`);
  }
  if (!existsSync(target)) return;
  const isEmpty = statSync(target).isDirectory() && readdirSync(target).length === 0;
  if (!isEmpty) throw new UpgradeError("UPG_INVALID_ARGUMENT", `${target} exists already: name another folder`);
}

/** Regular files alone: what a home holds besides is none of its own. */
function filesBelow(root: string, name: string): string[] {
  const stat = statSync(join(root, name), { throwIfNoEntry: false });
  if (stat?.isFile()) return [name];
  if (!stat?.isDirectory()) return [];
  return readdirSync(join(root, name)).flatMap((entry) => filesBelow(root, join(name, entry)));
}

function copyDurably(from: string, to: string): void {
  makeFolder(dirname(to));
  copyFileSync(from, to);
  const file = openSync(to, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function listed(root: string, name: string): BackedUpFile {
  const hash = createHash("sha256");
  const file = openRegularFile(join(root, name));
  const part = new Uint8Array(PART_BYTES);
  let bytes = 0;
  try {
    for (let read = readSync(file, part); read > 0; read = readSync(file, part)) {
      hash.update(part.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(file);
  }
  return { file: name, bytes, sha256: toHex(hash.digest()) };
}

/** For people. */
export function backupInWords({ folder, height, app_hash, files, with_keys }: Backup): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const keys = with_keys
    ? "with the keys: nobody else may read it, and no second node may run with them"
    : "without keys: --with-keys takes them too";
  const lines = files.map(({ file, bytes }) => `  ${file} ${bytes}`);
  return [
    `${relative(process.cwd(), folder) || basename(folder)}: height ${height}, app hash ${app_hash}, ${bytes} bytes, verified`,
    keys,
    ...lines,
  ].join("\n");
}
