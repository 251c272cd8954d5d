/** The auth module's queries: accounts in the forms that wallets know. */
import type { Any } from "@bufbuild/protobuf/wkt";
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Account } from "../../../base/gen/chain/auth/v1/auth_pb.js";
import { BaseAccountSchema, ModuleAccountSchema } from "../../../base/gen/cosmos/auth/v1beta1/auth_pb.js";
import { Query } from "../../../base/gen/cosmos/auth/v1beta1/query_pb.js";
import {
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
} from "../../../base/gen/cosmos/vesting/v1beta1/vesting_pb.js";
import { permissionsOf } from "../../app/module-account.js";
import type { QueryCall } from "../../app/query/call.js";
import { implement, type QueryService } from "../../app/query/service.js";
import { packKey } from "../../values/account-key.js";
import { packAny } from "../../values/any.js";
import { GAS } from "../../values/gas.js";
import { paginate, walk } from "../../values/paginate.js";
import { readAddress } from "../../values/request-text.js";
import { OnceAHeight } from "../once-a-height.js";
import { ACCOUNTS, AUTH_STORE, accounts, keyOfAccount, readAccount } from "./accounts.js";

/** Rules for transactions that clients ask for; the figures of gas are those that `host/chain/values/gas.ts` counts by. */
const TX_RULES = {
  maxMemoCharacters: 256n,
  txSigLimit: 7n,
  txSizeCostPerByte: GAS.TX_PER_BYTE,
  sigVerifyCostEd25519: GAS.VERIFY_ED25519,
  sigVerifyCostSecp256k1: GAS.VERIFY_SECP256K1,
};

function baseFields(account: Account, { chain }: QueryCall) {
  const { address, accountNumber, sequence } = account;
  const key = keyOfAccount(account);
  return {
    address: chain.addresses.encode(address),
    accountNumber,
    sequence,
    ...(key ? { pubKey: packKey(key) } : {}),
  };
}

function accountAny(account: Account, call: QueryCall): Any {
  const baseAccount = baseFields(account, call);
  const { module, vesting } = account;
  if (module !== "") {
    return packAny(ModuleAccountSchema, {
      baseAccount,
      name: module,
      permissions: permissionsOf(call.chain.modules, module),
    });
  }
  if (!vesting) return packAny(BaseAccountSchema, baseAccount);
  const baseVestingAccount = {
    baseAccount,
    originalVesting: vesting.original,
    delegatedFree: vesting.delegatedFree,
    delegatedVesting: vesting.delegatedVesting,
    endTime: vesting.endTime,
  };
  return vesting.startTime === 0n
    ? packAny(DelayedVestingAccountSchema, { baseVestingAccount })
    : packAny(ContinuousVestingAccountSchema, { baseVestingAccount, startTime: vesting.startTime });
}

function accountOf(address: string, { stores, chain }: QueryCall): Account {
  const account = readAccount(stores.store(AUTH_STORE), readAddress(chain.addresses, address));
  if (!account) throw new UpgradeError("UPG_NOT_FOUND_ACCOUNT", `account ${address} not found`);
  return account;
}

/** There are few, and they are looked for among all. */
const MODULE_ACCOUNTS = new OnceAHeight("the list of module accounts", async (call) => {
  const found: Account[] = [];
  const all = accounts(call.stores.store(AUTH_STORE));
  const visit = (account: Account) => {
    if (account.module !== "") found.push(account);
    return true;
  };
  await walk(all, visit, call);
  return found;
});

/** Of module accounts with long keys; others have 20. */
const ADDRESS_BYTES_MAX = 255;

const KEPT = [
  "accounts",
  "account",
  "accountInfo",
  "params",
  "bech32Prefix",
  "addressBytesToString",
  "addressStringToBytes",
  "accountAddressByID",
  "moduleAccounts",
  "moduleAccountByName",
] as const;

export const authQuery: QueryService = implement(Query, KEPT, {
  async accounts({ pagination }, call) {
    const page = await paginate(call.stores.store(AUTH_STORE), ACCOUNTS, pagination, call);
    return { accounts: page.items.map((account) => accountAny(account, call)), pagination: page.pagination };
  },

  account: ({ address }, call) => ({ account: accountAny(accountOf(address, call), call) }),

  accountInfo: ({ address }, call) => ({ info: baseFields(accountOf(address, call), call) }),

  params: () => ({ params: TX_RULES }),

  async moduleAccounts(_request, call) {
    return { accounts: (await MODULE_ACCOUNTS.of(call)).map((account) => accountAny(account, call)) };
  },

  async moduleAccountByName({ name }, call) {
    const account = (await MODULE_ACCOUNTS.of(call)).find(({ module }) => module === name);
    if (!account) throw new UpgradeError("UPG_NOT_FOUND_ACCOUNT", `account ${name} not found`);
    return { account: accountAny(account, call) };
  },

  addressBytesToString({ addressBytes }, { chain }) {
    const { length } = addressBytes;
    if (length === 0) throw new UpgradeError("UPG_INVALID_ARGUMENT", "empty address bytes is not allowed");
    if (length > ADDRESS_BYTES_MAX)
      throw new UpgradeError(
        "UPG_INVALID_ARGUMENT",
        `an address has at most ${ADDRESS_BYTES_MAX} bytes, got ${length}`,
      );
    return { addressString: chain.addresses.encode(addressBytes) };
  },

  addressStringToBytes: ({ addressString }, { chain }) => ({
    addressBytes: readAddress(chain.addresses, addressString),
  }),

  async accountAddressByID({ id, accountId }, call) {
    if (id !== 0n) {
      const what = "requesting with id isn't supported, try to request using account-id";
      throw new UpgradeError("UPG_INVALID_ARGUMENT", what);
    }
    let found: Account | undefined;
    const visit = (account: Account) => {
      if (account.accountNumber === accountId) found = account;
      return found === undefined;
    };
    await walk(accounts(call.stores.store(AUTH_STORE)), visit, call);
    if (found) return { accountAddress: call.chain.addresses.encode(found.address) };
    throw new UpgradeError("UPG_NOT_FOUND_ACCOUNT", `account address not found with account number ${accountId}`);
  },

  bech32Prefix: (_request, { chain }) => ({ bech32Prefix: chain.addresses.prefix }),
});
