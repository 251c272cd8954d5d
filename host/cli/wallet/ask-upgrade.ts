/** Questions about upgrades, to nodes of this program and to those of the Cosmos SDK. */
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { isUpgradeError } from "../../base/errors/errors.js";
import { Query as CosmosQuery } from "../../base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import type { RpcClient } from "../../node/remote/client.js";
import type { GrpcClient } from "../../node/remote/grpc.js";
import { ask, type Method } from "./ask.js";

/** What a node of the Cosmos SDK says of a service that it does not have. */
const UNKNOWN = /unknown query path|unknown service|unknown method/;

/**
 * Asks under `chain.upgrade.v1beta1`, and under `cosmos.upgrade.v1beta1` where a node knows only that: both have the same
 * messages, field by field. What the Cosmos SDK lacks (receipts, progress) is refused with the node's own words.
 * @throws UpgradeError what the node returned, UPG_REMOTE_*
 */
export async function askUpgrade<I extends DescMessage, O extends DescMessage>(
  client: RpcClient | GrpcClient,
  method: Method<I, O>,
  request: MessageInitShape<I>,
  height = 0n,
): Promise<MessageShape<O>> {
  try {
    return await ask(client, method, request, height);
  } catch (error) {
    const isUnknown = isUpgradeError(error) && error.code === "UPG_REMOTE_REFUSED" && UNKNOWN.test(error.message);
    if (!isUnknown || !CosmosQuery.methods.some(({ name }) => name === method.name)) throw error;
    return await ask(client, { ...method, parent: CosmosQuery }, request, height);
  }
}
