/** Blocks, headers, commits, results, and the set that decides them. */

import { isUpgradeError } from "../../base/errors/errors.js";
import { toBase64 } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { LocalNode } from "../../chain/app/query/node-port.js";
import { askedBlock, askedSetHeight, latestBlock, pageOf, type RpcContext } from "./context.js";
import {
  blockIdJson,
  blockJson,
  blockMetaJson,
  commitJson,
  consensusParamsJson,
  eventsJson,
  headerJson,
  txResultJson,
  validatorJson,
  validatorUpdatesJson,
} from "./json.js";
import type { Params } from "./params.js";

const METAS_MAX = 20n;
const NO_BLOCK_ID = { hash: "", parts: { total: 0, hash: "" } };

export function block(context: RpcContext, params: Params) {
  const { header: found, blockId } = askedBlock(context, params);
  return { block_id: blockIdJson(blockId), block: blockJson(context.query.node.block(found.height)) };
}

/** A hash that no block has is an answer without a block. */
export function blockByHash({ query: { node } }: RpcContext, params: Params) {
  const height = node.heightOf(params.bytes("hash"));
  if (height === undefined) return { block_id: NO_BLOCK_ID, block: null };
  return { block_id: blockIdJson(node.at(height).blockId), block: blockJson(node.block(height)) };
}

export const header = (context: RpcContext, params: Params) => ({
  header: headerJson(askedBlock(context, params).header),
});

export function headerByHash({ query: { node } }: RpcContext, params: Params) {
  const height = node.heightOf(params.bytes("hash"));
  return { header: height === undefined ? null : headerJson(node.at(height).header) };
}

/** A commit is canonical once the next block carries it. */
export function commit(context: RpcContext, params: Params) {
  const found = askedBlock(context, params);
  return {
    signed_header: { header: headerJson(found.header), commit: commitJson(found.commit) },
    canonical: found.header.height < latestBlock(context.query.node).header.height,
  };
}

export function blockResults(context: RpcContext, params: Params) {
  const { header: found, appHash } = askedBlock(context, params);
  const { txResults, events, validatorUpdates } = context.query.node.results(found.height);
  return {
    height: String(found.height),
    txs_results: txResults.length === 0 ? null : txResults.map(txResultJson),
    finalize_block_events: events.length === 0 ? null : eventsJson(events),
    validator_updates: validatorUpdatesJson(validatorUpdates),
    consensus_param_updates: null,
    app_hash: toBase64(appHash),
  };
}

/** Headers from the greatest height down, at most twenty. */
export function blockchain({ query: { node } }: RpcContext, params: Params) {
  const last = latestBlock(node).header.height;
  const lowest = node.earliest()?.header.height ?? 1n;
  const max = smaller(positive(params.integer("maxHeight")) ?? last, last);
  const from = greater(positive(params.integer("minHeight")) ?? lowest, lowest);
  const min = greater(from, max - METAS_MAX + 1n);
  const metas = [];
  for (let height = max; height >= min; height--) metas.push(...metaAt(node, height));
  return { last_height: String(last), block_metas: metas };
}

function metaAt(node: LocalNode, height: Height) {
  try {
    return [blockMetaJson(node.at(height))];
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_NOT_FOUND_BLOCK") return [];
    throw error;
  }
}

const positive = (value: bigint | undefined) => (value !== undefined && value > 0n ? value : undefined);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const greater = (a: bigint, b: bigint) => (a > b ? a : b);

export function validatorsMethod(context: RpcContext, params: Params) {
  const height = askedSetHeight(context, params);
  const { validators } = context.query.node.validatorsAt(height);
  const { first, size } = pageOf(params, validators.length);
  const shown = validators.slice(first, first + size).map(validatorJson);
  return {
    block_height: String(height),
    validators: shown,
    count: String(shown.length),
    total: String(validators.length),
  };
}

export function consensusParams(context: RpcContext, params: Params) {
  const { node, app } = context.query;
  const height = askedSetHeight(context, params);
  const isNext = height > latestBlock(node).header.height;
  return {
    block_height: String(height),
    consensus_params: consensusParamsJson(isNext ? node.consensusParams : app.consensusParamsFor(height)),
  };
}
