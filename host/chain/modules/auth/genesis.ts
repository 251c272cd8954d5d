/** The auth part of a genesis document: accounts. */
import { create } from "@bufbuild/protobuf";
import { type Account, AccountSchema, type Vesting, VestingSchema } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import { listText } from "../../app/genesis/list-text.js";
import { moduleGenesis } from "../../app/genesis/module-genesis.js";
import { type ModuleAccount, permissionsOf } from "../../app/module-account.js";
import type { SigningKey } from "../../values/account-key.js";
import { type AddressCodec, moduleAddress } from "../../values/address.js";
import { type Coin, coinsToMessages } from "../../values/coins.js";
import { readCoins } from "../../values/json-coins.js";
import { type GenesisList, listOnce } from "../../values/json-list.js";
import type { JsonReader } from "../../values/json-reader.js";
import { keyJson, readAccountKey } from "../../values/key-json.js";
import {
  AUTH_STORE,
  accounts,
  ensureAccount,
  keyFields,
  keyOfAccount,
  reserveAccountNumber,
  writeAccount,
} from "./accounts.js";

export interface GenesisAccount {
  readonly address: Uint8Array;
  readonly number: bigint;
  readonly sequence: bigint;
  /** Undefined when the account has not signed yet, or has a key of a kind that cannot sign here. */
  readonly key: SigningKey | undefined;
  /** Name of a module account; "" for any other. */
  readonly module: string;
  readonly vesting: GenesisVesting | undefined;
}

interface GenesisVesting {
  readonly original: readonly Coin[];
  readonly delegatedFree: readonly Coin[];
  readonly delegatedVesting: readonly Coin[];
  readonly startTime: bigint;
  readonly endTime: bigint;
}

export interface AuthGenesis {
  readonly accounts: GenesisList<GenesisAccount>;
}

export const authGenesis = moduleGenesis<AuthGenesis>({
  // What the Cosmos SDK writes besides, also that of 2019.
  parts: { accounts: "list", params: "unread", collected_fees: "unread" },
  default: () => ({ accounts: [] }),
  read({ addresses, list }) {
    const read = (account: JsonReader) => readAccount(addresses, account);
    return { accounts: listOnce(list("accounts"), read, ({ address }) => address) };
  },
  lists: (state) => [["accounts", state.accounts]],
  counts: (state) => ({ accounts: state.accounts.length }),
  init(context, state) {
    const store = context.store(AUTH_STORE);
    for (const account of state.accounts) {
      writeAccount(store, accountRecord(account));
      reserveAccountNumber(store, account.number);
      context.accountAdded(account.address);
    }
    for (const name of context.moduleAccounts) ensureAccount(store, moduleAddress(context.sha256, name), name);
  },
  *export({ view, modules, addresses }) {
    yield '{"accounts":';
    yield* listText(accounts(view.store(AUTH_STORE)), (account) => accountJson(account, modules, addresses));
    yield "}";
  },
});

function accountRecord({ address, number, sequence, key, module, vesting }: GenesisAccount): Account {
  const record = create(AccountSchema, { address, accountNumber: number, sequence, module, ...keyFields(key) });
  if (vesting) {
    record.vesting = create(VestingSchema, {
      original: coinsToMessages(vesting.original),
      delegatedFree: coinsToMessages(vesting.delegatedFree),
      delegatedVesting: coinsToMessages(vesting.delegatedVesting),
      startTime: vesting.startTime,
      endTime: vesting.endTime,
    });
  }
  return record;
}

const BASE_FIELDS = ["@type", "address", "pub_key", "account_number", "sequence"];
const VESTING_FIELDS = ["base_account", "original_vesting", "delegated_free", "delegated_vesting", "end_time"];

/** BaseAccount, ModuleAccount, and the two vesting accounts. */
function readAccount(addresses: AddressCodec, account: JsonReader): GenesisAccount {
  const type = account.get("@type").text();
  const name = type.slice(type.lastIndexOf(".") + 1);
  const continuous = name === "ContinuousVestingAccount" ? ["start_time"] : [];
  const isVesting = name === "DelayedVestingAccount" || name === "ContinuousVestingAccount";
  if (!isVesting && name !== "BaseAccount" && name !== "ModuleAccount") {
    throw account.get("@type").wrong(`unknown kind of account ${type}`);
  }
  if (isVesting) account.only("@type", "base_vesting_account", ...continuous);
  else if (name === "ModuleAccount") account.only("@type", "base_account", "name", "permissions");
  else account.only(...BASE_FIELDS);
  const vesting = isVesting ? account.get("base_vesting_account").only(...VESTING_FIELDS) : undefined;
  const base = vesting ? vesting.get("base_account") : name === "ModuleAccount" ? account.get("base_account") : account;
  if (base !== account) base.only(...BASE_FIELDS);
  return {
    address: base.get("address").parse(addresses.decode),
    number: base.get("account_number").uint64(0n),
    sequence: base.get("sequence").uint64(0n),
    key: readAccountKey(base.get("pub_key")),
    module: name === "ModuleAccount" ? account.get("name").text() : "",
    vesting: vesting && {
      original: readCoins(vesting.get("original_vesting")),
      delegatedFree: readCoins(vesting.get("delegated_free")),
      delegatedVesting: readCoins(vesting.get("delegated_vesting")),
      startTime: account.get("start_time").int64(0n),
      endTime: vesting.get("end_time").int64(),
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

function accountJson(account: Account, modules: readonly ModuleAccount[], { encode }: AddressCodec): Json {
  const { address, accountNumber, sequence, module, vesting } = account;
  const key = keyOfAccount(account);
  const base = {
    address: encode(address),
    pub_key: key ? keyJson(key) : null,
    account_number: String(accountNumber),
    sequence: String(sequence),
  };
  if (module !== "") {
    return {
      "@type": "/cosmos.auth.v1beta1.ModuleAccount",
      base_account: base,
      name: module,
      permissions: permissionsOf(modules, module),
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
    delegated_free: coins(delegatedFree),
    delegated_vesting: coins(delegatedVesting),
    end_time: String(endTime),
  };
  if (startTime === 0n)
    return { "@type": "/cosmos.vesting.v1beta1.DelayedVestingAccount", base_vesting_account: common };
  const type = "/cosmos.vesting.v1beta1.ContinuousVestingAccount";
  return { "@type": type, base_vesting_account: common, start_time: String(startTime) };
}
