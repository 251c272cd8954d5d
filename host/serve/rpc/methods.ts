/** The methods of the RPC: names, parameters in their order, and the functions. */
import { UpgradeError } from "../../base/errors/errors.js";
import { abciInfo, abciQueryMethod } from "./abci.js";
import {
  block,
  blockByHash,
  blockchain,
  blockResults,
  commit,
  consensusParams,
  header,
  headerByHash,
  validatorsMethod,
} from "./blocks.js";
import { broadcastAsync, broadcastCommit, broadcastSync, numUnconfirmed, unconfirmed } from "./broadcast.js";
import type { RpcContext } from "./context.js";
import { genesis, genesisChunked } from "./genesis.js";
import { consensusState, health, netInfo, status } from "./node.js";
import type { Params } from "./params.js";
import { blockSearch, tx, txSearch } from "./search.js";

export interface RpcMethod {
  readonly params: readonly string[];
  run(context: RpcContext, params: Params): unknown;
}

const method = (params: readonly string[], run: RpcMethod["run"]): RpcMethod => ({ params, run });

const SEARCH = ["query", "prove", "page", "per_page", "order_by"];

export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map([
  ["health", method([], health)],
  ["status", method([], status)],
  ["net_info", method([], netInfo)],
  ["genesis", method([], genesis)],
  ["genesis_chunked", method(["chunk"], genesisChunked)],
  ["blockchain", method(["minHeight", "maxHeight"], blockchain)],
  ["block", method(["height"], block)],
  ["block_by_hash", method(["hash"], blockByHash)],
  ["block_results", method(["height"], blockResults)],
  [
    "block_search",
    method(
      SEARCH.filter((name) => name !== "prove"),
      blockSearch,
    ),
  ],
  ["header", method(["height"], header)],
  ["header_by_hash", method(["hash"], headerByHash)],
  ["commit", method(["height"], commit)],
  ["validators", method(["height", "page", "per_page"], validatorsMethod)],
  ["consensus_state", method([], consensusState)],
  ["consensus_params", method(["height"], consensusParams)],
  ["abci_info", method([], abciInfo)],
  ["abci_query", method(["path", "data", "height", "prove"], abciQueryMethod)],
  ["broadcast_tx_sync", method(["tx"], broadcastSync)],
  ["broadcast_tx_async", method(["tx"], broadcastAsync)],
  ["broadcast_tx_commit", method(["tx"], broadcastCommit)],
  ["unconfirmed_txs", method(["limit"], unconfirmed)],
  ["num_unconfirmed_txs", method([], numUnconfirmed)],
  ["tx", method(["hash", "prove"], tx)],
  ["tx_search", method(SEARCH, txSearch)],
]);

/** @throws UpgradeError UPG_NOT_FOUND_METHOD */
export function rpcMethod(name: string): RpcMethod {
  const found = RPC_METHODS.get(name);
  if (!found) throw new UpgradeError("UPG_NOT_FOUND_METHOD", `there is no method ${name.slice(0, 100)}`);
  return found;
}
