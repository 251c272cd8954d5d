/** Transactions and blocks found again: by hash, or by their events. */
import { txProofs } from "../../commitment/block/txs.js";
import { UpgradeError } from "../../errors.js";
import { parseEventQuery } from "../../event-query.js";
import type { NodeTx } from "../node-port.js";
import { SEARCH_HITS_MAX } from "../query/tx.js";
import { pageOf, type RpcContext } from "./context.js";
import { blockIdJson, blockJson, hexJson, txJson, txProofJson } from "./json.js";
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
  if (!found) throw new UpgradeError("UPG_NOT_FOUND_TX", `tx (${hexJson(hash)}) not found`);
  return withProof(context, found, params.flag("prove"));
}

/** Ascending unless it says otherwise. @throws UpgradeError UPG_INVALID_ARGUMENT */
function ordered<T>(list: readonly T[], params: Params, isDescendingByDefault: boolean): readonly T[] {
  const order = params.text("order_by");
  if (order === "asc" || (order === "" && !isDescendingByDefault)) return list;
  if (order === "desc" || order === "") return [...list].reverse();
  throw new UpgradeError("UPG_INVALID_ARGUMENT", "expected order_by to be either `asc` or `desc` or empty");
}

export async function txSearch(context: RpcContext, params: Params) {
  const conditions = parseEventQuery(params.text("query"));
  const found = ordered(await context.query.node.searchTxs(conditions, SEARCH_HITS_MAX), params, false);
  const { first, size } = pageOf(params, found.length);
  const prove = params.flag("prove");
  return {
    txs: found.slice(first, first + size).map((each) => withProof(context, each, prove)),
    total_count: String(found.length),
  };
}

export async function blockSearch({ query: { node } }: RpcContext, params: Params) {
  const conditions = parseEventQuery(params.text("query"));
  const found = ordered(await node.searchBlocks(conditions, SEARCH_HITS_MAX), params, true);
  const { first, size } = pageOf(params, found.length);
  const blocks = found.slice(first, first + size).map((height) => ({
    block_id: blockIdJson(node.at(height).blockId),
    block: blockJson(node.block(height)),
  }));
  return { blocks, total_count: String(found.length) };
}
