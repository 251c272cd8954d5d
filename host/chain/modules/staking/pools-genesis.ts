/**
 * What `export` writes of staking besides validators and delegations where messages have begun to keep the pools (`pools` in the section),
 * and what a document says of it that has `pools`: the rest of validators' records, and what is unbonding. Without
 * `pools` a document's unbonding entries are passed over, as those of chains whose staking is another.
 */
import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  BondStatus,
  type UnbondingDelegation,
  UnbondingDelegationSchema,
  UnbondingEntrySchema,
  type Validator,
} from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { concatBytes, EMPTY, equalBytes, utf8 } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import { formatTime, parseTime, ZERO_TIME } from "../../../base/time/time.js";
import type { KVReader, Timestamp } from "../../../base/types/types.js";
import { listText } from "../../app/genesis/list-text.js";
import type { GenesisContext, GenesisSection } from "../../app/genesis/module-genesis.js";
import type { Addresses } from "../../values/address.js";
import { amountOf, parseAmount } from "../../values/coins.js";
import { formatDecimal, parseDecimal } from "../../values/decimal.js";
import { type GenesisList, listOnce } from "../../values/json-list.js";
import type { JsonReader } from "../../values/json-reader.js";
import type { BalanceWatch, BankGenesis } from "../bank/genesis.js";
import type { GenesisValidator, ValidatorDetails } from "./genesis-records.js";
import { POOLS, type Pool, poolAddress } from "./pools.js";
import { prefixed, readPoolDenom, STAKING_STORE, validators, writePoolDenom } from "./records.js";
import {
  endOf,
  enqueueUnbonding,
  enqueueValidator,
  readLastUnbondingId,
  unbondingDelegations,
  writeLastUnbondingId,
  writeUnbonding,
} from "./unbonding.js";

export interface KeptGenesis {
  readonly denom: string;
  readonly unbonding: GenesisList<UnbondingDelegation>;
  readonly lastId: bigint;
}

/** Undefined: the document keeps no pools. @throws UpgradeError UPG_INVALID_GENESIS */
export function readKept({ json, list, bondDenom, addresses }: GenesisSection): KeptGenesis | undefined {
  if (!json.get("pools").isSet) return undefined;
  const pool = json.get("pools").only("denom").get("denom");
  const denom = pool.text();
  if (denom !== bondDenom) throw pool.wrong(`must be the bond_denom, ${bondDenom}`);
  const read = (item: JsonReader) => readUnbondingDelegation(addresses, item);
  const keyOf = ({ delegator, operator }: UnbondingDelegation) => concatBytes(prefixed(delegator), prefixed(operator));
  return {
    denom,
    unbonding: listOnce(list("unbonding_delegations"), read, keyOf),
    lastId: json.get("last_unbonding_id").uint64(0n),
  };
}

/** The last one is the Cosmos SDK's, and is not read. */
const ENTRY_NAMES = [
  ...["creation_height", "completion_time", "initial_balance", "balance", "unbonding_id"],
  "unbonding_on_hold_ref_count",
];

function readUnbondingDelegation({ decode, operators }: Addresses, item: JsonReader): UnbondingDelegation {
  const entries = item
    .only("delegator_address", "validator_address", "entries")
    .get("entries")
    .items()
    .map((entry) => entry.only(...ENTRY_NAMES))
    .map((entry) =>
      create(UnbondingEntrySchema, {
        creationHeight: entry.get("creation_height").int64(),
        completionTime: readTime(entry.get("completion_time")),
        initialBalance: String(entry.get("initial_balance").parse(parseAmount)),
        balance: String(entry.get("balance").parse(parseAmount)),
        unbondingId: entry.get("unbonding_id").uint64(0n),
      }),
    );
  if (entries.length === 0) throw item.get("entries").wrong("expected at least one entry");
  const delegator = item.get("delegator_address").parse(decode);
  return create(UnbondingDelegationSchema, {
    ...{ delegator, entries },
    operator: item.get("validator_address").parse(operators.decode),
  });
}

const readTime = (field: JsonReader) => create(TimestampSchema, field.parse(parseTime));

