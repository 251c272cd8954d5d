/** The home whose blocks are run again: read alone, also beside its running node. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UpgradeError } from "../../../base/errors/errors.js";
import { hashOfSource, openFileSource } from "../../../base/files/file-source.js";
import { sha256 } from "../../../base/native/sha256.js";
import { equalBytes } from "../../../base/text/bytes.js";
import type { Height } from "../../../base/types/types.js";
import type { LastCommit } from "../../../chain/app/block-info.js";
import { BlockStore, type StoredBlock } from "../../../node/blocks/block-store.js";
import { lastCommitOf, soleValidator } from "../../../node/blocks/deciding-sets.js";
import { ValidatorStore } from "../../../node/blocks/validator-store.js";
import { readConsensusKey } from "../../../node/home/consensus-key.js";
import { keptGenesis } from "../../../node/home/genesis-record.js";
import { Home } from "../../../node/home/home.js";
import { noChain, openShared, type SharedReader } from "../../../node/open/home-database.js";
import { lastVersionOf } from "../../../state/store/disk/fenced-database.js";
import { CommitMultiStore } from "../../../state/store/versions/commit-multi-store.js";
import { lastEngine, readCommit } from "../../../state/store/versions/commit-record.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import { DONE_RANGE, doneUpgradesOf } from "../../../verify/records.js";

export class ReplaySource {
  readonly home: Home;
  readonly blocks: BlockStore;
  readonly last: Height;
  readonly #reader: SharedReader;
  readonly #validators: ValidatorStore;

  /** @throws UpgradeError UPG_INVALID_CONFIG without a chain, or where CometBFT has the blocks; UPG_STORE_* */
  constructor(path: string) {
    this.home = new Home(resolve(path));
    if (!this.home.hasDatabase) throw noChain(path);
    this.#reader = openShared(this.home);
    const { database } = this.#reader;
    if (lastEngine(database) !== "") {
      this.close();
      throw new UpgradeError(
        "UPG_INVALID_CONFIG",
        `CometBFT keeps the blocks of ${path}, and gives them to an application itself: restore an early snapshot or take the ` +
          "application back (`rollback --to`), and start it with the programs in their order",
      );
    }
    this.blocks = new BlockStore(database);
    this.#validators = new ValidatorStore(database);
    this.last = BigInt(lastVersionOf(database));
  }

  get genesis() {
    return keptGenesis(this.#reader.database).facts;
  }

  /** Is the document that the chain began with still there? */
  get hasGenesis(): boolean {
    if (!existsSync(this.home.genesisFile)) return false;
    const source = openFileSource(this.home.genesisFile);
    if (!source) return false;
    try {
      const { digest } = keptGenesis(this.#reader.database);
      return source.size === digest.size && equalBytes(hashOfSource(source), digest.sha256);
    } finally {
      source.close();
    }
  }

  /** The lowest height whose block and state are kept, and that others follow. @throws UpgradeError UPG_NOT_FOUND_VERSION */
  get lowestState(): Height {
    const from = this.blocks.lowest() ?? this.last;
    for (let height = from; height < this.last; height++) if (this.stores(height)) return height;
    throw new UpgradeError("UPG_NOT_FOUND_VERSION", `${this.home.path} keeps no state that a kept block follows`);
  }

  /** Roots of the stores after a height, by name; undefined: that state is not kept. */
  stores(height: Height): ReadonlyMap<string, Uint8Array> | undefined {
    const state = readCommit(this.#reader.database, Number(height));
    return state && new Map(state.stores.map(({ name, root }) => [name, root.hash]));
  }

  /** Heights at which the chain applied a plan, whatever handlers its home has now. @throws UpgradeError UPG_STORE_CORRUPT */
  appliedHeights(): ReadonlySet<Height> {
    const store = new CommitMultiStore(this.#reader.database, { sha256 }).at(this.last).store(UPGRADE_STORE);
    const done = doneUpgradesOf([...store.iterate(DONE_RANGE)]);
    if (!done)
      throw new UpgradeError("UPG_STORE_CORRUPT", `the upgrades that ${this.home.path} applied cannot be read`);
    return new Set(done.map(({ height }) => height));
  }

  /** Who signed the block before, as its engine said it to the application. */
  lastCommit(height: Height): LastCommit | undefined {
    if (height <= (this.blocks.lowest() ?? height)) return undefined;
    const before: StoredBlock = this.blocks.at(height - 1n);
    const set = this.#validators.at(height - 1n) ?? soleValidator(sha256, this.#publicKey());
    return lastCommitOf(before, set);
  }

  close(): void {
    this.#reader.close();
  }

  #publicKey() {
    return readConsensusKey(this.home.validatorKeyFile).publicKey;
  }
}
