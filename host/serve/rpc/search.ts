/** Transactions and blocks found again: by hash, or by their events. */

import { UpgradeError } from "../../base/errors/errors.js";
import { toUpperHex } from "../../base/text/bytes.js";
import type { NodeSearchPage, NodeSearchWindow, NodeTx } from "../../chain/app/query/node-port.js";
import { txProofs } from "../../chain/comet-types/txs.js";
import { parseEventQuery } from "../../chain/events/event-query-text.js";
import { cutText } from "../query/tx.js";
import { pageSize, type RpcContext } from "./context.js";
import { blockIdJson, blockJson, txJson, txProofJson } from "./json.js";
import type { Params } from "./params.js";

function withProof({ query: { node, sha256 } }: RpcContext, found: NodeTx, prove: boolean) {
  const json = txJson(found);
  if (!prove) return json;
  const proof = txProofs(sha256, node.block(found.height).txs)[found.index];
  return proof ? { ...json, proof: txProofJson(proof) } : json;
}

export function tx(context: RpcContext, params: Params) {
  const hash = params.bytes("hash");
  const found = context.query.node.tx(hash);
  if (!found) throw new UpgradeError("UPG_NOT_FOUND_TX", `tx (${toUpperHex(hash)}) not found`);
  return withProof(context, found, params.flag("prove"));
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function isDescending(params: Params, byDefault: boolean): boolean {
  const order = params.text("order_by");
  if (order === "") return byDefault;
  if (order === "asc" || order === "desc") return order === "desc";
  throw new UpgradeError("UPG_INVALID_ARGUMENT", "expected order_by to be either `asc` or `desc` or empty");
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function windowOf({ signal }: RpcContext, params: Params, isDescendingByDefault: boolean): NodeSearchWindow {
  const size = pageSize(params);
  const page = params.integer("page") ?? 1n;
  if (page < 1n) throw wrongPage(page, 1);
  return {
    isDescending: isDescending(params, isDescendingByDefault),
    first: (Number(page) - 1) * size,
    size,
    ...(signal ? { signal } : {}),
  };
}

/** A page beyond the last is refused, as clients of the RPC expect. @throws UpgradeError UPG_INVALID_ARGUMENT */
function totals({ hits, total, isTotalExact }: NodeSearchPage<unknown>, { first, size }: NodeSearchWindow) {
  if (hits.length === 0 && first > 0) throw wrongPage(BigInt(first / size) + 1n, Math.max(1, Math.ceil(total / size)));
  return { total_count: String(total), ...(isTotalExact ? {} : { cut: cutText(total) }) };
}

function wrongPage(page: bigint, pages: number): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `page should be within [1, ${pages}] range, given ${page}`);
}

/** Ascending unless it says otherwise. */
export async function txSearch(context: RpcContext, params: Params) {
  const conditions = parseEventQuery(params.text("query"));
  const window = windowOf(context, params, false);
  const page = await context.query.node.searchTxs(conditions, window);
  const prove = params.flag("prove");
  return { txs: page.hits.map((each) => withProof(context, each, prove)), ...totals(page, window) };
}

/** Descending unless it says otherwise. */
export async function blockSearch(context: RpcContext, params: Params) {
  const { node } = context.query;
  const conditions = parseEventQuery(params.text("query"));
  const window = windowOf(context, params, true);
  const page = await node.searchBlocks(conditions, window);
  const blocks = page.hits.map((height) => ({
    block_id: blockIdJson(node.at(height).blockId),
    block: blockJson(node.block(height)),
  }));
  return { blocks, ...totals(page, window) };
}
