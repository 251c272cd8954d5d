/**
 * What the consensus key signed last: `<home>/data/priv_validator_state.json`, in CometBFT's shape. It is beside the
 * database and not in it, so that a database which is lost, restored from a copy or empty cannot make this key sign a
 * height twice: that is written down, synced, before a signature is used.
 *
 * A process that dies between the signature and the commit makes the same block again: its transactions are in
 * `last_signed_txs.json` and the time of its vote in the record, and the same bytes get the same signature.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { fromBase64, toBase64, toUpperHex, utf8 } from "../../base/text/bytes.js";
import type { Log } from "../../base/text/log-line.js";
import { homeCommand, shellWord } from "../../base/text/shell-word.js";
import { decodeText } from "../../base/text/text.js";
import { checkTime } from "../../base/time/time.js";
import type { Height, Timestamp } from "../../base/types/types.js";
import { commitSignBytes, FLAG_COMMIT } from "../../chain/comet-types/commit.js";
import { foldersBeside, keptData, requireNoRollback } from "../home/data-copies.js";
import type { Home } from "../home/home.js";
import { folderUsers } from "../home/home-users.js";
import type { StoredBlock } from "./block-store.js";

/** Steps of a height, as CometBFT counts them; the embedded engine signs precommits alone. */
const STEP_PRECOMMIT = 3;
const TXS_FILE = "last_signed_txs.json";

export interface SignedVote {
  readonly height: Height;
  readonly signBytes: Uint8Array;
  readonly timestamp: Timestamp;
  readonly txs: readonly Uint8Array[];
}

/** What of a block that was signed and not committed must be the same when it is made again. */
export interface PendingBlock {
  readonly txs: readonly Uint8Array[];
  readonly timestamp: Timestamp;
}

interface StateFile {
  /** Decimal. */
  readonly height: string;
  readonly round: number;
  readonly step: number;
  /** Base64. */
  readonly signature?: string;
  /** Upper-case hex. */
  readonly signbytes?: string;
  /** Not CometBFT's, which reads over it: the time in the vote. */
  readonly timestamp?: { readonly seconds: string; readonly nanos: number };
}

/**
 * The record of a key that has signed nothing: CometBFT refuses a home without one. One that exists stays.
 * @throws UpgradeError as `requireUnsignedBeside`
 */
export function writeNothingSigned(path: string, isKeyNew = false): void {
  if (existsSync(path)) return;
  if (!isKeyNew) requireUnsignedBeside(path);
  writeFileAtomically(path, utf8(`${JSON.stringify({ height: "0", round: 0, step: 0 }, null, 2)}\n`));
}

/**
 * Before anything is made in a home: no rollback was interrupted, and no data was moved away that the key of this home has signed.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_SIGNED, UPG_STORE_CORRUPT
 */
export function requireNotLost(home: Home, isKeyNew = false): void {
  requireNoRollback(home.path);
  if (!isKeyNew && !home.hasDatabase) requireUnsignedBeside(home.lastSignedFile);
}

/**
 * While the record is missing, the records in folders beside the data count.
 * @throws UpgradeError UPG_STORE_SIGNED when one of them has a block; UPG_STORE_CORRUPT
 */
function requireUnsignedBeside(path: string): void {
  const beside = existsSync(path) ? undefined : signedBeside(path);
  if (beside && beside.height > 0n) throw signedElsewhere(path, beside, "there is no block here");
}

interface SignedBeside {
  readonly file: string;
  readonly height: Height;
}

