/** Messages as JSON with the field's names, the way the REST door writes them. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { registryOf } from "../../api/query/registry.js";
import { GatewayJson } from "../../api/rest/gateway-json.js";
import { Service } from "../../gen/cosmos/tx/v1beta1/service_pb.js";

const writer = new GatewayJson(registryOf([Service]));

export function messageJson<S extends DescMessage>(schema: S, message: MessageShape<S>): Record<string, unknown> {
  return JSON.parse(writer.write(schema, message)) as Record<string, unknown>;
}
