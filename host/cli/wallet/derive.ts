/** From a mnemonic to an account's key: BIP-39 and BIP-32, as the Cosmos SDK's wallets do. */
import { HDKey } from "@scure/bip32";
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { addressOf, publicKeyOf } from "../../chain/comet-types/keys.js";

const HD_PATH_DEFAULT = "m/44'/118'/0'/0/0";

/** Bits of randomness by number of words. */
const STRENGTH: ReadonlyMap<number, number> = new Map([
  [12, 128],
  [15, 160],
  [18, 192],
  [21, 224],
  [24, 256],
]);

export interface AccountKey {
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  /** secp256k1, compressed: 33 bytes. */
  readonly publicKey: Uint8Array;
  /** 20 bytes. */
  readonly addressBytes: Uint8Array;
}

export function newMnemonic(words = 24): string {
  const strength = STRENGTH.get(words);
  if (strength === undefined) throw wrong(`a mnemonic has 12, 15, 18, 21 or 24 words, not ${words}`);
  return generateMnemonic(wordlist, strength);
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT; the words are never part of the message */
export function keyFromMnemonic(mnemonic: string, path: string = HD_PATH_DEFAULT, passphrase = ""): AccountKey {
  const words = mnemonic.trim().toLowerCase().split(/\s+/).join(" ");
  if (!validateMnemonic(words, wordlist)) {
    throw wrong("these words are no BIP-39 mnemonic: a word is unknown, missing or in the wrong place");
  }
  const seed = mnemonicToSeedSync(words, passphrase);
  return accountKey(derive(seed, path));
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when the bytes are no private key */
export function accountKey(privateKey: Uint8Array): AccountKey {
  const publicKey = publicKeyOf("secp256k1", privateKey);
  return { privateKey, publicKey: publicKey.bytes, addressBytes: addressOf(sha256, publicKey) };
}

function derive(seed: Uint8Array, path: string): Uint8Array {
  if (!/^m(\/[0-9]{1,10}'?){1,10}$/.test(path))
    throw wrong(`"${path.slice(0, 60)}" is no HD path like ${HD_PATH_DEFAULT}`);
  let privateKey: Uint8Array | null;
  try {
    privateKey = HDKey.fromMasterSeed(seed).derive(path).privateKey;
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `no key can be derived at ${path}`, { cause });
  }
  if (!privateKey) throw wrong(`no key can be derived at ${path}`);
  return privateKey;
}

function wrong(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", message);
}
