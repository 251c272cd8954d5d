/** Messages as JSON with the Cosmos SDK's names, the way REST writes them. */
import { createRegistry, type DescMessage, type MessageShape, type Registry } from "@bufbuild/protobuf";
import { Service } from "../../base/gen/cosmos/tx/v1beta1/service_pb.js";
import type { Chain } from "../../chain/app/chain.js";
import { filesOf } from "../../chain/app/define-chain.js";
import { messageWriter } from "../../chain/messages/gateway-json.js";

const REGISTRIES = new WeakMap<Chain, Registry>();

/** What may be packed in an `Any` of this program's chain, or of the responses of a node. */
export function messageRegistry(chain: Chain): Registry {
  const known = REGISTRIES.get(chain);
  if (known) return known;
  const registry = createRegistry(...filesOf(chain, [Service]));
  REGISTRIES.set(chain, registry);
  return registry;
}

export function messageJson<S extends DescMessage>(
  chain: Chain,
  schema: S,
  message: MessageShape<S>,
): Record<string, unknown> {
  return messageWriter(messageRegistry(chain))(schema, message);
}
