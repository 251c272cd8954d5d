/**
 * What CometBFT has learned of the application, by the requests and responses that crossed the relay, and what a new worker
 * must be given so that CometBFT may go on without a handshake. CometBFT does its handshake when it starts, and never again: a
 * worker that is not where CometBFT takes the application to be is refused.
 */
import { equalBytes, toUpperHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import { Halt } from "../../upgrade/module/halt.js";
import { appHashOf, heightOfBlock, type LastBlock, lastBlockOfInfo, REQUEST } from "./abci-message.js";

/** A request that an earlier worker has responded to, and what its response must lead to when it is given again. */
export interface Replay {
  /** REQUEST.initChain or REQUEST.finalizeBlock. */
  readonly number: number;
  readonly message: Uint8Array;
  readonly appHash: Uint8Array;
}

export interface Resumption {
  /** Given to the worker before anything else, in order; their responses are not CometBFT's. */
  readonly replays: readonly Replay[];
  /** The Commit that has no response was done: the relay responds to it. */
  readonly isCommitted: boolean;
}

interface Run {
  readonly message: Uint8Array;
  /** Undefined: CometBFT has no response yet. */
  appHash: Uint8Array | undefined;
}

export class CometState {
  #lastBlock: LastBlock | undefined;
  /** A block came: what Info says later is of queries. */
  #hasBlocks = false;
  /** InitChain, until its chain has a block. */
  #begun: Run | undefined;
  /** FinalizeBlock, until it is committed. */
  #run: (Run & { readonly height: Height }) | undefined;
  #isRestoring = false;
  #whenIdle: (() => void)[] = [];

  /** Of the last block that CometBFT knows to be committed; undefined: it has not asked yet. */
  get lastBlock(): LastBlock | undefined {
    return this.#lastBlock;
  }

  /** Is a block between its FinalizeBlock and the response to its Commit? */
  get heightUnderWay(): Height | undefined {
    return this.#run?.height;
  }

  /** Is the state that of a snapshot, and no block came since? */
  get isRestoring(): boolean {
    return this.#isRestoring;
  }

  /** Settles when no block is under way. */
  untilIdle(): Promise<void> {
    if (!this.#run) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** CometBFT asks. */
  request(number: number, message: Uint8Array): void {
    if (number === REQUEST.initChain) this.#begun = { message, appHash: undefined };
    if (number === REQUEST.offerSnapshot) this.#isRestoring = true;
    if (number !== REQUEST.finalizeBlock) return;
    this.#run = { message, height: heightOfBlock(message), appHash: undefined };
    this.#hasBlocks = true;
    this.#isRestoring = false;
  }

  /** CometBFT has the response. @param number of the request */
  response(number: number, message: Uint8Array): void {
    if (number === REQUEST.info && !this.#hasBlocks) this.#lastBlock = lastBlockOfInfo(message);
    if (number === REQUEST.initChain && this.#begun) this.#begun.appHash = appHashOf(message);
    if (number === REQUEST.finalizeBlock && this.#run) this.#run.appHash = appHashOf(message);
    if (number === REQUEST.commit) this.#committed();
  }

  #committed(): void {
    const run = this.#run;
    if (run?.appHash) this.#lastBlock = { height: run.height, appHash: run.appHash };
    this.#run = undefined;
    this.#begun = undefined;
    for (const settle of this.#whenIdle.splice(0)) settle();
  }

  /**
   * What is to be done before a worker at `found` serves CometBFT.
   * @param isCommitGiven an earlier worker was given the Commit that has no response
   * @throws Halt UPG_HALT_WORKER: CometBFT must do its handshake again
   */
  resume(found: LastBlock, isCommitGiven: boolean): Resumption {
    const lastBlock = this.#lastBlock;
    if (this.#isRestoring) throw this.#refused("a snapshot was being restored, and what was restored of it is gone");
    // CometBFT will ask where it is, or asks now.
    if (!lastBlock) return { replays: [], isCommitted: false };
    const run = this.#run;
    if (isSame(found, lastBlock)) return { replays: this.#replays(), isCommitted: false };
    if (isCommitGiven && run?.appHash && isSame(found, { height: run.height, appHash: run.appHash })) {
      return { replays: [], isCommitted: true };
    }
    throw this.#refused(`the new worker is ${lastBlockText(found)}, where CometBFT knows ${lastBlockText(lastBlock)}`);
  }

  #replays(): Replay[] {
    const done = ({ message, appHash }: Run, number: number) => (appHash ? [{ number, message, appHash }] : []);
    return [
      ...(this.#begun ? done(this.#begun, REQUEST.initChain) : []),
      ...(this.#run ? done(this.#run, REQUEST.finalizeBlock) : []),
    ];
  }

  /** @throws Halt UPG_HALT_WORKER: the response to what was given again is another one */
  checkReplay({ number, appHash }: Replay, response: Uint8Array): void {
    const found = appHashOf(response);
    if (equalBytes(found, appHash)) return;
    const what = number === REQUEST.initChain ? "InitChain" : `block ${this.#run?.height}`;
    const hashes = `${hex(found)}, where CometBFT knows ${hex(appHash)}`;
    throw this.#refused(`${what}, run again, gave the app hash ${hashes}`);
  }

  #refused(what: string): Halt {
    const height = this.#run?.height ?? (this.#lastBlock?.height ?? 0n) + 1n;
    return new Halt("UPG_HALT_WORKER", what, height);
  }
}

const isSame = (one: LastBlock, other: LastBlock) =>
  one.height === other.height && equalBytes(one.appHash, other.appHash);

const hex = (bytes: Uint8Array) => toUpperHex(bytes) || "none";
const lastBlockText = ({ height, appHash }: LastBlock) => `at height ${height} with app hash ${hex(appHash)}`;
