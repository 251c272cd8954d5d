/** Module auth: accounts by address. In consensus version 1 an account holds its own coins. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import { type Account, AccountSchema } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import { bigEndian64, concatBytes, toHex } from "../../../base/text/bytes.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { multisigMessage, readMultisig, type SigningKey } from "../../values/account-key.js";
import { allRecords, type Records } from "../../values/records.js";

export const AUTH_STORE = "auth";

const ACCOUNT_PREFIX = Uint8Array.of(0x01);
export const NEXT_NUMBER_KEY = Uint8Array.of(0x02);

function recordKey(address: Uint8Array): Uint8Array {
  return concatBytes(ACCOUNT_PREFIX, address);
}

export function readAccount(store: KVReader, address: Uint8Array): Account | undefined {
  const bytes = store.get(recordKey(address));
  return bytes && decodeAccount(bytes, address);
}

function decodeAccount(bytes: Uint8Array, address: Uint8Array): Account {
  try {
    return fromBinary(AccountSchema, bytes);
  } catch (cause) {
    const name = toHex(address);
    throw new UpgradeError("UPG_STORE_CORRUPT", `store "auth": the account ${name} cannot be decoded`, { cause });
  }
}

export function writeAccount(store: KVStore, account: Account): void {
  store.set(recordKey(account.address), toBinary(AccountSchema, account));
}

/** The key that the account signs with; undefined: it has not signed yet. @throws UpgradeError UPG_STORE_CORRUPT */
export function keyOfAccount({ address, pubKey, multisig }: Account): SigningKey | undefined {
  if (!multisig) return pubKey.length === 0 ? undefined : { type: "secp256k1", bytes: pubKey };
  try {
    return readMultisig(multisig);
  } catch (cause) {
    const what = `store "auth": the multisig key of ${toHex(address)} cannot be read`;
    throw new UpgradeError("UPG_STORE_CORRUPT", what, { cause });
  }
}

/** What an account's record holds of its key. A key of a kind that cannot sign is not kept. */
export function keyFields(key: SigningKey | undefined): Pick<Account, "pubKey" | "multisig"> {
  if (key?.type === "secp256k1") return { pubKey: key.bytes };
  return { pubKey: new Uint8Array(), ...(key?.type === "multisig" ? { multisig: multisigMessage(key) } : {}) };
}

/** The account, made with the next number when it is absent. */
export function ensureAccount(store: KVStore, address: Uint8Array, module = ""): Account {
  const known = readAccount(store, address);
  if (known) return known;
  const account = create(AccountSchema, { address, accountNumber: takeAccountNumber(store), module });
  writeAccount(store, account);
  return account;
}

function takeAccountNumber(store: KVStore): bigint {
  const number = readNextNumber(store);
  store.set(NEXT_NUMBER_KEY, bigEndian64(number + 1n));
  return number;
}

/** 0n where no account has a number yet. */
export function readNextNumber(store: KVReader): bigint {
  const bytes = store.get(NEXT_NUMBER_KEY);
  if (!bytes) return 0n;
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
}

/** Genesis gives accounts their numbers; later ones go on after the greatest. */
export function reserveAccountNumber(store: KVStore, number: bigint): void {
  if (number >= readNextNumber(store)) store.set(NEXT_NUMBER_KEY, bigEndian64(number + 1n));
}

/** By address. */
export const ACCOUNTS: Records<Account> = { prefix: ACCOUNT_PREFIX, read: decodeAccount };

/** All accounts, ascending by address. */
export const accounts = (store: KVReader): Generator<Account> => allRecords(store, ACCOUNTS);
