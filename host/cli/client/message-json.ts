/** Messages as JSON with the field's names, the way the REST door writes them. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { registryOf } from "../../api/query/registry.js";
import { GatewayJson } from "../../api/rest/gateway-json.js";

const writer = new GatewayJson(registryOf([]));

export function messageJson<S extends DescMessage>(schema: S, message: MessageShape<S>): Record<string, unknown> {
  return JSON.parse(writer.write(schema, message)) as Record<string, unknown>;
}