/** The latest of the records in folders beside the one of `path`. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
function signedBeside(path: string): SignedBeside | undefined {
  let latest: SignedBeside | undefined;
  for (const folder of foldersBeside(dirname(path))) {
    const file = join(folder, basename(path));
    const { height } = new LastSigned(file);
    if (!latest || height > latest.height) latest = { file, height };
  }
  return latest;
}

function signedElsewhere(path: string, { file, height }: SignedBeside, what: string): UpgradeError {
  const folder = dirname(file);
  return new UpgradeError(
    "UPG_STORE_SIGNED",
    `${what} and ${path} is missing, but the key of this home has signed block ${height} by ${file}. Starting would sign blocks ` +
      `again. Put the data back (if a rollback was interrupted: \`chainvisor rollback\`), or copy that record to ${path}. ` +
      `If ${folder} is of another chain or key, move it out of ${dirname(folder)}`,
    { details: { signed_height: String(height), kept_data: folder } },
  );
}

export class LastSigned {
  /** `path`: the record; its folder takes the transactions' file too. */
  constructor(private readonly path: string) {}

  /** Reads all of the record, and the transactions that belong to it. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
  check(): void {
    this.pending(this.height);
  }

  /** Height of the record; 0n: nothing was signed. @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO */
  get height(): Height {
    const state = this.#read();
    return state === undefined ? 0n : BigInt(state.height);
  }

  /**
   * The database ends at `last`: may this key go on from there?
   * @throws UpgradeError UPG_STORE_SIGNED when blocks are missing that were signed
   */
  requireGoesOn(last: Height, databaseFile: string): void {
    const { height } = this;
    const what = last === 0n ? `${databaseFile} holds no block` : `${databaseFile} ends at block ${last}`;
    const beside = existsSync(this.path) ? undefined : signedBeside(this.path);
    if (beside && beside.height > last + 1n) throw signedElsewhere(this.path, beside, what);
    if (height <= last + 1n) return;
    const { remedy, details } = otherWriter(this.path);
    throw new UpgradeError(
      "UPG_STORE_SIGNED",
      `${what}, but this key has signed block ${height} (${this.path}). ${remedy} Otherwise the database was lost or is ` +
        "an old copy, and making those blocks again would be signing twice: restore the database that ends at that block. " +
        "Only when it is lost for good and nobody else ever saw those blocks, remove that file and start again",
      { details: { signed_height: String(height), ...keptData(databaseFile), ...details } },
    );
  }

  /** Replaces a missing record by what the database's last block, if any, proves. Later blocks are unknown: the warning says so. */
  restoreFrom(last: Height, log: Log): void {
    if (existsSync(this.path)) return;
    this.#write(record(last));
    const what = `made a new one from the database, whose last block is ${last}`;
    const remedy = "stop this node and restore the newest copy of that file";
    log("warn", `${this.path} was missing: ${what}. If this key has signed later blocks, here or elsewhere, ${remedy}`);
  }

  /**
   * The database's last block: is it the one that this key signed at its height?
   * @throws UpgradeError UPG_STORE_SIGNED when it signed another one
   */
  requireSameBlock({ header, commit }: StoredBlock, databaseFile: string): void {
    const state = this.#read();
    if (!state?.signbytes || BigInt(state.height) !== header.height) return;
    const isSame = commit.signatures.some(
      (signature) =>
        signature.flag === FLAG_COMMIT &&
        toUpperHex(commitSignBytes(header.chainId, commit, signature)) === state.signbytes,
    );
    if (isSame) return;
    const { remedy, details } = otherWriter(this.path);
    throw new UpgradeError(
      "UPG_STORE_SIGNED",
      `block ${header.height} of ${databaseFile} is not the one that this key signed at that height (${this.path}). ` +
        `${remedy} Otherwise one of the two files is of another node or another copy, and going on would be signing twice: ` +
        "put back the database and the record that belong together, and see that no other node runs with this key",
      { details },
    );
  }

  /** The block that must be made at this height when it was signed before; undefined: any. */
  pending(height: Height): PendingBlock | undefined {
    const state = this.#read();
    if (!state?.timestamp || BigInt(state.height) !== height || !state.signature) return undefined;
    const { seconds, nanos } = state.timestamp;
    return { txs: this.#readTxs(height), timestamp: { seconds: BigInt(seconds), nanos } };
  }

  /**
   * The vote's signature: written down before it is given, or the recorded one when these bytes were signed before.
   * @throws UpgradeError UPG_STORE_SIGNED, UPG_STORE_IO, UPG_STORE_FULL, UPG_STORE_CORRUPT
   */
  sign({ height, signBytes, timestamp, txs }: SignedVote, sign: () => Uint8Array): Uint8Array {
    const state = this.#read();
    const recorded = state === undefined ? 0n : BigInt(state.height);
    const hex = toUpperHex(signBytes);
    if (recorded === height && state?.signature && state.signbytes === hex) return bytesIn(this.path, state.signature);
    if (recorded > height || (recorded === height && state?.signature)) throw this.#twice(height, recorded);
    const signature = sign();
    if (txs.length > 0) {
      const text = JSON.stringify({ height: String(height), txs: txs.map(toBase64) });
      writeFileAtomically(this.#txsPath, utf8(`${text}\n`));
    }
    const time = { seconds: String(timestamp.seconds), nanos: timestamp.nanos };
    this.#write({ ...record(height), signature: toBase64(signature), signbytes: hex, timestamp: time });
    return signature;
  }

  /** After a rollback, which means that the blocks after `height` are to be made again. */
  rollBackTo(height: Height): void {
    if (this.height > height) this.#write(record(height));
  }

  #twice(height: Height, recorded: Height): UpgradeError {
    const { remedy, details } = otherWriter(this.path);
    return new UpgradeError(
      "UPG_STORE_SIGNED",
      `block ${height} is not signed: this key has signed ${recorded === height ? "another block of that height" : `block ${recorded}`} ` +
        `before (${this.path}). ${remedy} See that no other node runs with this key. ${homeCommand("rollback", dirname(dirname(this.path)))} takes a block back that nobody else saw`,
      { details },
    );
  }

  get #txsPath(): string {
    return this.path.replace(/[^/]*$/, TXS_FILE);
  }

  #readTxs(height: Height): Uint8Array[] {
    const bytes = readFileIfThere(this.#txsPath);
    if (!bytes) return [];
    const file = parsed(this.#txsPath, bytes) as { height?: string; txs?: readonly string[] };
    return file.height === String(height) ? (file.txs ?? []).map((tx) => bytesIn(this.#txsPath, tx)) : [];
  }

  #read(): StateFile | undefined {
    const bytes = readFileIfThere(this.path);
    if (!bytes) return undefined;
    const state = parsed(this.path, bytes) as StateFile;
    const isSound =
      /^[0-9]{1,19}$/.test(state?.height) &&
      Number.isInteger(state.round) &&
      /^([0-9A-F]{2})*$/.test(state.signbytes ?? "") &&
      isTime(state.timestamp ?? { seconds: "0", nanos: 0 });
    if (isSound) return state;
    throw malformed(this.path);
  }

  #write(state: StateFile): void {
    writeFileAtomically(this.path, utf8(`${JSON.stringify(state, null, 2)}\n`));
  }
}

