/**
 * Keys of accounts. Backend `file` seals each with one password for the whole keyring; `test` does not and is for
 * development only.
 */

import { fromHex, toHex } from "../bytes.js";
import { sign } from "../comet/keys.js";
import { UpgradeError } from "../errors.js";
import { programName } from "../program-name.js";
import { type AccountKey, accountKey } from "./derive.js";
import { checkKeyName, KeyFolder, type KeyRecord } from "./folder.js";
import type { Prompt } from "./prompt.js";
import { seal, unseal } from "./seal.js";

export const BACKENDS = ["file", "test"] as const;
export type Backend = (typeof BACKENDS)[number];

const PASSWORD_MIN = 8;

/** A key as it is shown. */
export interface KeyInfo {
  readonly name: string;
  readonly address: string;
  /** secp256k1, compressed. */
  readonly publicKey: Uint8Array;
}

export interface KeyringOptions {
  readonly folder: string;
  readonly backend: Backend;
  readonly prompt: Prompt;
}

export class Keyring {
  readonly #folder: KeyFolder;
  #password: string | undefined;

  constructor(private readonly options: KeyringOptions) {
    this.#folder = new KeyFolder(options.folder, options.backend);
  }

  list(): KeyInfo[] {
    return this.#folder.names().map((name) => infoOf(this.#record(name)));
  }

  /** By name or address. @throws UpgradeError UPG_NOT_FOUND_KEY */
  find(nameOrAddress: string): KeyInfo {
    const named = /^cosmos1[0-9a-z]{38}$/.test(nameOrAddress)
      ? this.list().find(({ address }) => address === nameOrAddress)
      : infoOf(this.#record(nameOrAddress));
    if (!named) throw this.#notFound(nameOrAddress);
    return named;
  }

  has(name: string): boolean {
    return this.#folder.read(name) !== undefined;
  }

  /** @throws UpgradeError UPG_INVALID_ARGUMENT when there is a key of that name already */
  async add(name: string, key: AccountKey): Promise<KeyInfo> {
    checkKeyName(name);
    if (this.has(name)) {
      throw new UpgradeError(
        "UPG_INVALID_ARGUMENT",
        `there is a key "${name}" already; delete it first (\`${programName()} keys delete ${name}\`)`,
      );
    }
    const shown = { v: 1, name, address: key.address, pubkey: Buffer.from(key.publicKey).toString("base64") } as const;
    const record: KeyRecord =
      this.options.backend === "test"
        ? { ...shown, private: toHex(key.privateKey) }
        : { ...shown, sealed: seal(key.privateKey, await this.#passwordForWriting(), boundTo(shown)) };
    this.#folder.write(record);
    return infoOf(record);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_KEY */
  remove(name: string): void {
    this.#record(name);
    this.#folder.remove(name);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_KEY, UPG_INVALID_ARGUMENT (wrong password), UPG_STORE_CORRUPT */
  async privateKey(name: string): Promise<Uint8Array> {
    const record = this.#record(name);
    const secret = record.private === undefined ? await this.#unsealed(record) : readHex(record);
    if (accountKey(secret).address !== record.address) {
      throw new UpgradeError("UPG_STORE_CORRUPT", `the key "${name}" does not belong to the address in its file`);
    }
    return secret;
  }

  /** 64 bytes over sha256 of the message, low s. */
  async sign(name: string, message: Uint8Array): Promise<Uint8Array> {
    return sign("secp256k1", await this.privateKey(name), message);
  }

  async #unsealed(record: KeyRecord): Promise<Uint8Array> {
    this.#password ??= await this.options.prompt.secret(`Password of the keyring in ${this.#folder.path}: `);
    return unseal(record.sealed, this.#password, boundTo(record));
  }

  /** One password for all keys: a new key is sealed only with the one that opens the existing keys. */
  async #passwordForWriting(): Promise<string> {
    const [known] = this.#folder.names();
    if (known !== undefined) await this.#unsealed(this.#record(known));
    this.#password ??= await this.#newPassword();
    return this.#password;
  }

  async #newPassword(): Promise<string> {
    const { prompt } = this.options;
    const password = await prompt.secret(`A new password for the keyring in ${this.#folder.path}: `);
    if (password.length < PASSWORD_MIN) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `a password has at least ${PASSWORD_MIN} characters`);
    }
    if ((await prompt.secret("The same once more: ")) !== password) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", "the two passwords differ");
    }
    return password;
  }

  #record(name: string): KeyRecord {
    const record = this.#folder.read(name);
    if (!record) throw this.#notFound(name);
    return record;
  }

  #notFound(name: string): UpgradeError {
    return new UpgradeError(
      "UPG_NOT_FOUND_KEY",
      `there is no key "${name}" in ${this.#folder.path}; \`${programName()} keys list --keyring-backend ${this.options.backend}\` shows those that are`,
    );
  }
}

/** What the seal is bound to. */
function boundTo({ name, address, pubkey }: Pick<KeyRecord, "name" | "address" | "pubkey">): string {
  return JSON.stringify(["chain-upgrade key 1", name, address, pubkey]);
}

function infoOf({ name, address, pubkey }: KeyRecord): KeyInfo {
  return { name, address, publicKey: new Uint8Array(Buffer.from(pubkey, "base64")) };
}

function readHex({ name, private: text = "" }: KeyRecord): Uint8Array {
  if (/^[0-9a-f]{64}$/.test(text)) return fromHex(text);
  throw new UpgradeError("UPG_STORE_CORRUPT", `the private key of "${name}" is not what this program writes`);
}
