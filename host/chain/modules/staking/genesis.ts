/** The staking part of a genesis document: validators and what is delegated to them. */

import { BondStatus, type Delegation, type Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { concatBytes, toBase64 } from "../../../base/text/bytes.js";
import { listText, openText } from "../../app/genesis/list-text.js";
import { moduleGenesis } from "../../app/genesis/module-genesis.js";
import type { Addresses } from "../../values/address.js";
import { parseAmount } from "../../values/coins.js";
import { type GenesisList, listOnce } from "../../values/json-list.js";
import type { JsonReader } from "../../values/json-reader.js";
import type { GenesisDelegation, GenesisValidator } from "./genesis-records.js";
import { readStakingParams, STAKING_PARAMS } from "./params.js";
import {
  type DetailsJson,
  detailsJson,
  initKept,
  type KeptGenesis,
  keptText,
  readDetails,
  readKept,
  watchPools,
} from "./pools-genesis.js";
import { delegations, keepsPools, STAKING_STORE, validators, writeDelegation, writeValidator } from "./records.js";

const STATUSES = new Set(["BOND_STATUS_UNBONDED", "BOND_STATUS_UNBONDING", "BOND_STATUS_BONDED"]);

const DECIMAL = /^[0-9]+(\.[0-9]{1,18})?$/;

function readDecimal(field: JsonReader): string {
  const text = field.text();
  if (!DECIMAL.test(text)) throw field.wrong(`expected a decimal with at most 18 places, got "${text}"`);
  return text;
}

export interface StakingGenesis {
  readonly validators: readonly GenesisValidator[];
  readonly delegations: GenesisList<GenesisDelegation>;
  /** Undefined: messages of module staking have not begun to keep the pools. */
  readonly kept: KeptGenesis | undefined;
}

export const stakingGenesis = moduleGenesis<StakingGenesis>({
  parts: {
    ...{ params: "held", validators: "held", delegations: "list" },
    ...{ unbonding_delegations: "list", last_unbonding_id: "held", pools: "held" },
    // What the Cosmos SDK writes besides.
    ...{ last_total_power: "unread", last_validator_powers: "unread", redelegations: "unread", exported: "unread" },
  },
  default: (bondDenom) => ({ params: { bond_denom: bondDenom }, validators: [], delegations: [] }),
  read(section) {
    const { json, list, addresses } = section;
    const params = json.get("params");
    readStakingParams(params.isSet ? params.only(...STAKING_PARAMS) : params);
    const kept = readKept(section);
    const delegation = (each: JsonReader) => readDelegation(addresses, each);
    const state = {
      validators: readValidators(addresses, json.get("validators"), kept !== undefined),
      delegations: listOnce(list("delegations"), delegation, keyOfDelegation),
      kept,
    };
    if (kept) watchPools(section, kept, state.validators);
    return state;
  },
  lists: (state) => [
    ["delegations", state.delegations],
    ["unbonding delegations", state.kept?.unbonding ?? []],
  ],
  counts: (state) => ({ validators: state.validators.length, delegations: state.delegations.length }),
  // Without power no vote ever passes, so such a chain could never be upgraded.
  missing: (state) => (state.validators.length > 0 ? undefined : "has no validator"),
  init(context, state) {
    const store = context.store(STAKING_STORE);
    for (const validator of state.validators) writeValidator(store, validator);
    for (const delegation of state.delegations) writeDelegation(store, delegation);
    if (state.kept) initKept(context, state.kept);
  },
  *export({ view, stakingParams, addresses }) {
    const store = view.store(STAKING_STORE);
    const isKept = keepsPools(store);
    const details = (validator: Validator) => (isKept ? detailsJson(validator) : undefined);
    const list = [...validators(store)].map((each) => validatorJson(each, addresses, details(each)));
    yield `${openText({ params: stakingParams ?? {}, validators: list })},"delegations":`;
    yield* listText(delegations(store), (each) => delegationJson(each, addresses));
    if (isKept) yield* keptText(store, addresses);
    yield "}";
  },
});

const STATUS: Readonly<Record<number, string>> = {
  [BondStatus.UNBONDED]: "BOND_STATUS_UNBONDED",
  [BondStatus.UNBONDING]: "BOND_STATUS_UNBONDING",
  [BondStatus.BONDED]: "BOND_STATUS_BONDED",
};

const validatorJson = (validator: Validator, { operators }: Addresses, details: DetailsJson | undefined) => ({
  operator_address: operators.encode(validator.operator),
  consensus_pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey", key: toBase64(validator.consensusKey) },
  jailed: validator.jailed,
  status: STATUS[validator.status],
  tokens: validator.tokens,
  delegator_shares: validator.delegatorShares,
  description: { moniker: validator.moniker, ...details?.description },
  ...details?.more,
});

const delegationJson = ({ delegator, operator, shares }: Delegation, { encode, operators }: Addresses) => ({
  delegator_address: encode(delegator),
  validator_address: operators.encode(operator),
  shares,
});

/** No two of one operator, and none of one key: blocks know validators by their keys. */
function readValidators(addresses: Addresses, field: JsonReader, isKept: boolean): GenesisValidator[] {
  const read = (each: JsonReader) => readValidator(addresses, each, isKept);
  const list = (keyOf: (validator: GenesisValidator) => Uint8Array) => [...listOnce(field.items(), read, keyOf)];
  list(({ consensusKey }) => consensusKey);
  return list(({ operator }) => operator);
}

/** Names that a validator's object and those below it may have: the Cosmos SDK's, and `tombstoned`. Not every one is read. */
const VALIDATOR_NAMES: readonly (readonly [path: readonly string[], names: readonly string[]])[] = [
  [
    [],
    [
      ...["operator_address", "consensus_pubkey", "jailed", "status", "tokens", "delegator_shares", "description"],
      ...["unbonding_height", "unbonding_time", "commission", "min_self_delegation"],
      ...["unbonding_on_hold_ref_count", "unbonding_ids", "tombstoned"],
    ],
  ],
  [["consensus_pubkey"], ["@type", "key"]],
  [["description"], ["moniker", "identity", "website", "security_contact", "details"]],
  [["commission"], ["commission_rates", "update_time"]],
  [
    ["commission", "commission_rates"],
    ["rate", "max_rate", "max_change_rate"],
  ],
];

function requireKnownNames(validator: JsonReader): void {
  for (const [path, names] of VALIDATOR_NAMES) {
    const place = path.reduce((each, name) => each.get(name), validator);
    if (place.isSet) place.only(...names);
  }
}

function readValidator({ operators }: Addresses, validator: JsonReader, isKept: boolean): GenesisValidator {
  requireKnownNames(validator);
  const key = validator.get("consensus_pubkey").get("key");
  const consensusKey = key.base64();
  if (consensusKey.length !== 32) throw key.wrong(`an ed25519 key has 32 bytes, got ${consensusKey.length}`);
  return {
    operator: validator.get("operator_address").parse(operators.decode),
    consensusKey,
    moniker: validator.get("description").get("moniker").text(""),
    tokens: validator.get("tokens").parse(parseAmount),
    shares: readDecimal(validator.get("delegator_shares")),
    jailed: validator.get("jailed").boolean(false),
    status: readStatus(validator.get("status")),
    ...(isKept ? { more: readDetails(validator) } : {}),
  };
}

function readStatus(field: JsonReader): string {
  const status = field.text("BOND_STATUS_BONDED");
  if (!STATUSES.has(status)) throw field.wrong(`expected one of ${[...STATUSES].join(", ")}, got "${status}"`);
  return status;
}

function readDelegation({ decode, operators }: Addresses, delegation: JsonReader): GenesisDelegation {
  delegation.only("delegator_address", "validator_address", "shares");
  return {
    delegator: delegation.get("delegator_address").parse(decode),
    operator: delegation.get("validator_address").parse(operators.decode),
    shares: readDecimal(delegation.get("shares")),
  };
}

const keyOfDelegation = ({ delegator, operator }: GenesisDelegation) => concatBytes(delegator, operator);