/** A record that is ahead of the database: most often another process makes blocks in this home, or has done so until now. */
function otherWriter(path: string): { readonly remedy: string; readonly details: { readonly holder?: string } } {
  const folder = dirname(path);
  const [holder] = folderUsers(folder).map(String);
  const may = "Another process may be writing to this home";
  if (holder === undefined)
    return { remedy: `${may} (\`lsof +D ${shellWord(folder)}\` lists candidates): stop it first.`, details: {} };
  return { remedy: `${may}: process ${holder} has files in ${folder} open. Stop it first.`, details: { holder } };
}

function isTime({ seconds, nanos }: NonNullable<StateFile["timestamp"]>): boolean {
  try {
    checkTime({ seconds: BigInt(seconds), nanos });
    return true;
  } catch {
    return false;
  }
}

const record = (height: Height): StateFile => ({ height: String(height), round: 0, step: STEP_PRECOMMIT });

function parsed(path: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeText(bytes));
  } catch {
    throw malformed(path);
  }
}

function bytesIn(path: string, text: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    throw malformed(path);
  }
}

function malformed(path: string): UpgradeError {
  return new UpgradeError(
    "UPG_STORE_CORRUPT",
    `${path} is empty or damaged: restore the newest copy of it. Without a copy, move priv_validator_state.json away: with the ` +
      "embedded engine the next start makes it from the database's last block. Later blocks may then be signed twice",
    { details: { damaged_record: path } },
  );
}
