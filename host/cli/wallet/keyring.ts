/**
 * Keys of accounts. Backend `file` seals each with one password for the whole keyring; `test` does not and is for
 * development only.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Prompt } from "../../base/terminal/prompt.js";
import { fromBase64, fromHex, toBase64, toHex } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import { sign } from "../../chain/comet-types/keys.js";
import { keyAddress, type SigningKey } from "../../chain/values/account-key.js";
import { type AddressCodec, isMeantAsAddress } from "../../chain/values/address.js";
import { JsonReader } from "../../chain/values/json-reader.js";
import { keyJson, readAccountKey } from "../../chain/values/key-json.js";
import { type AccountKey, accountKey } from "./derive.js";
import { checkKeyName, KeyFolder, type KeyRecord } from "./folder.js";
import { readSdkKey, SDK_TEST_PASSWORD, sdkKeyNames } from "./sdk-keyring.js";
import { opens, seal, unseal } from "./seal.js";

export const BACKENDS = ["file", "test"] as const;
export type Backend = (typeof BACKENDS)[number];

const PASSWORD_MIN = 8;

/** A key as it is shown. */
export interface KeyInfo {
  readonly name: string;
  readonly address: string;
  /** local: it can sign; offline: the public key alone; multi: its members sign. */
  readonly type: "local" | "offline" | "multi";
  readonly key: SigningKey;
}

export interface KeyringOptions {
  readonly folder: string;
  readonly backend: Backend;
  readonly prompt: Prompt;
  /** How the chain of these keys writes addresses. */
  readonly addresses: AddressCodec;
}

export class Keyring {
  readonly #folder: KeyFolder;
  #password: string | undefined;
  #sdkPassword: string | undefined;

  constructor(private readonly options: KeyringOptions) {
    this.#folder = new KeyFolder(options.folder, options.backend);
  }

  list(): KeyInfo[] {
    return this.#folder.names().map((name) => this.#info(this.#record(name)));
  }

  /** Names of keys that a program of the Cosmos SDK keeps in the same folder, without those of our keys. */
  sdkNames(): string[] {
    const ours = new Set(this.#folder.names());
    return sdkKeyNames(this.#folder.path).filter((name) => !ours.has(name));
  }

  /** Reports keys of the Cosmos SDK in the folder, and the command that copies them. Undefined if there are none. */
  sdkNotice(): string | undefined {
    const names = this.sdkNames();
    if (names.length === 0) return undefined;
    const shown = `${names.slice(0, 8).join(", ")}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`;
    return `${this.#folder.path} has keys that another program of the Cosmos SDK wrote: ${shown}. Copy them with ${this.#command("migrate")}`;
  }

  sdkMissing(): string {
    return `${this.#folder.path} has no keys of another Cosmos SDK program to copy: no file NAME.info without a key of that name here`;
  }

  /**
   * Copies a key of the Cosmos SDK's keyring in the same folder. A keyring without sealed keys takes over the password.
   * The file of the Cosmos SDK stays.
   *
   * @throws UpgradeError UPG_NOT_FOUND_KEY, UPG_INVALID_ARGUMENT (wrong password), UPG_STORE_CORRUPT
   */
  async migrate(name: string): Promise<KeyInfo> {
    checkKeyName(name);
    if (this.has(name)) throw this.exists(name);
    const { backend, prompt } = this.options;
    this.#sdkPassword ??=
      backend === "test"
        ? SDK_TEST_PASSWORD
        : await prompt.secret(`Password of the Cosmos SDK's keyring in ${this.#folder.path}: `);
    const key = readSdkKey(this.#folder.path, name, this.#sdkPassword);
    if (!key) throw this.#notFound(name);
    if (!this.#sealedKey()) this.#password ??= this.#sdkPassword;
    return "local" in key ? this.#addLocal(name, key.local) : this.#addPublic(name, key.publicKey);
  }

  /** By name or address. @throws UpgradeError UPG_NOT_FOUND_KEY */
  find(nameOrAddress: string): KeyInfo {
    const named =
      this.options.addresses.failure(nameOrAddress) === undefined
        ? this.list().find(({ address }) => address === nameOrAddress)
        : this.#info(this.#record(nameOrAddress));
    if (!named) throw this.#notFound(nameOrAddress);
    return named;
  }

  /** The address itself, or that of the key with this name. @throws UpgradeError UPG_NOT_FOUND_KEY, UPG_INVALID_ARGUMENT */
  addressOf(nameOrAddress: string): string {
    const { encode, decode } = this.options.addresses;
    return isMeantAsAddress(nameOrAddress) ? encode(decode(nameOrAddress)) : this.find(nameOrAddress).address;
  }

  has(name: string): boolean {
    return this.#folder.read(name) !== undefined;
  }

  /** @throws UpgradeError UPG_INVALID_ARGUMENT when there is a key of that name already */
  async add(name: string, key: AccountKey): Promise<KeyInfo> {
    this.#requireNew(name);
    return this.#addLocal(name, key);
  }

  async #addLocal(name: string, key: AccountKey): Promise<KeyInfo> {
    const address = this.options.addresses.encode(key.addressBytes);
    const shown = { v: 1, name, address, pubkey: toBase64(key.publicKey) } as const;
    if (this.options.backend === "test") return this.#write({ ...shown, private: toHex(key.privateKey) });
    const password = await this.#passwordForWriting();
    return this.#write({ ...shown, sealed: seal(key.privateKey, password, boundTo(shown)) }, password);
  }

  /**
   * Another process may have added keys while this one asked for a password or made the key.
   * @param password that sealed the record
   * @throws UpgradeError UPG_INVALID_ARGUMENT when there is a key of that name, or the keyring has another password
   */
  #write(record: KeyRecord, password?: string): KeyInfo {
    return this.#folder.exclusively(() => {
      if (this.has(record.name)) throw this.exists(record.name);
      const sealed = password === undefined ? undefined : this.#sealedKey();
      if (sealed && password !== undefined && !opens(sealed.sealed, password, boundTo(sealed))) {
        this.#password = undefined;
        throw new UpgradeError(
          "UPG_INVALID_ARGUMENT",
          `the key "${record.name}" was not added: another process has given the keyring in ${this.#folder.path} another ` +
            `password meanwhile, with the key "${sealed.name}". Run the command again with that password`,
        );
      }
      this.#folder.write(record);
      return this.#info(record);
    });
  }

