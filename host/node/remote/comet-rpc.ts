/**
 * What a node asks CometBFT's RPC about the chain that CometBFT decides. Every response is read strictly: hashes of blocks and
 * transactions are computed again, validators and places of transactions are those of their header, a header names the state
 * that this node has, and an engine of another chain is refused. Of an RPC on another machine results are checked too.
 * (Specification 6.9.)
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { equalBytes, toBase64, toHex } from "../../base/text/bytes.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import type { NodeHead, NodeTx, NodeTxResult, NodeWaiting } from "../../chain/app/query/node-port.js";
import { type Block, validateBlock } from "../../chain/comet-types/block.js";
import type { BlockId } from "../../chain/comet-types/block-id.js";
import { headerHash } from "../../chain/comet-types/header.js";
import type { TxOutcome } from "../../chain/comet-types/results.js";
import type { Validator } from "../../chain/comet-types/validator.js";
import type { EventCondition } from "../../chain/events/event-query.js";
import { JsonReader } from "../../chain/values/json-reader.js";
import { blockIdOf, blockOf, commitOf, headerOf, validatorOf } from "./blocks.js";
import { hasOutcome, type ProvenTx, placeProblem, resultsProblem, validatorsProblem } from "./checks.js";
import { isOfThisMachine, RpcClient } from "./client.js";
import { Gate } from "./gate.js";
import { Kept } from "./height-cache.js";
import { named } from "./refusals.js";
import { type CometStatus, countOf, readStatus } from "./status.js";
import { checkOf, outcomesOf, provenTxOf, queryText, txOf } from "./txs.js";

/** A whole response of CometBFT; its own bound on what it takes to commit a transaction is 10 s. */
const ANSWER_MILLIS = 5_000;
const CALLS_MAX = 16;
const CALLS_WAITING_MAX = 64;
const PER_PAGE_MAX = 100;
/** More than CometBFT lets a chain have. */
const VALIDATORS_MAX = 10_000;

/** Headers that are kept: results of searches show the time of each block. */
const HEADS_KEPT = 1_024;
const RESULTS_KEPT = 8;

type CallParams = Readonly<Record<string, string | boolean>>;

export interface CometRpcOptions {
  readonly answerMillis?: number;
  /** Is it on a machine that is not this node's? Then results are checked too. Default: what the address says. */
  readonly isElsewhere?: boolean;
  /** App hash of this node's state after a block; undefined: it is not kept. */
  readonly appHashAfter?: (height: Height) => Uint8Array | undefined;
}

export interface SearchWindow {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  readonly isDescending: boolean;
}

export interface FoundTxs {
  readonly hits: readonly NodeTx[];
  readonly total: number;
}

export class CometRpc {
  readonly #client: RpcClient;
  readonly #gate = new Gate(CALLS_MAX, CALLS_WAITING_MAX);
  /** CometBFT has named its chain, it is this one, and it could be reached since. */
  #isOurs = false;
  /** Blocks never change. */
  readonly #heads = new Kept<NodeHead>(HEADS_KEPT);
  readonly #outcomes = new Kept<readonly TxOutcome[]>(RESULTS_KEPT);
  readonly #isElsewhere: boolean;

  /** @throws UpgradeError UPG_INVALID_ARGUMENT where it is no address */
  constructor(
    readonly address: string,
    private readonly chainId: string,
    private readonly sha256: Sha256,
    private readonly options: CometRpcOptions = {},
  ) {
    const { answerMillis = ANSWER_MILLIS, isElsewhere = !isOfThisMachine(address) } = options;
    this.#client = new RpcClient(address, answerMillis, "is CometBFT running? --comet.rpc names another address");
    this.#isElsewhere = isElsewhere;
  }

  /** @throws UpgradeError UPG_REMOTE_* */
  async status(): Promise<CometStatus> {
    const status = await this.#call("status", {}, readStatus);
    this.#requireOurs(status.chainId);
    this.#isOurs = true;
    return status;
  }

