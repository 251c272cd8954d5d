/**
 * The embedded engine: one process that makes blocks, runs them through the app and keeps them. A block, its state and
 * its results become visible in one transaction; a process that dies in between has not made it.
 */

import { assert } from "../../base/errors/errors.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import type { App, BlockResult, TxResult } from "../../chain/app/app.js";
import { AppPort } from "../../chain/app/app-port.js";
import type { DirectChange } from "../../chain/app/block.js";
import { type LastCommit, NO_BLOCK_INFO } from "../../chain/app/block-info.js";
import type { BlockPort } from "../../chain/app/engine-port.js";
import type { ConsensusParams } from "../../chain/comet-types/consensus-params.js";
import { resultsHash } from "../../chain/comet-types/results.js";
import { type Batch, type Database, RecordChanges } from "../../state/store/disk/database.js";
import { BlockMaker, type ChainFacts } from "../blocks/block-maker.js";
import { BlockPruner } from "../blocks/block-pruner.js";
import { type BlockRoom, blockRoom } from "../blocks/block-room.js";
import { BlockStore, type StoredBlock } from "../blocks/block-store.js";
import {
  afterBlock,
  aloneLine,
  type DecidingSets,
  firstSets,
  joinHint,
  lastCommitOf,
  putSets,
  requireDecides,
  setsAfter,
  soleValidator,
} from "../blocks/deciding-sets.js";
import type { LastSigned } from "../blocks/last-signed.js";
import { Mempool, type MempoolLimits } from "../blocks/mempool.js";
import { fillProposal } from "../blocks/proposal.js";
import { ValidatorStore } from "../blocks/validator-store.js";
import type { ConsensusKey } from "../home/consensus-key.js";
import { INDEX_ALL, type IndexSettings } from "../index/index-settings.js";
import { TxIndex } from "../index/tx-index.js";
import type { Clock } from "./clock.js";

export interface BlockSettings extends IndexSettings {
  /** Blocks before the last that stay; 0: all. */
  readonly minRetainBlocks: number;
}

const BLOCK_SETTINGS: BlockSettings = Object.freeze({ ...INDEX_ALL, minRetainBlocks: 0 });

export interface EmbeddedNodeOptions {
  readonly app: App;
  readonly database: Database;
  readonly sha256: Sha256;
  readonly facts: ChainFacts;
  readonly key: ConsensusKey;
  readonly clock: Clock;
  readonly mempool?: Partial<MempoolLimits>;
  /** What is kept of blocks, and indexed. */
  readonly blocks?: Partial<BlockSettings>;
  /** What the key signed last; without, nothing keeps it from signing twice (tests). */
  readonly lastSigned?: LastSigned;
  readonly log?: (level: "warn", message: string) => void;
  /** The home, where nobody chose this engine for it: a chain of several validators that its key cannot decide is not begun. */
  readonly engineAssumedIn?: string | undefined;
  /** Records that become visible with the first block of a chain. */
  readonly alongsideFirst?: (batch: Batch) => void;
}

export interface MadeBlock {
  readonly stored: StoredBlock;
  readonly result: BlockResult;
  readonly txs: readonly Uint8Array[];
  readonly txHashes: readonly Uint8Array[];
  /** App hash before the block. */
  readonly appHashBefore: Uint8Array;
  /** From the decision to the durable commit. */
  readonly milliseconds: number;
}

/**
 * A node with one validator in this process: a mempool, and blocks that it makes, signs and stores. `openNode` opens one on a
 * home.
 *
 * @example
 * const chain = defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] });
 * const { node, close } = openNode({ chain, home: "home", clock: logicalClock(1_000_000_000n), log: () => undefined });
 * const { stored, txs } = node.makeBlock();
 * console.log(node instanceof EmbeddedNode, stored.header.height, txs.length); // → true 1n 0
 * close();
 */
export class EmbeddedNode {
  readonly app: App;
  readonly blocks: BlockStore;
  readonly mempool: Mempool;
  readonly index: TxIndex;
  /** The sets that decide blocks. */
  readonly validators: ValidatorStore;
  readonly #maker: BlockMaker;
  readonly #pruner: BlockPruner;
  readonly #listeners = new Set<(made: MadeBlock) => void>();
  #last: StoredBlock | undefined;
  readonly #port: BlockPort;
  /** What the next block says of the last one. */
  #lastCommit: LastCommit = NO_BLOCK_INFO.lastCommit;
  /** Of the next block; undefined before the first one is begun. */
  #sets: DecidingSets | undefined;

