/** The records of the modules here, by the first byte of their keys: what turns a changed pair into words. */
import { type DescMessage, fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { AccountSchema } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import {
  DelegationSchema,
  UnbondingDelegationSchema,
  ValidatorSchema,
} from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { DepositSchema, ParamsSchema, ProposalSchema, VoteSchema } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { ConsensusParamsSchema } from "../../../base/gen/tendermint/types/params_pb.js";
import { toHex } from "../../../base/text/bytes.js";
import { byteAt } from "../../../base/text/checked-index.js";
import { decodeText } from "../../../base/text/text.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { Core } from "../../../upgrade/core/core.js";
import { decodeReceipt } from "../../../upgrade/handler/receipt.js";

export interface RecordKind {
  readonly store: string;
  /** Its keys begin with it. */
  readonly prefix: number;
  readonly name: string;
  /** What follows the prefix, in words. @throws when it is none of these */
  key(rest: Uint8Array): string;
  /** @throws when it is none of these */
  value(bytes: Uint8Array): JsonValue;
}

type Facts = Pick<Chain, "addresses" | "registry">;

/** Of auth, bank, staking, gov, consensus and upgrade. */
export function recordKinds(chain: Facts, core: Core): readonly RecordKind[] {
  return [...accounts(chain), ...staking(chain), ...governance(chain), ...upgrades(core), consensus(chain)];
}

const number = (bytes: Uint8Array): bigint => {
  if (bytes.length !== 8) throw new RangeError("no number of eight bytes");
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
};
const numbered = (rest: Uint8Array) => `#${number(rest.subarray(0, 8))}`;
const decimal = (bytes: Uint8Array) => String(number(bytes));
const alone = (rest: Uint8Array) => {
  if (rest.length > 0) throw new RangeError("a key that goes on");
  return "";
};

function message({ registry }: Facts, schema: DescMessage): (bytes: Uint8Array) => JsonValue {
  return (bytes) => toJson(schema, fromBinary(schema, bytes), { registry, useProtoFieldName: true });
}

/** Address with its length before it, and what follows. */
function lengthy(rest: Uint8Array): [address: Uint8Array, rest: Uint8Array] {
  const end = 1 + byteAt(rest, 0);
  if (end > rest.length) throw new RangeError("an address that is cut");
  return [rest.slice(1, end), rest.subarray(end)];
}

function accounts(chain: Facts): RecordKind[] {
  const { encode } = chain.addresses;
  const balance = (rest: Uint8Array) => {
    const [address, denom] = lengthy(rest);
    return `${encode(address)} ${decodeText(denom)}`;
  };
  const [auth, bank] = ["auth", "bank"];
  return [
    { store: auth, prefix: 0x01, name: "account", key: encode, value: message(chain, AccountSchema) },
    { store: auth, prefix: 0x02, name: "next account number", key: alone, value: decimal },
    { store: bank, prefix: 0x00, name: "supply", key: decodeText, value: decodeText },
    { store: bank, prefix: 0x02, name: "balance", key: balance, value: decodeText },
  ];
}

function staking(chain: Facts): RecordKind[] {
  const { encode, operators } = chain.addresses;
  const pair = (rest: Uint8Array) => {
    const [delegator, more] = lengthy(rest);
    return `${encode(delegator)} ${operators.encode(lengthy(more)[0])}`;
  };
  const store = "staking";
  return [
    { store, prefix: 0x21, name: "validator", key: operators.encode, value: message(chain, ValidatorSchema) },
    { store, prefix: 0x31, name: "delegation", key: pair, value: message(chain, DelegationSchema) },
    { store, prefix: 0x32, name: "unbonding", key: pair, value: message(chain, UnbondingDelegationSchema) },
    { store, prefix: 0x37, name: "last unbonding id", key: alone, value: decimal },
    { store, prefix: 0x50, name: "pool denomination", key: alone, value: decodeText },
  ];
}

function governance(chain: Facts): RecordKind[] {
  const store = "gov";
  const { encode } = chain.addresses;
  const byAccount = (rest: Uint8Array) => `${numbered(rest)} ${encode(rest.slice(8))}`;
  const queued = (rest: Uint8Array) => `#${number(rest.subarray(12))}`;
  return [
    { store, prefix: 0x00, name: "proposal", key: numbered, value: message(chain, ProposalSchema) },
    { store, prefix: 0x01, name: "end of vote", key: queued, value: decimal },
    { store, prefix: 0x02, name: "end of deposit", key: queued, value: decimal },
    { store, prefix: 0x03, name: "next proposal id", key: alone, value: decimal },
    { store, prefix: 0x04, name: "in voting period", key: numbered, value: toHex },
    { store, prefix: 0x10, name: "deposit", key: byAccount, value: message(chain, DepositSchema) },
    { store, prefix: 0x20, name: "vote", key: byAccount, value: message(chain, VoteSchema) },
    { store, prefix: 0x30, name: "params", key: alone, value: message(chain, ParamsSchema) },
  ];
}

function upgrades(core: Core): RecordKind[] {
  const store = "upgrade";
  const plan = (bytes: Uint8Array): JsonValue => {
    const { name, height, info } = core.decodePlan(bytes);
    return { name, height: String(height), info };
  };
  return [
    { store, prefix: 0x00, name: "plan", key: alone, value: plan },
    { store, prefix: 0x01, name: "done", key: decodeText, value: decimal },
    { store, prefix: 0x02, name: "module version", key: decodeText, value: decimal },
    { store, prefix: 0x03, name: "protocol version", key: alone, value: decimal },
    { store, prefix: 0x04, name: "receipt", key: decodeText, value: (bytes) => receiptJson(bytes) },
  ];
}

function consensus(chain: Facts): RecordKind {
  const value = message(chain, ConsensusParamsSchema);
  return { store: "consensus", prefix: "C".charCodeAt(0), name: "params", key: decodeText, value };
}

/** A receipt as it is printed: 64-bit integers are texts, hashes hex. */
export function receiptJson(bytes: Uint8Array): JsonValue {
  const { plan, height, handlerSha256, abi, gasSchedule, gas, stores, checks } = decodeReceipt(bytes);
  return {
    ...{ plan, height: String(height), handler_sha256: toHex(handlerSha256), abi, gas_schedule: gasSchedule },
    ...{ gas: String(gas), checks: [...checks] },
    stores: stores.map(({ name, written, deleted, bytes: size, rootBefore, rootAfter, writesSha256 }) => ({
      ...{ name, written: String(written), deleted: String(deleted), bytes: String(size) },
      ...{ root_before: toHex(rootBefore), root_after: toHex(rootAfter), writes_sha256: toHex(writesSha256) },
    })),
  };
}
