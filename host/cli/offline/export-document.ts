/** A committed version as the text of a genesis document, a piece at a time: a chain may have millions of accounts. */
import { toBase64 } from "../../bytes.js";
import { encodeAddress, OPERATOR_PREFIX } from "../../chain/address.js";
import type { Coins } from "../../chain/coins.js";
import type { GenesisFacts } from "../../chain/genesis.js";
import { AUTH_STORE, accounts, permissionsOf } from "../../chain/modules/auth.js";
import type { Bank } from "../../chain/modules/bank.js";
import { deposits, GOV_STORE, proposals, readNextProposalId, readParams, votes } from "../../chain/modules/gov.js";
import { delegations, STAKING_STORE, validators } from "../../chain/modules/staking.js";
import type { Account, Vesting } from "../../gen/chain/auth/v1/auth_pb.js";
import type { Delegation } from "../../gen/chain/staking/v1/staking_pb.js";
import { BondStatus } from "../../gen/chain/staking/v1/staking_pb.js";
import { DepositSchema, ParamsSchema, ProposalSchema, VoteSchema } from "../../gen/cosmos/gov/v1/gov_pb.js";
import type { VersionView } from "../../store/version-view.js";
import type { VersionMap } from "../../types.js";
import { messageJson } from "../client/message-json.js";

type Json = Readonly<Record<string, unknown>>;

export interface ExportedVersion {
  readonly view: VersionView;
  readonly begun: GenesisFacts;
  readonly time: string;
  readonly initialHeight: bigint;
  /** App version that the new chain begins with; 0n: unset. */
  readonly appVersion: bigint;
  readonly bank: Bank;
  /** What the app version does not say: modules of other versions, and stores that it does not have. */
  readonly raw: { readonly modules: VersionMap; readonly stores: readonly string[] } | undefined;
}

export function* documentText(version: ExportedVersion): Generator<string> {
  const { view, begun, bank, raw } = version;
  const head = {
    genesis_time: version.time,
    chain_id: begun.chainId,
    initial_height: String(version.initialHeight),
    app_hash: null,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"app_state":{"auth":{"accounts":`;
  yield* listText(accounts(view.store(AUTH_STORE)), accountJson);
  yield '},"bank":{"balances":';
  yield* listText(bank.allBalances(view), balanceJson);
  yield `},"staking":${open(stakingJson(view, begun.stakingParams.value))},"delegations":`;
  yield* listText(delegations(view.store(STAKING_STORE)), delegationJson);
  yield `},"gov":${JSON.stringify(govJson(view))}`;
  if (raw) {
    const modules = [...raw.modules].map(([name, number]) => ({ name, version: String(number) }));
    yield `,"raw":${open({ module_versions: modules, stores: raw.stores })},"pairs":`;
    yield* listText(pairs(view, raw.stores), (pair) => pair);
    yield "}";
  }
  const params = (begun.consensusParams.value ?? {}) as Json;
  const app = version.appVersion === 0n ? {} : { app: String(version.appVersion) };
  yield `},"consensus":${JSON.stringify({ params: { ...params, version: app } })}}\n`;
}

/** An object that is gone on with. */
const open = (json: Json): string => JSON.stringify(json).slice(0, -1);

function* listText<T>(items: Iterable<T>, jsonOf: (item: T) => Json): Generator<string> {
  let before = "[";
  for (const item of items) {
    yield before + JSON.stringify(jsonOf(item));
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function* pairs(view: VersionView, stores: readonly string[]): Generator<Json> {
  for (const store of stores) {
    for (const [key, value] of view.store(store).iterate({})) {
      yield { store, key: toBase64(key), value: toBase64(value) };
    }
  }
}

const balanceJson = ([address, coins]: readonly [Uint8Array, Coins]): Json => ({
  address: encodeAddress(address),
  coins: jsonCoins(coins),
});

const jsonCoins = (coins: Coins) => coins.map(({ denom, amount }) => ({ denom, amount: String(amount) }));

function accountJson(account: Account): Json {
  const { address, pubKey, accountNumber, sequence, module, vesting } = account;
  const key = Buffer.from(pubKey).toString("base64");
  const base = {
    address: encodeAddress(address),
    pub_key: pubKey.length === 0 ? null : { "@type": "/cosmos.crypto.secp256k1.PubKey", key },
    ...{ account_number: String(accountNumber), sequence: String(sequence) },
  };
  if (module !== "") {
    return {
      "@type": "/cosmos.auth.v1beta1.ModuleAccount",
      base_account: base,
      name: module,
      permissions: permissionsOf(module),
    };
  }
  return vesting ? vestingJson(base, vesting) : { "@type": "/cosmos.auth.v1beta1.BaseAccount", ...base };
}

function vestingJson(base: Json, { original, delegatedFree, delegatedVesting, startTime, endTime }: Vesting): Json {
  const coins = (list: readonly { denom: string; amount: string }[]) =>
    list.map(({ denom, amount }) => ({ denom, amount }));
  const common = {
    base_account: base,
    original_vesting: coins(original),
    ...{ delegated_free: coins(delegatedFree), delegated_vesting: coins(delegatedVesting), end_time: String(endTime) },
  };
  if (startTime === 0n)
    return { "@type": "/cosmos.vesting.v1beta1.DelayedVestingAccount", base_vesting_account: common };
  const type = "/cosmos.vesting.v1beta1.ContinuousVestingAccount";
  return { "@type": type, base_vesting_account: common, start_time: String(startTime) };
}

const STATUS: Readonly<Record<number, string>> = {
  [BondStatus.UNBONDED]: "BOND_STATUS_UNBONDED",
  [BondStatus.UNBONDING]: "BOND_STATUS_UNBONDING",
  [BondStatus.BONDED]: "BOND_STATUS_BONDED",
};

function stakingJson(view: VersionView, params: unknown): Json {
  const store = view.store(STAKING_STORE);
  return {
    params: params ?? {},
    validators: [...validators(store)].map((validator) => ({
      operator_address: encodeAddress(validator.operator, OPERATOR_PREFIX),
      consensus_pubkey: {
        ...{ "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.from(validator.consensusKey).toString("base64") },
      },
      ...{ jailed: validator.jailed, status: STATUS[validator.status], tokens: validator.tokens },
      ...{ delegator_shares: validator.delegatorShares, description: { moniker: validator.moniker } },
    })),
  };
}

const delegationJson = ({ delegator, operator, shares }: Delegation): Json => ({
  delegator_address: encodeAddress(delegator),
  ...{ validator_address: encodeAddress(operator, OPERATOR_PREFIX), shares },
});

function govJson(view: VersionView): Json {
  const store = view.store(GOV_STORE);
  const params = readParams(store);
  return {
    starting_proposal_id: String(readNextProposalId(store)),
    ...(params ? { params: messageJson(ParamsSchema, params) } : {}),
    proposals: [...proposals(store)].map((each) => messageJson(ProposalSchema, each)),
    deposits: [...deposits(store)].map((each) => messageJson(DepositSchema, each)),
    votes: [...votes(store)].map((each) => messageJson(VoteSchema, each)),
  };
}
