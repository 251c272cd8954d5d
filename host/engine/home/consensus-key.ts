/** This node's consensus key, `config/priv_validator_key.json` in CometBFT's format, and its node key. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { concatBytes, fromBase64, toBase64, toHex, toUpperHex, utf8 } from "../../bytes.js";
import { addressOf, type PublicKey, publicKeyOf } from "../../comet/keys.js";
import { UpgradeError } from "../../errors.js";
import type { Log } from "../../log-line.js";
import { sha256 } from "../../native/sha256.js";
import { programName } from "../../program-name.js";
import { makeFolder } from "../../store/disk/lmdb-access.js";
import { decodeText } from "../../text.js";
import { readFileIfThere, writeFileAtomically } from "./atomic-file.js";
import { Home } from "./home.js";

const SEED_BYTES = 32;

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
  return readKey(path, "consensus key", consensusKeyRemedy(path));
}

function readKey(path: string, what: string, remedy: string): ConsensusKey {
  const bytes = readFileIfThere(path);
  if (!bytes) throw new UpgradeError("UPG_INVALID_CONFIG", `${path} is missing: ${remedy}`);
  return consensusKey(readPrivateKey(path, bytes, what));
}

/** What to do about a missing consensus key: `init` makes one only where no chain has begun. */
function consensusKeyRemedy(path: string): string {
  const home = new Home(dirname(dirname(path)));
  if (home.hasDatabase) {
    return (
      "restore it from your backup of keys. This chain's blocks were signed with it and no other key can replace it. " +
      `Without a backup, \`${programName()} export\` still prints the state, from which a new chain can begin`
    );
  }
  if (existsSync(home.genesisFile)) {
    return (
      `restore it from your backup of keys, or begin again with \`${programName()} init NAME --overwrite\`, ` +
      "which makes new keys and a new genesis document"
    );
  }
  return `make a home with \`${programName()} init\` first`;
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
  const remedy =
    `restore it from your backup of keys, or make a new one with \`${programName()} comet gen-node-key\`; ` +
    "the node then has another id";
  return nodeId(readKey(path, "node key", remedy));
}

/**
 * This node's id. A missing node key is made, as CometBFT does: the key is the node's name among its peers and decides nothing
 * about blocks.
 * @throws UpgradeError UPG_INVALID_CONFIG for a damaged key, UPG_STORE_*
 */
export function nodeIdOrNew(path: string, log: Log): string {
  if (existsSync(path)) return readNodeId(path);
  const made = makeNodeKey(path);
  log("warn", `${path} was missing: made a new node key, so this node now has the id ${made}`);
  return made;
}

/** Makes a node key where there is none. @returns the node's id. @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_* */
export function makeNodeKey(path: string): string {
  if (existsSync(path)) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `${path} exists, and a new key would change the node's id. To replace it, move that file away first`,
    );
  }
  const key = consensusKey(randomBytes(SEED_BYTES));
  makeFolder(dirname(path));
  writeNodeKey(path, key);
  return nodeId(key);
}