/** @throws UpgradeError UPG_INVALID_GENESIS */
export function readDetails(validator: JsonReader): ValidatorDetails {
  const description = validator.get("description");
  const text = (name: string) => description.get(name).text("");
  const commission = validator.get("commission");
  const rates = commission.get("commission_rates");
  const rate = (name: string) => formatDecimal(rates.get(name).parse(parseDecimal));
  const least = validator.get("min_self_delegation");
  return {
    identity: text("identity"),
    website: text("website"),
    securityContact: text("security_contact"),
    details: text("details"),
    ...(commission.isSet
      ? {
          commission: {
            ...{ rate: rate("rate"), maxRate: rate("max_rate"), maxChangeRate: rate("max_change_rate") },
            updateTime: readTime(commission.get("update_time")),
          },
        }
      : {}),
    minSelfDelegation: least.isSet ? String(least.parse(parseAmount)) : "",
    unbondingHeight: validator.get("unbonding_height").int64(0n),
    ...(validator.get("unbonding_time").isSet ? { unbondingTime: readTime(validator.get("unbonding_time")) } : {}),
    tombstoned: validator.get("tombstoned").boolean(false),
  };
}

export interface DetailsJson {
  readonly description: object;
  readonly more: object;
}

/** What is unset is left out, so that it is unset again. */
export function detailsJson(validator: Validator): DetailsJson {
  const { identity, website, securityContact, details, commission, minSelfDelegation, tombstoned } = validator;
  const { unbondingHeight, unbondingTime } = validator;
  const commissionJson = commission && {
    commission_rates: {
      rate: commission.rate,
      max_rate: commission.maxRate,
      max_change_rate: commission.maxChangeRate,
    },
    update_time: textOf(commission.updateTime),
  };
  return {
    description: { identity, website, security_contact: securityContact, details },
    more: {
      ...(commissionJson ? { commission: commissionJson } : {}),
      ...(minSelfDelegation === "" ? {} : { min_self_delegation: minSelfDelegation }),
      unbonding_height: String(unbondingHeight),
      ...(unbondingTime ? { unbonding_time: textOf(unbondingTime) } : {}),
      ...(tombstoned ? { tombstoned } : {}),
    },
  };
}

const textOf = (time: Timestamp | undefined): string => formatTime(time ?? ZERO_TIME);

/** The members of the section that follow the delegations. */
export function* keptText(store: KVReader, addresses: Addresses): Generator<string> {
  const denom = JSON.stringify(decodeText(readPoolDenom(store) ?? EMPTY));
  yield `,"pools":{"denom":${denom}},"last_unbonding_id":"${readLastUnbondingId(store)}","unbonding_delegations":`;
  yield* listText(unbondingDelegations(store), ({ delegator, operator, entries }) => ({
    delegator_address: addresses.encode(delegator),
    validator_address: addresses.operators.encode(operator),
    entries: entries.map((entry) => ({
      creation_height: String(entry.creationHeight),
      completion_time: textOf(endOf(entry)),
      initial_balance: entry.initialBalance,
      balance: entry.balance,
      unbonding_id: String(entry.unbondingId),
    })),
  }));
}

/** After validators and delegations. */
export function initKept(context: GenesisContext, { denom, unbonding, lastId }: KeptGenesis): void {
  const store = context.store(STAKING_STORE);
  writePoolDenom(store, utf8(denom));
  if (lastId > 0n) writeLastUnbondingId(store, lastId);
  for (const record of unbonding) {
    writeUnbonding(store, record);
    for (const entry of record.entries) enqueueUnbonding(store, record, endOf(entry));
  }
  const leaving = [...validators(store)].filter(({ status }) => status === BondStatus.UNBONDING);
  for (const validator of leaving) enqueueValidator(store, validator);
}

/** The pools of a document must hold what its records say. @throws UpgradeError UPG_INVALID_GENESIS at the end of a walk */
export function watchPools(section: GenesisSection, kept: KeptGenesis, list: readonly GenesisValidator[]): void {
  const bank = section.of("bank") as BankGenesis | undefined;
  bank?.watch((): BalanceWatch => {
    const held: Record<Pool, bigint> = { bonded: 0n, notBonded: 0n };
    return {
      see({ address, coins }) {
        for (const pool of POOL_NAMES)
          if (equalBytes(address, poolAddress(pool))) held[pool] = amountOf(coins, kept.denom);
      },
      end() {
        const owed = owedBy(list, kept);
        const short = POOL_NAMES.find((pool) => held[pool] < owed[pool]);
        if (!short) return;
        const what = `${POOLS[short]} must hold ${owed[short]}${kept.denom}, and it has ${held[short]}`;
        throw section.json.get("pools").wrong(what);
      },
    };
  });
}

const POOL_NAMES = Object.keys(POOLS) as Pool[];

function owedBy(list: readonly GenesisValidator[], { unbonding }: KeptGenesis): Record<Pool, bigint> {
  const owed = { bonded: 0n, notBonded: 0n };
  for (const { status, tokens } of list) owed[status === "BOND_STATUS_BONDED" ? "bonded" : "notBonded"] += tokens;
  for (const { entries } of unbonding) for (const { balance } of entries) owed.notBonded += BigInt(balance);
  return owed;
}