  /** Keeps a key without a private one: of somebody else, or of several. @throws UpgradeError UPG_INVALID_ARGUMENT */
  addPublic(name: string, key: SigningKey): KeyInfo {
    this.#requireNew(name);
    return this.#addPublic(name, key);
  }

  #addPublic(name: string, key: SigningKey): KeyInfo {
    const address = this.options.addresses.encode(keyAddress(sha256, key));
    const record: KeyRecord =
      key.type === "multisig"
        ? { v: 1, name, address, pubkey: "", multisig: keyJson(key) }
        : { v: 1, name, address, pubkey: toBase64(key.bytes) };
    return this.#write(record);
  }

  #requireNew(name: string): void {
    checkKeyName(name);
    if (this.has(name)) throw this.exists(name);
    if (!this.sdkNames().includes(name)) return;
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `cannot use the name "${name}" for a new key: ${this.sdkNotice()}`);
  }

  /** The refusal of a new key with a name that is taken. */
  exists(name: string): UpgradeError {
    const remove = this.#command(`delete ${shellWord(name)}`);
    return new UpgradeError("UPG_INVALID_ARGUMENT", `there is a key "${name}" already; delete it first (${remove})`);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_KEY */
  remove(name: string): void {
    this.#record(name);
    this.#folder.remove(name);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_KEY, UPG_INVALID_ARGUMENT (wrong password), UPG_STORE_CORRUPT */
  async privateKey(name: string): Promise<Uint8Array> {
    const record = this.#record(name);
    if (!canSign(record)) {
      const how =
        record.multisig === undefined ? "its private key is elsewhere" : "its members sign for it, see `tx multisign`";
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${name}" is a public key: ${how}`);
    }
    const secret = record.private === undefined ? await this.#unsealed(record) : readHex(record);
    if (this.options.addresses.encode(accountKey(secret).addressBytes) !== record.address) {
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

  /**
   * Asks for the password, and checks it on a sealed key: what takes a key away is no less than what uses it. Nothing is
   * asked where nothing is sealed.
   *
   * @throws UpgradeError UPG_INVALID_ARGUMENT (wrong password), UPG_STORE_CORRUPT
   */
  async unlock(): Promise<void> {
    const known = this.#sealedKey();
    if (known) await this.#unsealed(known);
  }

  #sealedKey(): KeyRecord | undefined {
    const records = this.#folder.names().map((name) => this.#record(name));
    return records.find(({ sealed }) => sealed !== undefined);
  }

  /** One password for all keys: a new key is sealed only with the one that opens the existing keys. */
  async #passwordForWriting(): Promise<string> {
    await this.unlock();
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

  #info(record: KeyRecord): KeyInfo {
    return infoOf(record, this.options.addresses);
  }

  #notFound(name: string): UpgradeError {
    const notice = this.sdkNotice();
    if (notice !== undefined) return new UpgradeError("UPG_NOT_FOUND_KEY", `there is no key "${name}": ${notice}`);
    const { addresses, backend } = this.options;
    const isAddress = addresses.failure(name) === undefined;
    const what = isAddress ? `no key has the address ${name}` : `there is no key "${name}"`;
    const hint = isAddress ? "" : `, and an address begins with ${addresses.prefix}1`;
    const where = `${what} in the keyring (backend ${backend}, folder ${this.#folder.path})${hint}`;
    return new UpgradeError("UPG_NOT_FOUND_KEY", `${where}. ${this.#command("list")} lists the keys`);
  }

  /** A command of `keys` on this keyring, in backquotes. */
  #command(words: string): string {
    const where = `--keyring-backend ${this.options.backend} --keyring-dir ${shellWord(this.options.folder)}`;
    return `\`${PROGRAM} keys ${words} ${where}\``;
  }
}

/** What the seal is bound to. */
function boundTo({ name, address, pubkey }: Pick<KeyRecord, "name" | "address" | "pubkey">): string {
  return JSON.stringify(["chain-upgrade key 1", name, address, pubkey]);
}

const canSign = (record: KeyRecord): boolean => record.private !== undefined || record.sealed !== undefined;

/** @throws UpgradeError UPG_STORE_CORRUPT */
function infoOf(record: KeyRecord, addresses: AddressCodec): KeyInfo {
  const { name, address, pubkey, multisig } = record;
  if (multisig === undefined) {
    const key: SigningKey = { type: "secp256k1", bytes: fromBase64(pubkey) };
    return { name, address, type: canSign(record) ? "local" : "offline", key };
  }
  const key = readAccountKey(new JsonReader(multisig, `key "${name}"`));
  if (!key || addresses.encode(keyAddress(sha256, key)) !== address) {
    throw new UpgradeError(
      "UPG_STORE_CORRUPT",
      `the multisig key "${name}" does not belong to the address in its file`,
    );
  }
  return { name, address, type: "multi", key };
}

function readHex({ name, private: text = "" }: KeyRecord): Uint8Array {
  if (/^[0-9a-f]{64}$/.test(text)) return fromHex(text);
  throw new UpgradeError("UPG_STORE_CORRUPT", `the private key of "${name}" is not what this program writes`);
}
