/** Transactions on their way in. */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes, toBase64, toUpperHex } from "../../base/text/bytes.js";
import type { NodeTx, NodeTxResult } from "../../chain/app/query/node-port.js";
import type { RpcContext } from "./context.js";
import { eventsJson, txResultJson } from "./json.js";
import type { Params } from "./params.js";

const COMMIT_MILLIS = 10_000;
const LISTED_DEFAULT = 30n;
const LISTED_MAX = 100n;

function txOf(params: Params): Uint8Array {
  const tx = params.bytes("tx");
  if (tx.length === 0) throw new UpgradeError("UPG_INVALID_ARGUMENT", "tx: expected the bytes of a transaction");
  return tx;
}

function answer(tx: Uint8Array, { query: { sha256 } }: RpcContext, result?: NodeTxResult) {
  const { code = 0, data = new Uint8Array(), log = "", codespace = "" } = result ?? {};
  return { code, data: toUpperHex(data), log, codespace, hash: toUpperHex(sha256(tx)) };
}

export async function broadcastSync(context: RpcContext, params: Params) {
  const tx = txOf(params);
  return answer(tx, context, await context.query.node.broadcast(tx));
}

/** The same, but what the check said stays unsaid. */
export async function broadcastAsync(context: RpcContext, params: Params) {
  const tx = txOf(params);
  await context.query.node.broadcast(tx);
  return answer(tx, context);
}

export async function broadcastCommit(context: RpcContext, params: Params) {
  const tx = txOf(params);
  const { node, sha256 } = context.query;
  const hash = sha256(tx);
  const waiting = waitFor(context, hash);
  try {
    const check = await node.broadcast(tx);
    const common = { check_tx: checkJson(check), hash: toUpperHex(hash) };
    if (check.code !== 0) return { ...common, tx_result: EMPTY_RESULT, height: "0" };
    const found = await waiting.tx;
    return { ...common, tx_result: txResultJson(found.result), height: String(found.height) };
  } finally {
    waiting.stop();
  }
}

const EMPTY_RESULT = {
  code: 0,
  data: null,
  log: "",
  info: "",
  gas_wanted: "0",
  gas_used: "0",
  events: [],
  codespace: "",
};

function checkJson(result: NodeTxResult) {
  return { ...txResultJson(result), events: eventsJson(result.events) };
}

function waitFor({ query: { node } }: RpcContext, hash: Uint8Array) {
  let stop: () => void = () => undefined;
  const tx = new Promise<NodeTx>((resolve, reject) => {
    const unsubscribe = node.subscribe(({ txs }) => {
      const found = txs.find((each) => equalBytes(each.hash, hash));
      if (found) resolve(found);
    });
    const timer = setTimeout(() => {
      reject(new UpgradeError("UPG_REMOTE_BUSY", "timed out waiting for tx to be included in a block"));
    }, COMMIT_MILLIS);
    stop = () => {
      clearTimeout(timer);
      unsubscribe();
    };
  });
  // It may be over before anybody waits for it.
  tx.catch(() => undefined);
  return { tx, stop };
}

export function unconfirmed({ query: { node } }: RpcContext, params: Params) {
  const asked = params.integer("limit") ?? LISTED_DEFAULT;
  const limit = Number(asked < 1n ? LISTED_DEFAULT : asked > LISTED_MAX ? LISTED_MAX : asked);
  const { mempool } = node;
  const txs = mempool.list(limit);
  return {
    n_txs: String(txs.length),
    total: String(mempool.count),
    total_bytes: String(mempool.bytes),
    txs: txs.map(toBase64),
  };
}

export function numUnconfirmed({ query: { node } }: RpcContext) {
  const { count, bytes } = node.mempool;
  return { n_txs: String(count), total: String(count), total_bytes: String(bytes), txs: null };
}
