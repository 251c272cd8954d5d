/**
 * What a node asks CometBFT's RPC about the chain that CometBFT decides. Every response is read strictly: hashes of blocks and
 * transactions are computed again, and an engine of another chain is refused.
 */
import { equalBytes, toBase64 } from "../bytes.js";
import type { NodeHead, NodeInfo, NodeTx, NodeTxResult, NodeWaiting } from "../chain/query/node-port.js";
import { type Block, validateBlock } from "../comet/block.js";
import type { BlockId } from "../comet/block-id.js";
import { headerHash } from "../comet/header.js";
import type { Validator } from "../comet/validator.js";
import { isUpgradeError, UpgradeError } from "../errors.js";
import type { EventCondition } from "../event-query.js";
import type { Height, Sha256 } from "../types.js";
import { JsonReader } from "../values/json-reader.js";
import { blockIdOf, blockOf, commitOf, headerOf, hexOf, validatorOf } from "./blocks.js";
import { RpcClient } from "./client.js";
import { Gate } from "./gate.js";
import { checkOf, queryText, txOf } from "./txs.js";

/** A whole response of CometBFT; its own bound on what it takes to commit a transaction is 10 s. */
const ANSWER_MILLIS = 5_000;
const CALLS_MAX = 16;
const CALLS_WAITING_MAX = 64;
const PER_PAGE_MAX = 100;
/** More than CometBFT lets a chain have. */
const VALIDATORS_MAX = 10_000;

export interface CometStatus extends NodeInfo {
  readonly earliestHeight: Height;
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

  /** @throws UpgradeError UPG_INVALID_ARGUMENT where it is no address */
  constructor(
    readonly address: string,
    private readonly chainId: string,
    private readonly sha256: Sha256,
    answerMillis = ANSWER_MILLIS,
  ) {
    this.#client = new RpcClient(address, answerMillis, "is CometBFT running? --comet.rpc names another address");
  }

  /** @throws UpgradeError UPG_REMOTE_* */
  async status(): Promise<CometStatus> {
    const status = await this.#call("status", {}, readStatus);
    this.#requireOurs(status.chainId);
    this.#isOurs = true;
    return status;
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK, UPG_REMOTE_* */
  async head(height: Height): Promise<NodeHead> {
    const head = await this.#callAt("commit", height, (json) => {
      const signed = json.get("signed_header");
      if (!signed.get("header").isSet) return undefined;
      return { header: headerOf(signed.get("header")), blockId: commitOf(signed.get("commit")).blockId };
    });
    return this.#checked(height, head);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK, UPG_REMOTE_* */
  async block(height: Height): Promise<{ readonly block: Block; readonly blockId: BlockId }> {
    const found = await this.#callAt("block", height, (json) => {
      if (!json.get("block").isSet) return undefined;
      const block = blockOf(this.sha256, json.get("block"));
      validateBlock(this.sha256, block);
      return { block, header: block.header, blockId: blockIdOf(json.get("block_id")) };
    });
    return this.#checked(height, found);
  }

  /** @throws UpgradeError UPG_NOT_FOUND_BLOCK, UPG_REMOTE_* */
  async validators(height: Height): Promise<Validator[]> {
    const all: Validator[] = [];
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
      if (all.length >= total) return all;
      if (list.length === 0) throw this.#wrong("validators", `${all.length} of ${total} validators`);
    }
  }

  /** Undefined: no block holds it. @throws UpgradeError UPG_NOT_FOUND_METHOD where nothing is indexed; UPG_REMOTE_* */
  async tx(hash: Uint8Array): Promise<NodeTx | undefined> {
    try {
      const found = await this.#ours("tx", { hash: toBase64(hash) }, (json) => txOf(this.sha256, json));
      if (equalBytes(found.hash, hash)) return found;
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
      page: String(Math.min(shown, Number.MAX_SAFE_INTEGER)),
      per_page: String(of),
      order_by: isDescending ? "desc" : "asc",
    });
    const read = (json: JsonReader) => ({
      hits: json
        .get("txs")
        .items()
        .map((each) => txOf(this.sha256, each)),
      total: countOf(json.get("total_count")),
    });
    try {
      return await this.#ours("tx_search", params(page, perPage), read);
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

  async #callAt<T>(method: string, height: Height, read: (json: JsonReader) => T | undefined): Promise<T> {
    const found = await this.#ours(method, { height: String(height) }, (json) => (json.isSet ? read(json) : undefined));
    if (found) return found;
    throw new UpgradeError("UPG_NOT_FOUND_BLOCK", `CometBFT has no block ${height}`);
  }

  /** The name must be the header's hash, and the header of this chain and height. */
  #checked<T extends NodeHead>(height: Height, head: T): T {
    this.#requireOurs(head.header.chainId);
    const isNamed = equalBytes(head.blockId.hash, headerHash(this.sha256, head.header));
    if (isNamed && head.header.height === height) return head;
    throw this.#wrong("block", `its block ${height} has another height, or another hash than it says`);
  }

  #requireOurs(chainId: string): void {
    if (chainId === this.chainId) return;
    throw this.#wrong("status", `it is of the chain "${chainId.slice(0, 60)}", and this node is of "${this.chainId}"`);
  }

  async #ours<T>(method: string, params: Readonly<Record<string, string>>, read: (json: JsonReader) => T): Promise<T> {
    if (!this.#isOurs) await this.status();
    return this.#call(method, params, read);
  }

  async #call<T>(method: string, params: Readonly<Record<string, string>>, read: (json: JsonReader) => T): Promise<T> {
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