  constructor(private readonly options: EmbeddedNodeOptions) {
    this.app = options.app;
    const { chainId, genesisTime: time, initialHeight } = options.facts;
    const first = options.alongsideFirst ? { alongsideFirst: options.alongsideFirst } : {};
    this.#port = new AppPort({ app: options.app, genesis: { chainId, time, initialHeight }, ...first });
    this.blocks = new BlockStore(options.database);
    this.#maker = new BlockMaker(options.sha256, options.facts, options.key, options.lastSigned);
    this.#last = this.blocks.latest();
    this.mempool = new Mempool({
      sha256: options.sha256,
      check: (tx, kind, hash) => this.app.checkTx(tx, kind, hash),
      room: () => this.#room,
      limits: options.mempool,
    });
    const { database, sha256 } = options;
    const { minRetainBlocks, ...indexed } = { ...BLOCK_SETTINGS, ...options.blocks };
    this.index = new TxIndex(database, sha256, indexed);
    if (this.#last) this.index.history.at(this.#last.header.height);
    this.validators = new ValidatorStore(database);
    const { blocks, index, validators } = this;
    this.#pruner = new BlockPruner({ database, blocks, index, validators }, minRetainBlocks);
    if (this.#last) this.#resume(this.#last);
  }

  get facts(): ChainFacts {
    return this.options.facts;
  }

  /** For the next block. */
  get consensusParams(): ConsensusParams {
    return this.app.consensusParams;
  }

  /** SHA-256 of a transaction: its name. */
  hash(tx: Uint8Array): Uint8Array {
    return this.options.sha256(tx);
  }

  /** The key that signs blocks. */
  get key(): ConsensusKey {
    return this.options.key;
  }

  /** Calls back after each block, until the function it returns is called. */
  subscribe(listener: (made: MadeBlock) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get lastBlock(): StoredBlock | undefined {
    return this.#last;
  }

  get nextHeight(): Height {
    return this.app.nextHeight;
  }

  /** A transaction of a client. @throws UpgradeError UPG_TX_* when the mempool does not take it, whatever it says */
  submit(tx: Uint8Array): TxResult {
    return this.mempool.add(tx);
  }

  /** Milliseconds until a deposit or a vote ends; undefined: none does by the clock. */
  get millisToNextEnd(): number | undefined {
    const end = this.app.nextEndTime;
    return end && this.options.clock.millisUntil(end);
  }

  /**
   * Makes the next block of what waits in the mempool; an upgrade block takes nothing from it.
   * @throws Halt; UpgradeError: nothing of the block was kept
   */
  makeBlock(changes: readonly DirectChange[] = []): MadeBlock {
    const { app } = this;
    const { sha256, clock } = this.options;
    const height = app.nextHeight;
    const pending = this.options.lastSigned?.pending(height);
    const sets = this.#sets ?? this.#begin();
    const params = app.consensusParams;
    // What was signed before is decided: it is not proposed again.
    const waiting = pending?.txs ?? this.#propose(height, this.#room);
    const made = this.#maker.make(height, this.#last, { txs: waiting, sets, params });
    const { header, txs } = made.block;
    const begun = performance.now();
    const { proposerAddress: proposer, time } = header;
    const result = this.#port.finalizeBlock({ height, time, txs, changes, proposer, lastCommit: this.#lastCommit });
    const following = afterBlock(sha256, this.key.publicKey, sets, result.validatorUpdates);
    const stored: StoredBlock = {
      header,
      blockId: made.id,
      size: made.bytes.length,
      txCount: txs.length,
      appHash: result.appHash,
      lastResultsHash: resultsHash(sha256, result.txResults),
      commit: this.#maker.commit(made, sets.current.set, pending?.timestamp ?? clock.after(header.time)),
    };
    const txHashes = txs.map((tx) => sha256(tx));
    const alongside = new RecordChanges();
    this.blocks.put(alongside, stored, made.bytes, result);
    this.index.put(alongside, height, txHashes, result);
    this.#pruner.prune(alongside, height, txs.length);
    putSets(this.validators, alongside, height, sets);
    this.#port.commit(alongside.list);
    this.#last = stored;
    this.#lastCommit = lastCommitOf(stored, sets.current.set);
    this.#take(following);
    const milliseconds = performance.now() - begun;
    this.mempool.update(txs);
    const committed: MadeBlock = { stored, result, txs, txHashes, appHashBefore: header.appHash, milliseconds };
    for (const listener of [...this.#listeners]) listener(committed);
    return committed;
  }

  /** @throws UpgradeError UPG_INVALID_CONFIG: this node has another key than the one that decides the next block */
  #resume(last: StoredBlock): void {
    const { app, validators: store } = this;
    const { sha256, key } = this.options;
    this.#take(setsAfter(sha256, key.publicKey, last, { store, given: app.validators }));
    this.#lastCommit = lastCommitOf(last, store.at(last.header.height) ?? soleValidator(sha256, key.publicKey));
  }

  #begin(): DecidingSets {
    const { chainId, genesisTime: time, initialHeight } = this.facts;
    const { validators } = this.#port.initChain({ chainId, time, initialHeight, validators: [] });
    const { engineAssumedIn: home } = this.options;
    if (home !== undefined) requireDecides(validators, this.key.publicKey, home);
    const sets = firstSets(this.options.sha256, this.key.publicKey, validators);
    this.#take(sets);
    return sets;
  }

  /** Room for transactions in the next block. */
  get #room(): BlockRoom {
    return blockRoom(this.app.consensusParams, this.#sets?.current.set.validators.length);
  }

  /** The transactions that wait, as far as they fit and the application takes them. */
  #propose(height: Height, room: BlockRoom): readonly Uint8Array[] {
    const { app, mempool } = this;
    const { sha256 } = this.options;
    const prepare = (taken: readonly Uint8Array[]) => this.#port.prepareProposal({ height, txs: taken }, room.bytes);
    // An upgrade block takes no transactions: they wait for the block after it.
    const txs = app.isUpgradeBlockNext ? [] : fillProposal({ mempool, room, sha256, prepare });
    assert(this.#port.processProposal({ height, txs }), `the application refuses its own proposal of block ${height}`);
    return txs;
  }

  #take(sets: DecidingSets): void {
    const before = this.#sets;
    this.#sets = sets;
    const line = aloneLine(this.key.publicKey, before?.given, sets.given);
    if (line === undefined) return;
    const { engineAssumedIn: home, log } = this.options;
    const isBegun = this.#last !== undefined || home === undefined;
    log?.("warn", isBegun ? line : `${line}. ${joinHint(home)}`);
  }
}
