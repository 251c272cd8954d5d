/**
 * A node that runs in another thread, as this one serves it: blocks, state and results from the database, and a mempool
 * whose transactions are checked here and handed over. What a block changes is seen by reading, so that it does not
 * matter how late the engine's word of it comes.
 */

import { sha256 } from "../../base/native/sha256.js";
import { toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { TxResult } from "../../chain/app/app.js";
import { AppView } from "../../chain/app/app-view.js";
import type { Chain } from "../../chain/app/chain.js";
import type { ConsensusParams } from "../../chain/comet-types/consensus-params.js";
import type { GasPrice } from "../../chain/values/minimum-fee.js";
import type { LmdbReader } from "../../state/store/disk/lmdb-reader.js";
import { Core } from "../../upgrade/core/core.js";
import type { ChainFacts } from "../blocks/block-maker.js";
import type { BlockResults } from "../blocks/block-results.js";
import { type BlockRoom, blockRoom } from "../blocks/block-room.js";
import { BlockStore, type StoredBlock } from "../blocks/block-store.js";
import { Mempool, type MempoolLimits } from "../blocks/mempool.js";
import { ValidatorStore } from "../blocks/validator-store.js";
import { nodeVerifySignature } from "../home/node-signatures.js";
import { TxIndex } from "../index/tx-index.js";
import type { EngineFacts } from "./engine-port.js";
import { Recheck } from "./recheck.js";

export interface NodeViewOptions {
  readonly chain: Chain;
  readonly database: LmdbReader;
  readonly facts: EngineFacts;
  readonly mempool: Partial<MempoolLimits>;
  /** None: every fee is taken. */
  readonly minimumGasPrices?: readonly GasPrice[];
  readonly engine: {
    /** Does the engine take one more? @throws UpgradeError UPG_TX_MEMPOOL_FULL */
    requireRoom(): void;
    /** Hands a transaction to the engine, which has room; returns its number. */
    submit(tx: Uint8Array): number;
  };
}

export class NodeView {
  readonly app: AppView;
  readonly blocks: BlockStore;
  readonly index: TxIndex;
  readonly validators: ValidatorStore;
  readonly mempool: Mempool;
  readonly key: { readonly address: Uint8Array; readonly publicKey: { readonly bytes: Uint8Array } };
  readonly #listeners = new Set<(seen: SeenBlock) => void>();
  /** Names of transactions that were handed over, by number, until they leave the mempool. */
  readonly #submitted = new Map<number, string>();
  /** The last number that a name was handed over by. */
  readonly #lastNumbers = new Map<string, number>();
  readonly #recheck = new Recheck(() => void this.lastBlock);
  #last: StoredBlock | undefined;
  #room: { readonly height: Height; readonly room: BlockRoom } | undefined;
  /** Snapshot of the database in which `#last` was looked up. */
  #snapshot = -1;
  /** The last block that listeners heard of. */
  #announced: Height;

  constructor(private readonly options: NodeViewOptions) {
    const { chain, database, facts } = options;
    this.blocks = new BlockStore(database);
    this.index = new TxIndex(database, sha256);
    this.validators = new ValidatorStore(database);
    this.key = { address: facts.address, publicKey: { bytes: facts.publicKey } };
    this.#last = this.blocks.latest();
    this.#announced = this.#last?.header.height ?? 0n;
    this.app = new AppView({
      ...{ chain, database, sha256, core: new Core(), verifySignature: nodeVerifySignature },
      chainId: facts.chain.chainId,
      initialHeight: facts.chain.initialHeight,
      appVersion: facts.chain.appVersion,
      constants: { bondDenom: facts.bondDenom, stakingParams: facts.stakingParams, params: facts.chain.params },
      versions: facts.versions,
      last: () => this.lastBlock?.header,
      minimumGasPrices: options.minimumGasPrices ?? [],
    });
    this.mempool = new Mempool({
      sha256,
      check: (tx, kind, hash) => this.app.checkTx(tx, kind, hash),
      room: () => this.#roomNow(),
      limits: options.mempool,
    });
  }

  get facts(): ChainFacts {
    return this.options.facts.chain;
  }

  /** For the next block. */
  get consensusParams(): ConsensusParams {
    return this.app.consensusParams;
  }

  /** Of what can be read now. What it took has left the mempool; the rest is checked again, in turns. */
  get lastBlock(): StoredBlock | undefined {
    const { snapshot } = this.options.database;
    if (snapshot !== this.#snapshot) {
      this.#snapshot = snapshot;
      const height = this.blocks.highest();
      if (height !== undefined && height !== this.#last?.header.height) this.#moveTo(height);
    }
    return this.#last;
  }

  hash(tx: Uint8Array): Uint8Array {
    return sha256(tx);
  }

  /**
   * Checks a transaction, after the rechecks that are under way, and hands a good one to the engine.
   * @throws UpgradeError UPG_TX_* when the mempool does not take it, whatever it says
   */
  submit(tx: Uint8Array): Promise<TxResult> {
    return this.afterRechecks(() => this.#submit(tx));
  }

  /** Does what is checked over the mempool's transactions: after their rechecks, in order of arrival. */
  afterRechecks<T>(work: () => T): Promise<T> {
    // First of all the mempool must be what the last block left of it.
    void this.lastBlock;
    return this.#recheck.after(work);
  }

  /** What waits for rechecks gets this error. */
  close(error: unknown): void {
    this.#recheck.close(error);
  }

  /** Worked out once a block. */
  #roomNow(): BlockRoom {
    const height = this.#last?.header.height ?? 0n;
    if (this.#room?.height !== height) {
      // Only their count matters: `at` would rotate the set up to 999 times.
      const { set } = this.validators.storedFor(height + 1n) ?? {};
      this.#room = { height, room: blockRoom(this.consensusParams, set?.validators.length) };
    }
    return this.#room.room;
  }

  #submit(tx: Uint8Array): TxResult {
    const { engine } = this.options;
    // Before it is checked: those that are let in count for what is checked after them.
    engine.requireRoom();
    const result = this.mempool.add(tx);
    if (result.code === 0) {
      const [id, name] = [engine.submit(tx), toHex(sha256(tx))];
      this.#submitted.set(id, name);
      this.#lastNumbers.set(name, id);
    }
    return result;
  }

  /** The engine says that a transaction which was let in holds no longer. */
  refused(id: number): void {
    const name = this.#submitted.get(id);
    if (name === undefined) return;
    this.#submitted.delete(id);
    // The same transaction may have come again since: then this word is of the one before.
    if (this.#lastNumbers.get(name) !== id) return;
    this.#lastNumbers.delete(name);
    this.mempool.drop(name);
  }

  /** The engine left these transactions out: drops and refuses them, and checks the others without them. */
  leftOut(names: readonly string[]): void {
    this.app.leaveOut(names);
    for (const name of names) this.mempool.drop(name);
    this.app.moved();
    this.#recheck.restart(this.mempool.rechecks());
  }

  /** The engine has committed a block: listeners hear of it, and of those before. */
  committed(): void {
    this.options.database.renew();
    const height = this.lastBlock?.header.height ?? 0n;
    // Those that were pruned meanwhile nobody can hear of.
    const before = (this.blocks.lowest() ?? 1n) - 1n;
    if (this.#announced < before) this.#announced = before;
    while (this.#announced < height) {
      this.#announced++;
      const seen = new SeenBlock(this.blocks, this.#announced);
      for (const listener of [...this.#listeners]) listener(seen);
    }
  }

  subscribe(listener: (seen: SeenBlock) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the blocks since took leaves the mempool; the rest is to be checked again. */
  #moveTo(height: Height): void {
    const before = this.#last?.header.height;
    this.#last = this.blocks.at(height);
    this.app.moved();
    const committed: Uint8Array[] = [];
    const lowest = this.blocks.lowest() ?? height;
    for (let each = before === undefined ? height : later(before + 1n, lowest); each <= height; each++) {
      const { txCount } = each === height ? this.#last : this.blocks.at(each);
      if (txCount > 0) for (const tx of this.blocks.block(each).txs) committed.push(tx);
    }
    if (committed.length === 0 && this.mempool.count === 0) return;
    this.mempool.leave(committed);
    for (const [id, name] of this.#submitted) {
      if (this.mempool.has(name)) continue;
      this.#submitted.delete(id);
      if (this.#lastNumbers.get(name) === id) this.#lastNumbers.delete(name);
    }
    this.#recheck.begin(this.mempool.rechecks());
  }
}

const later = (a: Height, b: Height): Height => (a > b ? a : b);

/** A block that was made elsewhere; read when somebody asks for it. */
class SeenBlock {
  #results: BlockResults | undefined;
  #txs: readonly Uint8Array[] | undefined;

  constructor(
    private readonly blocks: BlockStore,
    private readonly height: Height,
  ) {}

  get stored(): StoredBlock {
    return this.blocks.at(this.height);
  }

  get result(): BlockResults {
    this.#results ??= this.blocks.results(this.height);
    return this.#results;
  }

  get txs(): readonly Uint8Array[] {
    this.#txs ??= this.stored.txCount === 0 ? [] : this.blocks.block(this.height).txs;
    return this.#txs;
  }

  get txHashes(): readonly Uint8Array[] {
    return this.txs.map(sha256);
  }
}