function readStatus(json: JsonReader): CometStatus {
  const [info, sync] = [json.get("node_info"), json.get("sync_info")];
  const [protocol, other] = [info.get("protocol_version"), info.get("other")];
  return {
    protocol: {
      p2p: protocol.get("p2p").uint64(),
      block: protocol.get("block").uint64(),
      app: protocol.get("app").uint64(),
    },
    nodeId: info.get("id").text(),
    listenAddress: info.get("listen_addr").text(),
    chainId: info.get("network").text(),
    version: info.get("version").text(),
    channels: hexOf(info.get("channels")),
    moniker: info.get("moniker").text(),
    txIndex: other.get("tx_index").text(),
    rpcAddress: other.get("rpc_address").text(),
    isSyncing: sync.get("catching_up").boolean(),
    earliestHeight: sync.get("earliest_block_height").int64(),
  };
}

function countOf(json: JsonReader, max = Number.MAX_SAFE_INTEGER): number {
  const value = json.int64();
  if (value < 0n || value > BigInt(max)) throw json.wrong(`must be 0 to ${max}`);
  return Number(value);
}

const isRefusal = (error: unknown, pattern: RegExp): boolean =>
  isUpgradeError(error) && error.code === "UPG_REMOTE_REFUSED" && pattern.test(error.message);

/** What CometBFT 0.38 says, as our codes. */
const NAMED = [
  [/\btx \([0-9A-Fa-f]*\) not found/, "UPG_NOT_FOUND_TX"],
  [/tx already exists in cache/, "UPG_TX_IN_MEMPOOL"],
  [/mempool is full/, "UPG_TX_MEMPOOL_FULL"],
  [/Tx too large/, "UPG_TX_TOO_LARGE"],
  [
    /is not available, lowest height is|must be less than or equal to|could not find validator set/,
    "UPG_NOT_FOUND_BLOCK",
  ],
  [/indexing is disabled/, "UPG_NOT_FOUND_METHOD"],
  [/failed to parse query|error parsing query/, "UPG_INVALID_ARGUMENT"],
] as const;

function named(error: unknown): unknown {
  const [, code] = NAMED.find(([pattern]) => isRefusal(error, pattern)) ?? [];
  return code && isUpgradeError(error) ? new UpgradeError(code, error.message, { cause: error }) : error;
}
