/**
 * Messages from their JSON. What stands in a `google.protobuf.Any` keeps the type URL that the field writes, `/name`
 * with nothing before the slash, however deep it stands.
 */
import {
  createRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Any } from "@bufbuild/protobuf/wkt";
import { file_chain_upgrade_v1beta1_tx } from "../gen/chain/upgrade/v1beta1/tx_pb.js";
import { file_cosmos_bank_v1beta1_tx } from "../gen/cosmos/bank/v1beta1/tx_pb.js";
import { file_cosmos_crypto_ed25519_keys } from "../gen/cosmos/crypto/ed25519/keys_pb.js";
import { file_cosmos_crypto_secp256k1_keys } from "../gen/cosmos/crypto/secp256k1/keys_pb.js";
import { file_cosmos_gov_v1_tx } from "../gen/cosmos/gov/v1/tx_pb.js";
import { file_cosmos_upgrade_v1beta1_tx } from "../gen/cosmos/upgrade/v1beta1/tx_pb.js";

const registry = createRegistry(
  file_chain_upgrade_v1beta1_tx,
  file_cosmos_bank_v1beta1_tx,
  file_cosmos_crypto_ed25519_keys,
  file_cosmos_crypto_secp256k1_keys,
  file_cosmos_gov_v1_tx,
  file_cosmos_upgrade_v1beta1_tx,
);

/** `Any` inside `Any` ends somewhere. */
const DEPTH_MAX = 16;

/** Unknown fields are passed over. @throws Error naming what is wrong */
export function messageFromJson<T extends DescMessage>(schema: T, json: unknown): MessageShape<T> {
  const message = fromJson(schema, json as JsonValue, { registry, ignoreUnknownFields: true });
  withShortUrls(schema, message, 0);
  return message;
}

function withShortUrls(schema: DescMessage, message: Message, depth: number): void {
  if (depth > DEPTH_MAX) throw new RangeError("messages stand too deep in one another");
  if (schema.typeName === "google.protobuf.Any") {
    shorten(message as Any, depth);
    return;
  }
  const fields: ReflectMessage = reflect(schema, message);
  for (const field of fields.fields) {
    if (field.fieldKind === "message" && fields.isSet(field)) {
      withShortUrls(field.message, fields.get(field).message, depth + 1);
    }
    if (field.fieldKind !== "list" || field.listKind !== "message") continue;
    for (const item of fields.get(field)) withShortUrls(field.message, (item as ReflectMessage).message, depth + 1);
  }
}

function shorten(any: Any, depth: number): void {
  const name = any.typeUrl.slice(any.typeUrl.lastIndexOf("/") + 1);
  const schema = registry.getMessage(name);
  if (!schema) return;
  const inner = fromBinary(schema, any.value);
  withShortUrls(schema, inner, depth + 1);
  any.typeUrl = `/${name}`;
  any.value = toBinary(schema, inner);
}
