/** What CometBFT says of itself. */

import type { Height } from "../../base/types/types.js";
import type { NodeInfo } from "../../chain/app/query/node-port.js";
import type { JsonReader } from "../../chain/values/json-reader.js";
import { hexOf } from "./blocks.js";

export interface CometStatus extends NodeInfo {
  readonly earliestHeight: Height;
}

export function readStatus(json: JsonReader): CometStatus {
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

/** @param max of what is counted */
export function countOf(json: JsonReader, max = Number.MAX_SAFE_INTEGER): number {
  const value = json.int64();
  if (value < 0n || value > BigInt(max)) throw json.wrong(`must be 0 to ${max}`);
  return Number(value);
}
