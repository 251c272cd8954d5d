/** Transactions: simulated, taken, found again: `cosmos.tx.v1beta1.Service`. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { TxMsgDataSchema, type TxResponse, TxResponseSchema } from "../../base/gen/cosmos/base/abci/v1beta1/abci_pb.js";
import { BroadcastMode, OrderBy, Service } from "../../base/gen/cosmos/tx/v1beta1/service_pb.js";
import { type Tx, TxSchema } from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { fromHex, toUpperHex } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import type { NodeCall } from "../../chain/app/query/call.js";
import type { NodePort, NodeTx, NodeTxResult } from "../../chain/app/query/node-port.js";
import { implementOfNode, type QueryService } from "../../chain/app/query/service.js";
import { isRefusedForUpgrade } from "../../chain/app/tx/result.js";
import { parseEventQuery } from "../../chain/events/event-query-text.js";
import { packAny } from "../../chain/values/any.js";
import { paginateList } from "../../chain/values/paginate.js";
import { blockIdMessage, blockMessages } from "./blocks.js";
import { eventMessages } from "./events.js";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 100;
/** The Cosmos SDK's codes for what the mempool says. */
const MEMPOOL_CODES: Readonly<Record<string, number>> = {
  UPG_TX_IN_MEMPOOL: 19,
  UPG_TX_MEMPOOL_FULL: 20,
  UPG_TX_TOO_LARGE: 21,
};

function decodeTx(bytes: Uint8Array): Tx {
  try {
    return fromBinary(TxSchema, bytes);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", "the bytes are no transaction: tx parse error", { cause });
  }
}

function resultFields(result: NodeTxResult) {
  const { code, codespace, data, log, gasWanted, gasUsed, events } = result;
  return { code, codespace, data: toUpperHex(data), rawLog: log, gasWanted, gasUsed, events: eventMessages(events) };
}

async function txResponse(node: NodePort, { hash, height, bytes, result }: NodeTx): Promise<TxResponse> {
  const { header } = await node.at(height);
  return create(TxResponseSchema, {
    height,
    txhash: toUpperHex(hash),
    ...resultFields(result),
    tx: packAny(TxSchema, decodeTx(bytes)),
    timestamp: formatTime(header.time),
  });
}

async function broadcast(bytes: Uint8Array, mode: BroadcastMode, { node, sha256 }: NodeCall) {
  const txhash = toUpperHex(sha256(bytes));
  try {
    const result = await node.broadcast(bytes);
    return { txResponse: { txhash, ...(mode === BroadcastMode.ASYNC ? {} : resultFields(result)) } };
  } catch (error) {
    const code = isUpgradeError(error) ? MEMPOOL_CODES[error.code] : undefined;
    if (code === undefined) throw error;
    return { txResponse: { txhash, code, codespace: "sdk" } };
  }
}

async function search(call: NodeCall, query: string, page: bigint, limit: bigint, order: OrderBy) {
  const size = limit === 0n ? PAGE_DEFAULT : Number(limit > BigInt(PAGE_MAX) ? BigInt(PAGE_MAX) : limit);
  const first = (Number(page > 0n ? page : 1n) - 1) * size;
  const isDescending = order === OrderBy.DESC;
  const window = { isDescending, first, size, ...(call.signal ? { signal: call.signal } : {}) };
  const { hits, total, isTotalExact } = await call.node.searchTxs(parseEventQuery(query), window);
  if (!isTotalExact) call.onCut?.(cutText(total));
  const txResponses: TxResponse[] = [];
  for (const tx of hits) txResponses.push(await txResponse(call.node, tx));
  return {
    txs: hits.map(({ bytes }) => decodeTx(bytes)),
    txResponses,
    total: BigInt(total),
  };
}

/** What a client gets when not all hits were counted. */
export function cutText(total: number): string {
  return `the total ${total} is a lower bound: counting was stopped, and pages go on; bounds of heights make it exact`;
}

export const txService: QueryService = implementOfNode(Service, {
  async simulate({ tx, txBytes }, { app, node }) {
    const bytes = txBytes.length > 0 ? txBytes : tx ? toBinary(TxSchema, tx) : undefined;
    if (!bytes) throw new UpgradeError("UPG_INVALID_ARGUMENT", "empty txBytes is not allowed");
    const result = await node.afterRechecks(() => app.simulate(bytes));
    if (isRefusedForUpgrade(result)) {
      throw new UpgradeError("UPG_BLOCK_IS_UPGRADE", result.log);
    }
    if (result.code !== 0) {
      const details = { tx_codespace: result.codespace, tx_code: String(result.code) };
      throw new UpgradeError("UPG_TX_FAILED", `${result.log} with gas used: '${result.gasUsed}'`, { details });
    }
    const { msgResponses } = fromBinary(TxMsgDataSchema, result.data);
    const { data, log, events } = result;
    return {
      gasInfo: { gasWanted: result.gasWanted, gasUsed: result.gasUsed },
      result: { data, log, events: eventMessages(events), msgResponses },
    };
  },

  txEncode({ tx }) {
    if (!tx) throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid empty tx");
    return { txBytes: toBinary(TxSchema, tx) };
  },

  txDecode({ txBytes }) {
    if (txBytes.length === 0) throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid empty tx bytes");
    return { tx: decodeTx(txBytes) };
  },

  async getTx({ hash }, { node }) {
    if (hash === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", "tx hash cannot be empty");
    if (!/^(0x)?[0-9a-fA-F]{64}$/.test(hash)) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", "a tx hash has 64 hex digits");
    }
    const found = await node.tx(fromHex(hash.replace(/^0x/, "")));
    if (!found) throw new UpgradeError("UPG_NOT_FOUND_TX", `tx not found: ${hash}`);
    return { tx: decodeTx(found.bytes), txResponse: await txResponse(node, found) };
  },

  broadcastTx({ txBytes, mode }, call) {
    if (txBytes.length === 0) throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid empty tx");
    if (mode !== BroadcastMode.SYNC && mode !== BroadcastMode.ASYNC) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", "unsupported broadcast mode; supported types: sync, async");
    }
    return broadcast(txBytes, mode, call);
  },

  getTxsEvent({ events, query, page, limit, pagination, orderBy }, call) {
    const text = query === "" ? events.join(" AND ") : query;
    if (text === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", "query cannot be empty");
    const size = limit === 0n ? (pagination?.limit ?? 0n) : limit;
    const first = page === 0n && size > 0n ? (pagination?.offset ?? 0n) / size + 1n : page;
    return search(call, text, first, size, orderBy);
  },

  async getBlockWithTxs({ height, pagination }, { node, chain }) {
    const latest = (await node.latest())?.header.height ?? 0n;
    if (height < 1n || height > latest) {
      throw new UpgradeError("UPG_INVALID_HEIGHT", `requested height ${height} but current height is ${latest}`);
    }
    const block = await node.block(height);
    const { blockId } = await node.at(height);
    const page = paginateList(
      block.txs.map((bytes, index) => ({ bytes, index })),
      pagination,
      ({ index }) => String(index).padStart(10, "0"),
    );
    return {
      txs: page.items.map(({ bytes }) => decodeTx(bytes)),
      blockId: blockIdMessage(blockId),
      block: blockMessages(block, chain.addresses).block,
      pagination: page.pagination,
    };
  },
});
