/**
 * Field numbers and types, held to those that the Cosmos SDK's clients have: each message of the query service, and what
 * is inside an Any, is filled and written by one side and read by the other.
 */
import {
  create,
  type DescField,
  type DescFile,
  type DescMessage,
  equals,
  fromBinary,
  type Message,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { file_cosmos_auth_v1beta1_query } from "../../../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import { file_cosmos_bank_v1beta1_query } from "../../../../host/base/gen/cosmos/bank/v1beta1/query_pb.js";
import { file_cosmos_bank_v1beta1_tx } from "../../../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { file_cosmos_base_node_v1beta1_query } from "../../../../host/base/gen/cosmos/base/node/v1beta1/query_pb.js";
import { file_cosmos_base_tendermint_v1beta1_query } from "../../../../host/base/gen/cosmos/base/tendermint/v1beta1/query_pb.js";
import { file_cosmos_consensus_v1_query } from "../../../../host/base/gen/cosmos/consensus/v1/query_pb.js";
import { file_cosmos_crypto_ed25519_keys } from "../../../../host/base/gen/cosmos/crypto/ed25519/keys_pb.js";
import { file_cosmos_crypto_multisig_keys } from "../../../../host/base/gen/cosmos/crypto/multisig/keys_pb.js";
import { file_cosmos_crypto_secp256k1_keys } from "../../../../host/base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import { file_cosmos_gov_v1_query } from "../../../../host/base/gen/cosmos/gov/v1/query_pb.js";
import { file_cosmos_gov_v1_tx } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { file_cosmos_gov_v1beta1_query } from "../../../../host/base/gen/cosmos/gov/v1beta1/query_pb.js";
import { file_cosmos_gov_v1beta1_tx } from "../../../../host/base/gen/cosmos/gov/v1beta1/tx_pb.js";
import { file_cosmos_staking_v1beta1_query } from "../../../../host/base/gen/cosmos/staking/v1beta1/query_pb.js";
import { file_cosmos_tx_v1beta1_service } from "../../../../host/base/gen/cosmos/tx/v1beta1/service_pb.js";
import { file_cosmos_upgrade_v1beta1_query } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { file_cosmos_upgrade_v1beta1_tx } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { file_cosmos_vesting_v1beta1_vesting } from "../../../../host/base/gen/cosmos/vesting/v1beta1/vesting_pb.js";

const ROOTS: readonly DescFile[] = [
  file_cosmos_auth_v1beta1_query,
  file_cosmos_bank_v1beta1_query,
  file_cosmos_bank_v1beta1_tx,
  file_cosmos_base_node_v1beta1_query,
  file_cosmos_base_tendermint_v1beta1_query,
  file_cosmos_consensus_v1_query,
  file_cosmos_crypto_ed25519_keys,
  file_cosmos_crypto_multisig_keys,
  file_cosmos_crypto_secp256k1_keys,
  file_cosmos_gov_v1_query,
  file_cosmos_gov_v1_tx,
  file_cosmos_gov_v1beta1_query,
  file_cosmos_gov_v1beta1_tx,
  file_cosmos_staking_v1beta1_query,
  file_cosmos_tx_v1beta1_service,
  file_cosmos_upgrade_v1beta1_query,
  file_cosmos_upgrade_v1beta1_tx,
  file_cosmos_vesting_v1beta1_vesting,
];

/** With all that they import, as far as the Cosmos SDK wrote it. */
function closure(roots: readonly DescFile[]): ReadonlySet<DescFile> {
  const files = new Set<DescFile>();
  const visit = (file: DescFile): void => {
    if (files.has(file) || !/^(cosmos|tendermint)\//.test(file.name)) return;
    files.add(file);
    file.dependencies.forEach(visit);
  };
  roots.forEach(visit);
  return files;
}

type Plain = Record<string, unknown>;

interface Codec {
  decode(bytes: Uint8Array): Plain;
  encode(message: Plain): { finish(): Uint8Array };
}

const isCodec = (value: unknown): value is Codec =>
  typeof value === "object" && value !== null && "decode" in value && "encode" in value;

/** Deep enough for every message; those that hold themselves end here. */
const DEPTH_MAX = 7;

/** A message with every field set to a value of its own; of a oneof the case that `variant` picks. */
class Filler {
  #count = 0;

  constructor(private readonly variant: number) {}

  message(schema: DescMessage, depth = 0): Message {
    const init: Plain = {};
    for (const member of schema.members) {
      if (member.kind === "field") init[member.localName] = this.#field(member, depth);
      else {
        const field = member.fields[this.variant % member.fields.length];
        const value = field && this.#field(field, depth);
        if (value !== undefined) init[member.localName] = { case: field?.localName, value };
      }
    }
    return create(schema, init);
  }

  #field(field: DescField, depth: number): unknown {
    switch (field.fieldKind) {
      case "scalar":
        return this.#scalar(field.scalar);
      case "enum":
        return field.enum.values.at(-1)?.number;
      case "message":
        return depth < DEPTH_MAX ? this.message(field.message, depth + 1) : undefined;
      case "map":
        return { [`key${this.#count++}`]: field.mapKind === "scalar" ? this.#scalar(field.scalar) : undefined };
      case "list":
        return [0, 1].slice(0, depth < DEPTH_MAX ? 2 : 0).map(() => this.#item(field, depth));
    }
  }

  #item(field: DescField & { fieldKind: "list" }, depth: number): unknown {
    if (field.listKind === "message") return this.message(field.message, depth + 1);
    return field.listKind === "enum" ? field.enum.values.at(-1)?.number : this.#scalar(field.scalar);
  }

  #scalar(type: ScalarType): unknown {
    const count = ++this.#count;
    switch (type) {
      case ScalarType.STRING:
        // Digits: some of the strings are numbers to the client.
        return String(1_000_000 + count);
      case ScalarType.BYTES:
        return Uint8Array.of(count & 255, 1, 2);
      case ScalarType.BOOL:
        return true;
      case ScalarType.INT32:
      case ScalarType.UINT32:
        return count;
      default:
        return BigInt(count);
    }
  }
}

/** Both sides' messages by the names of our fields; oneofs flat, bytes as hex. */
function plain(schema: DescMessage, message: Plain): Plain {
  const values = schema.fields.map((field) => {
    const chosen = field.oneof && (message[field.oneof.localName] as { case?: string; value?: unknown } | undefined);
    const isOurs = chosen !== undefined && "case" in chosen;
    const value = isOurs ? (chosen.case === field.localName ? chosen.value : undefined) : message[field.localName];
    return [field.localName, plainValue(field, value)] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function plainValue(field: DescField, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((each) => plainItem(field, each));
  return field.fieldKind === "map" ? { ...(value as Plain) } : plainItem(field, value);
}

function plainItem(field: DescField, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return "message" in field && field.message ? plain(field.message, value as Plain) : value;
}

for (const file of closure(ROOTS)) {
  if (file.messages.length === 0) continue;
  test(`${file.name}, written by one side and read by the other → the same fields with the same values`, async () => {
    const theirs: Plain = await import(`cosmjs-types/${file.name}`);
    const all = file.messages.flatMap((schema) => [schema, ...schema.nestedMessages]);
    for (const schema of all) {
      const name = schema.typeName.slice(file.proto.package.length + 1).replaceAll(".", "_");
      const codec = theirs[name];
      if (!isCodec(codec)) throw new Error(`the field has no message ${schema.typeName}`);
      for (const variant of [0, 1, 2, 3]) {
        const ours = new Filler(variant).message(schema);
        const read = codec.decode(toBinary(schema, ours));
        expect(plain(schema, read), schema.typeName).toEqual(plain(schema, ours as Message & Plain));
        const back = fromBinary(schema, codec.encode(read).finish());
        expect(equals(schema, back, ours), schema.typeName).toBe(true);
        expect(back.$unknown ?? [], schema.typeName).toEqual([]);
      }
    }
  });
}
