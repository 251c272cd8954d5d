/** Keys of accounts in JSON, as genesis documents and the Cosmos SDK's command line write them. */

import { messageOf } from "../../base/errors/errors.js";
import { toBase64 } from "../../base/text/bytes.js";
import {
  ED25519_URL,
  MULTISIG_DEPTH_MAX,
  MULTISIG_URL,
  multisigKey,
  SECP256K1_URL,
  type SigningKey,
  simpleKey,
} from "./account-key.js";
import type { JsonReader } from "./json-reader.js";

type Json = Readonly<Record<string, unknown>>;

/** `{"@type":…,"key":"<base64>"}`, or threshold and members. */
export function keyJson(key: SigningKey): Json {
  if (key.type === "multisig") {
    return { "@type": MULTISIG_URL, threshold: key.threshold, public_keys: key.members.map(keyJson) };
  }
  return { "@type": key.type === "ed25519" ? ED25519_URL : SECP256K1_URL, key: toBase64(key.bytes) };
}

/** Undefined where there is none, or one of a kind that cannot sign here. @throws UpgradeError naming what is wrong */
export function readAccountKey(field: JsonReader): SigningKey | undefined {
  const key = readKeyJson(field, 0);
  return key?.type === "ed25519" ? undefined : key;
}

/** @throws UpgradeError naming what is wrong */
function readKeyJson(field: JsonReader, depth: number): SigningKey | undefined {
  const type = field.isSet ? field.get("@type").text("") : "";
  if (type === MULTISIG_URL) return readMultisigJson(field, depth);
  if (type !== SECP256K1_URL && type !== ED25519_URL) return undefined;
  const bytes = field.only("@type", "key").get("key").base64();
  return checked(field.get("key"), () => simpleKey(type === SECP256K1_URL ? "secp256k1" : "ed25519", bytes));
}

function readMultisigJson(field: JsonReader, depth: number): SigningKey {
  if (depth >= MULTISIG_DEPTH_MAX) throw field.wrong(`multisig keys are nested more than ${MULTISIG_DEPTH_MAX} deep`);
  field.only("@type", "threshold", "public_keys");
  const threshold = Number(field.get("threshold").uint64());
  const members = field.get("public_keys").items();
  const keys = members.map((member) => {
    const key = readKeyJson(member, depth + 1);
    if (!key) throw member.wrong("a member of a multisig key is secp256k1, ed25519 or a multisig key");
    return key;
  });
  return checked(field, () => multisigKey(threshold, keys));
}

function checked<T>(field: JsonReader, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw field.wrong(messageOf(cause));
  }
}
