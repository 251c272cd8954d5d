/** Keys that are kept without a private one: of somebody else, and multisig keys over keys of the keyring. */

import { messageOf } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { usage } from "../../base/terminal/usage.js";
import { compareBytes } from "../../base/text/bytes.js";
import { keyAddress, multisigKey, type SigningKey } from "../../chain/values/account-key.js";
import { JsonReader } from "../../chain/values/json-reader.js";
import { readAccountKey } from "../../chain/values/key-json.js";
import type { KeyInfo, Keyring } from "../wallet/keyring.js";

interface PublicKeyFlags {
  readonly multisig?: string;
  readonly multisigThreshold: number;
  readonly sort: boolean;
  readonly pubkey?: string;
  readonly dryRun?: boolean;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_NOT_FOUND_KEY */
export function addPublicKey(keyring: Keyring, name: string, flags: PublicKeyFlags): KeyInfo {
  if (flags.multisig !== undefined && flags.pubkey !== undefined) throw usage("give --multisig or --pubkey, not both");
  if (flags.dryRun) throw usage("--dry-run is for keys that are made");
  return keyring.addPublic(name, flags.pubkey === undefined ? joined(keyring, flags) : readPublicKey(flags.pubkey));
}

function joined(keyring: Keyring, { multisig = "", multisigThreshold, sort }: PublicKeyFlags): SigningKey {
  const names = multisig.split(",").map((name) => name.trim());
  const members = names.map((name) => keyring.find(name).key);
  if (new Set(names).size !== names.length) throw usage("a key is a member twice");
  if (sort) members.sort((a, b) => compareBytes(keyAddress(sha256, a), keyAddress(sha256, b)));
  try {
    return multisigKey(multisigThreshold, members);
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

function readPublicKey(text: string): SigningKey {
  try {
    const key = readAccountKey(new JsonReader(JSON.parse(text), "--pubkey"));
    if (key) return key;
  } catch (cause) {
    throw usage(`--pubkey is no public key: ${messageOf(cause)}`);
  }
  throw usage('--pubkey is no key that can sign: {"@type":"/cosmos.crypto.secp256k1.PubKey","key":"<base64>"}');
}