  /** The result of a call as CometBFT gave it, unread: for those who check it themselves. @throws UpgradeError UPG_REMOTE_*, UPG_NOT_FOUND_* */
  result(method: string, params: CallParams): Promise<unknown> {
    return this.#ours(method, params, ({ value }) => value);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK, UPG_REMOTE_* */
  async head(height: Height): Promise<NodeHead> {
    const kept = this.#heads.get(height);
    if (kept) return kept;
    const head = await this.#callAt("commit", height, (json) => {
      const signed = json.get("signed_header");
      if (!signed.get("header").isSet) return undefined;
      return { header: headerOf(signed.get("header")), blockId: commitOf(signed.get("commit")).blockId };
    });
    return this.#heads.keep(height, this.#checked(height, head));
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK, UPG_REMOTE_* */
  async block(height: Height): Promise<{ readonly block: Block; readonly blockId: BlockId }> {
    const found = await this.#callAt("block", height, (json) => {
      if (!json.get("block").isSet) return undefined;
      const block = blockOf(this.sha256, json.get("block"));
      validateBlock(this.sha256, block);
      return { block, header: block.header, blockId: blockIdOf(json.get("block_id")) };
    });
    const { block, blockId } = this.#checked(height, found);
    this.#heads.keep(height, { header: block.header, blockId });
    return { block, blockId };
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK, UPG_REMOTE_* */
  async validators(height: Height): Promise<Validator[]> {
    const all: Validator[] = [];
    const named = await this.#validatorsHash(height);
    for (let page = 1; ; page++) {
      const params = { height: String(height), page: String(page), per_page: String(PER_PAGE_MAX) };
      const { list, total } = await this.#ours("validators", params, (json) => ({
        list: json
          .get("validators")
          .items()
          .map((each) => validatorOf(this.sha256, each)),
        total: countOf(json.get("total"), VALIDATORS_MAX),
      }));
      all.push(...list);
      if (all.length >= total) break;
      if (list.length === 0) throw this.#wrong("validators", `${all.length} of ${total} validators`);
    }
    this.#require("validators", () => validatorsProblem(this.sha256, named, all));
    return all;
  }

  /** In the header of the height, or announced by the one before. */
  async #validatorsHash(height: Height): Promise<Uint8Array> {
    const own = await this.#headOrNone(height);
    return own ? own.header.validatorsHash : (await this.head(height - 1n)).header.nextValidatorsHash;
  }

  /** Undefined: there is no such block, or none yet. */
  async #headOrNone(height: Height): Promise<NodeHead | undefined> {
    try {
      return await this.head(height);
    } catch (error) {
      const { code } = isUpgradeError(error) ? error : {};
      if (code === "UPG_NOT_FOUND_BLOCK" || code === "UPG_INVALID_HEIGHT") return undefined;
      throw error;
    }
  }

  /**
   * Undefined: no block holds it; where results are checked, also when the next header, which names its result, is not known yet.
   * @throws UpgradeError UPG_NOT_FOUND_METHOD where nothing is indexed; UPG_REMOTE_*
   */
  async tx(hash: Uint8Array): Promise<NodeTx | undefined> {
    try {
      const found = await this.#ours("tx", { hash: toBase64(hash), prove: true }, (json) =>
        provenTxOf(this.sha256, json),
      );
      if (equalBytes(found.tx.hash, hash)) return await this.#requireTx("tx", found);
    } catch (error) {
      if (isUpgradeError(error) && error.code === "UPG_NOT_FOUND_TX") return undefined;
      throw error;
    }
    throw this.#wrong("tx", "the transaction is another one");
  }

  /** A page beyond the last has no hits. @throws UpgradeError as `tx`; UPG_INVALID_ARGUMENT */
  async searchTxs(conditions: readonly EventCondition[], window: SearchWindow): Promise<FoundTxs> {
    const { page, perPage, isDescending } = window;
    const params = (shown: number, of: number) => ({
      query: queryText(conditions),
      // Each makes CometBFT read a whole block.
      prove: this.#isElsewhere,
      page: String(Math.min(shown, Number.MAX_SAFE_INTEGER)),
      per_page: String(of),
      order_by: isDescending ? "desc" : "asc",
    });
    const read = (json: JsonReader) => ({
      hits: json
        .get("txs")
        .items()
        .map((each) => (this.#isElsewhere ? provenTxOf(this.sha256, each) : { tx: txOf(this.sha256, each) })),
      total: countOf(json.get("total_count")),
    });
    try {
      const { hits, total } = await this.#ours("tx_search", params(page, perPage), read);
      const checked: NodeTx[] = [];
      for (const hit of hits) {
        const tx = "proof" in hit ? await this.#requireTx("tx_search", hit) : hit.tx;
        if (tx) checked.push(tx);
      }
      return { hits: checked, total };
    } catch (error) {
      if (!isUpgradeError(error) || !/page should be within/.test(error.message)) throw error;
      return { hits: [], total: (await this.#ours("tx_search", params(1, 1), read)).total };
    }
  }

  /** What the check said. @throws UpgradeError UPG_TX_* when the mempool does not take it, whatever it says; UPG_REMOTE_* */
  broadcast(tx: Uint8Array): Promise<NodeTxResult> {
    return this.#ours("broadcast_tx_sync", { tx: toBase64(tx) }, checkOf);
  }

  waiting(): Promise<NodeWaiting> {
    return this.#ours("num_unconfirmed_txs", {}, (json) => ({
      count: countOf(json.get("total")),
      bytes: countOf(json.get("total_bytes")),
    }));
  }

  /** Undefined: what the header after it says of its result is not known yet. @throws UpgradeError UPG_REMOTE_REFUSED */
  async #requireTx(method: string, found: ProvenTx): Promise<NodeTx | undefined> {
    const { tx } = found;
    const { header } = await this.head(tx.height);
    this.#require(method, () => placeProblem(this.sha256, header, found));
    if (!this.#isElsewhere) return tx;
    const outcomes = await this.#outcomesOf(tx.height);
    if (outcomes && !hasOutcome(tx, outcomes)) throw this.#wrong(method, "its result is not the one of its block");
    return outcomes && tx;
  }

  async #outcomesOf(height: Height): Promise<readonly TxOutcome[] | undefined> {
    const kept = this.#outcomes.get(height);
    if (kept) return kept;
    const next = await this.#headOrNone(height + 1n);
    if (!next) return undefined;
    const outcomes = await this.#ours("block_results", { height: String(height) }, outcomesOf);
    this.#require("block_results", () => resultsProblem(this.sha256, next.header, outcomes));
    return this.#outcomes.keep(height, outcomes);
  }

  #require(method: string, problem: () => string | undefined): void {
    let what: string | undefined;
    try {
      what = problem();
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      what = error.message;
    }
    if (what !== undefined) throw this.#wrong(method, what);
  }

  async #callAt<T>(method: string, height: Height, read: (json: JsonReader) => T | undefined): Promise<T> {
    const found = await this.#ours(method, { height: String(height) }, (json) => (json.isSet ? read(json) : undefined));
    if (found) return found;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", `CometBFT has no block ${height}`);
  }

  /** The name must be the header's hash, and the header of this chain and height. */
  #checked<T extends NodeHead>(height: Height, head: T): T {
    this.#requireOurs(head.header.chainId);
    const isNamed = equalBytes(head.blockId.hash, headerHash(this.sha256, head.header));
    if (!isNamed || head.header.height !== height) {
      throw this.#wrong("block", `its block ${height} has another height, or another hash than it says`);
    }
    const own = this.options.appHashAfter?.(height - 1n);
    if (!own || equalBytes(own, head.header.appHash)) return head;
    const what = `its block ${height} names the app hash ${toHex(head.header.appHash)}, and this node has ${toHex(own)}`;
    throw this.#wrong("block", what);
  }

  #requireOurs(chainId: string): void {
    if (chainId === this.chainId) return;
    throw this.#wrong("status", `it is of the chain "${chainId.slice(0, 60)}", and this node is of "${this.chainId}"`);
  }

  async #ours<T>(method: string, params: CallParams, read: (json: JsonReader) => T): Promise<T> {
    if (!this.#isOurs) await this.status();
    return this.#call(method, params, read);
  }

  async #call<T>(method: string, params: CallParams, read: (json: JsonReader) => T): Promise<T> {
    const result = await this.#gate
      .run(() => this.#client.call(method, params))
      .catch((error: unknown) => {
        if (isUpgradeError(error) && error.code === "UPG_REMOTE_UNAVAILABLE") this.#isOurs = false;
        throw named(error);
      });
    try {
      return read(new JsonReader(result, "result"));
    } catch (error) {
      if (isUpgradeError(error)) throw this.#wrong(method, error.message);
      throw error;
    }
  }

  #wrong(method: string, what: string): UpgradeError {
    return new UpgradeError("UPG_REMOTE_REFUSED", `CometBFT at ${this.address}, ${method}: ${what}`);
  }
}
