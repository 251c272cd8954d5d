/** This node's consensus key, `config/priv_validator_key.json` in CometBFT's format. */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { readFileIfThere } from "../../base/files/atomic-file.js";
import { ed25519PublicKey } from "../../base/native/ed25519.js";
import { sha256 } from "../../base/native/sha256.js";
import { fromBase64 } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { decodeText } from "../../base/text/text.js";
import { addressOf, type PublicKey } from "../../chain/comet-types/keys.js";
import { Home } from "./home.js";

export interface ConsensusKey {
  /** ed25519 seed, 32 bytes. */
  readonly seed: Uint8Array;
  readonly publicKey: PublicKey;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

export function consensusKey(seed: Uint8Array): ConsensusKey {
  const publicKey: PublicKey = { type: "ed25519", bytes: ed25519PublicKey(seed) };
  return { seed, publicKey, address: addressOf(sha256, publicKey) };
}

/** @throws UpgradeError UPG_INVALID_CONFIG */
export function readConsensusKey(path: string): ConsensusKey {
  return readKey(path, "consensus key", consensusKeyRemedy(path));
}

/** @throws UpgradeError UPG_INVALID_CONFIG with the remedy where the file is missing or damaged */
export function readKey(path: string, what: string, remedy: string): ConsensusKey {
  const bytes = readFileIfThere(path);
  if (!bytes) throw new UpgradeError("UPG_INVALID_CONFIG", `${path} is missing: ${remedy}`);
  return consensusKey(readPrivateKey(path, bytes, `${what}: ${remedy}`));
}

/** Returns the remedy for a missing or damaged consensus key. `init` makes a new key only before the chain's first block. */
function consensusKeyRemedy(path: string): string {
  const home = new Home(dirname(dirname(path)));
  if (home.hasDatabase) {
    return (
      "restore it from your backup of keys. This chain's blocks were signed with it and no other key can replace it. " +
      `Without a backup, ${homeCommand("export", home.path)} still prints the state, from which a new chain can begin`
    );
  }
  if (existsSync(home.genesisFile)) {
    return (
      `restore it from your backup of keys, or begin again with ${homeCommand("init NAME --overwrite", home.path)}, ` +
      "which makes new keys and a new genesis document"
    );
  }
  return `make a home with ${homeCommand("init NAME", home.path)} first`;
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
