/** Writes a home's keys in CometBFT's format, and reads the node key, whose address is the node's id among its peers. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { makeFolder, writeFileAtomically } from "../../base/files/atomic-file.js";
import { concatBytes, toBase64, toHex, toUpperHex, utf8 } from "../../base/text/bytes.js";
import type { Log } from "../../base/text/log-line.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { type ConsensusKey, consensusKey, readKey } from "../../node/home/consensus-key.js";

const SEED_BYTES = 32;

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

export function writeNodeKey(path: string, key: ConsensusKey): void {
  const value = toBase64(concatBytes(key.seed, key.publicKey.bytes));
  const json = { priv_key: { type: "tendermint/PrivKeyEd25519", value } };
  writeFileAtomically(path, utf8(`${JSON.stringify(json)}\n`));
}

/** A node's id: its node key's address in lower-case hex. */
function nodeId(key: ConsensusKey): string {
  return toHex(key.address);
}

/** @throws UpgradeError UPG_INVALID_CONFIG */
export function readNodeId(path: string): string {
  const remedy =
    `restore it from your backup of keys, or make a new one with ${homeCommand("comet gen-node-key", dirname(dirname(path)))}; ` +
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
