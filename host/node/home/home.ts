/** A node's home folder: where everything is. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex, utf8 } from "../../base/text/bytes.js";

/** File systems allow 255; what is added while a file is written needs some of them. */
const FILE_NAME_BYTES_MAX = 200;

/**
 * Where the files of a node are, below its home.
 *
 * @example
 * console.log(new Home("/var/notes").genesisFile); // → /var/notes/config/genesis.json
 */
export class Home {
  constructor(readonly path: string) {}

  get genesisFile(): string {
    return join(this.path, "config", "genesis.json");
  }
  /** The consensus key, in CometBFT's format. */
  get validatorKeyFile(): string {
    return join(this.path, "config", "priv_validator_key.json");
  }
  get nodeKeyFile(): string {
    return join(this.path, "config", "node_key.json");
  }
  get configFolder(): string {
    return join(this.path, "config");
  }
  get dataFolder(): string {
    return join(this.path, "data");
  }
  /** Handlers that the home brings itself. */
  get handlersFolder(): string {
    return join(this.path, "handlers");
  }
  /** Those that wait for their height. */
  get stagedFolder(): string {
    return join(this.path, "handlers", "staged");
  }
  get databaseFile(): string {
    return join(this.path, "data", "chain.mdb");
  }
  /** A chain has begun here. @throws UpgradeError UPG_STORE_IO where this user may not look */
  get hasDatabase(): boolean {
    try {
      return statSync(this.databaseFile, { throwIfNoEntry: false }) !== undefined;
    } catch (cause) {
      throw new UpgradeError("UPG_STORE_IO", `cannot look for ${this.databaseFile}: ${messageOf(cause)}`, { cause });
    }
  }
  /** Where this node's servers listen while it runs, JSON. */
  get addressesFile(): string {
    return join(this.path, "data", "addresses.json");
  }
  /** What the consensus key signed last, in CometBFT's format. */
  get lastSignedFile(): string {
    return join(this.path, "data", "priv_validator_state.json");
  }
  /** State as it is given to nodes that join, by height. */
  get snapshotsFolder(): string {
    return join(this.path, "data", "snapshots");
  }
  get lockFile(): string {
    return join(this.path, "data", "LOCK");
  }
  /** Held by a relay, also while none of its workers runs. */
  get relayLockFile(): string {
    return join(this.path, "data", "RELAY");
  }
  /** Why the last process ended, and what to do next. */
  get haltFile(): string {
    return join(this.path, "data", "halt.json");
  }
  /** Space that is given up so that `halt.json` can be written on a full disk. */
  get reserveFile(): string {
    return join(this.path, "data", "reserve");
  }
  /** The part of the state before an upgrade that its handler looks at, for those who run it again. */
  witnessFile(plan: string): string {
    return join(this.path, "data", "witness", `${fileNameOf(plan)}.bin`);
  }
  /** The operator wants no witness of the plan: the state before it may be pruned. */
  forgottenFile(plan: string): string {
    return join(this.path, "data", "witness", `${fileNameOf(plan)}.forgotten`);
  }
  /** What a receipt leaves out because nodes differ: times, memory, tool versions. */
  receiptFile(plan: string): string {
    return join(this.path, "data", "receipts", `${fileNameOf(plan)}.json`);
  }
  /** The report of a plan's last rehearsal in this home. */
  rehearsalFile(plan: string): string {
    return join(this.path, "data", "rehearsals", `${fileNameOf(plan)}.json`);
  }
}

/** A plan's name as that of a file; its hash when it would be too long. No name that is not hashed holds a `=`. */
function fileNameOf(plan: string): string {
  const encoded = encodeURIComponent(plan);
  return encoded.length <= FILE_NAME_BYTES_MAX ? encoded : `sha256=${toHex(sha256(utf8(plan)))}`;
}
