/** This node's consensus key, `config/priv_validator_key.json` in CometBFT's format, and its node key. */

import { concatBytes, fromBase64, toBase64, toHex, toUpperHex, utf8 } from "../../bytes.js";
import { addressOf, type PublicKey, publicKeyOf } from "../../comet/keys.js";
import { UpgradeError } from "../../errors.js";
import { sha256 } from "../../native/sha256.js";
import { programName } from "../../program-name.js";
import { decodeText } from "../../text.js";
import { readFileIfThere, writeFileAtomically } from "./atomic-file.js";

export interface ConsensusKey {
  /** ed25519 seed, 32 bytes. */
  readonly seed: Uint8Array;
  readonly publicKey: PublicKey;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

export function consensusKey(seed: Uint8Array): ConsensusKey {
  const publicKey = publicKeyOf("ed25519", seed);
  return { seed, publicKey, address: addressOf(sha256, publicKey) };
}

export function writeConsensusKey(path: string, key: ConsensusKey): void {
  const json = {
    address: toUpperHex(key.address),
    pub_key: { type: "tendermint/PubKeyEd25519", value: toBase64(key.publicKey.bytes) },
    priv_key: {
      type: "tendermint/PrivKeyEd25519",
      value: toBase64(concatBytes(key.seed, key.publicKey.bytes)),
    },
  };
  writeFileAtomically(path, utf8(`${JSON.stringify(json, null, 2)}\n`));
}

/** @throws UpgradeError UPG_INVALID_CONFIG */
export function readConsensusKey(path: string): ConsensusKey {
  return readKey(path, "consensus key");
}

function readKey(path: string, what: string): ConsensusKey {
  const bytes = readFileIfThere(path);
  if (!bytes) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `${path} is missing: make a home with \`${programName()} init\` first`,
    );
  }
  return consensusKey(readPrivateKey(path, bytes, what));
}

function readPrivateKey(path: string, bytes: Uint8Array, what: string): Uint8Array {
  try {
    const json = JSON.parse(decodeText(bytes)) as { priv_key: { type: string; value: string } };
    const secret = fromBase64(json.priv_key.value);
    if (json.priv_key.type !== "tendermint/PrivKeyEd25519" || secret.length !== 64) throw new TypeError("wrong type");
    return secret.slice(0, 32);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_CONFIG", `${path} holds no ed25519 ${what}`, { cause });
  }
}

export function writeNodeKey(path: string, key: ConsensusKey): void {
  const value = toBase64(concatBytes(key.seed, key.publicKey.bytes));
  const json = { priv_key: { type: "tendermint/PrivKeyEd25519", value } };
  writeFileAtomically(path, utf8(`${JSON.stringify(json)}\n`));
}

/** A node's id: its node key's address in lower-case hex. */
export function nodeId(key: ConsensusKey): string {
  return toHex(key.address);
}

/** @throws UpgradeError UPG_INVALID_CONFIG */
export function readNodeId(path: string): string {
  return nodeId(readKey(path, "node key"));
}
