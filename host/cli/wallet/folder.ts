/** The folder of a keyring: one file a key, written whole or not at all, readable by its owner alone. */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { makeFolder, readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { removeDeadTemporaries } from "../../base/files/dead-temporaries.js";
import { utf8 } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import { HomeLock } from "../../node/home/home-lock.js";
import { bytesOf, type Sealed } from "./seal.js";

/** What a key's file holds: `private` (hex, backend test), `sealed` (backend file), or neither for a public key. */
export interface KeyRecord {
  readonly v: 1;
  readonly name: string;
  readonly address: string;
  /** Base64 of 33 bytes; "" for a multisig key. */
  readonly pubkey: string;
  /** A multisig key: threshold and members as JSON. */
  readonly multisig?: unknown;
  readonly private?: string;
  readonly sealed?: Sealed;
}

/** A key is sealed and written in less than a second. */
const LOCK_MILLIS_MAX = 10_000;
const LOCK_LOOK_MILLIS = 20;
const NOBODY = new Int32Array(new SharedArrayBuffer(4));
const SUFFIX = ".json";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A name is part of a path, so it may have only letters that can lead nowhere. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function checkKeyName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `invalid key name "${name.slice(0, 80)}": 1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first`,
  );
}

function keyringFolder(root: string, backend: string): string {
  return join(root, `keyring-${backend}`);
}

/** Names of the keys, ascending; none when there is no folder. */
export function keyNames(root: string, backend: string): string[] {
  try {
    return readdirSync(keyringFolder(root, backend))
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => file.slice(0, -SUFFIX.length))
      .filter((name) => NAME.test(name))
      .sort();
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")) return [];
    const message = messageOf(cause);
    throw new UpgradeError("UPG_STORE_IO", `cannot read the keyring: ${message}`, { cause });
  }
}

export class KeyFolder {
  readonly path: string;

  constructor(
    private readonly root: string,
    readonly backend: string,
  ) {
    this.path = keyringFolder(root, backend);
  }

  names(): string[] {
    return keyNames(this.root, this.backend);
  }

  /** Undefined when there is no such key. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_CORRUPT, UPG_STORE_IO */
  read(name: string): KeyRecord | undefined {
    const path = this.#file(name);
    const bytes = readFileIfThere(path);
    return bytes && parseRecord(path, name, bytes);
  }

  write(record: KeyRecord): void {
    makeFolder(this.path, 0o700);
    writeFileAtomically(this.#file(record.name), utf8(`${JSON.stringify(record, null, 1)}\n`));
  }

  /**
   * Runs `action` while no other process adds a key. The folder is made.
   * @throws UpgradeError UPG_STORE_LOCKED when another process takes too long, and what `action` throws
   */
  exclusively<T>(action: () => T): T {
    makeFolder(this.path, 0o700);
    const lock = lockFolder(join(this.path, "LOCK"));
    try {
      // A key that a killed process has written under a temporary name is nobody's.
      if (lock) removeDeadTemporaries(this.path);
      return action();
    } finally {
      lock?.release();
    }
  }

  remove(name: string): void {
    rmSync(this.#file(name), { force: true });
  }

  #file(name: string): string {
    return join(this.path, checkKeyName(name) + SUFFIX);
  }
}

/** Undefined: the file system has no locks, or refuses the file; a refused key file is reported where it is written. */
function lockFolder(path: string): HomeLock | undefined {
  for (let waited = 0; ; waited += LOCK_LOOK_MILLIS) {
    try {
      return HomeLock.acquire(path);
    } catch (error) {
      if (!isUpgradeError(error) || error.code !== "UPG_STORE_LOCKED") return undefined;
      if (waited < LOCK_MILLIS_MAX) Atomics.wait(NOBODY, 0, 0, LOCK_LOOK_MILLIS);
      else
        throw new UpgradeError("UPG_STORE_LOCKED", `another process adds a key to this keyring (${path}): try again`);
    }
  }
}

function parseRecord(path: string, name: string, bytes: Uint8Array): KeyRecord {
  let record: Partial<KeyRecord>;
  try {
    record = JSON.parse(decodeText(bytes)) as Partial<KeyRecord>;
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_CORRUPT", `${path} is not a whole key file`, { cause });
  }
  const isWhole =
    record?.v === 1 &&
    record.name === name &&
    typeof record.address === "string" &&
    bytesOf(record.pubkey)?.length === (record.multisig === undefined ? 33 : 0);
  if (!isWhole) throw new UpgradeError("UPG_STORE_CORRUPT", `${path} is not the file of a key named "${name}"`);
  return record as KeyRecord;
}
