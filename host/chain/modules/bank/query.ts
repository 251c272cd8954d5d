/** The bank module's queries: alike in every version of the chain, wherever that keeps its coins. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { Query } from "../../../base/gen/cosmos/bank/v1beta1/query_pb.js";
import type { PageRequest } from "../../../base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import type { QueryCall } from "../../app/query/call.js";
import { implement, type QueryService } from "../../app/query/service.js";
import { amountOf, type Coin, type Coins, coinsToMessages, normalCoins } from "../../values/coins.js";
import { type Paged, paginate, paginateList, walk } from "../../values/paginate.js";
import type { Records } from "../../values/records.js";
import { checkText, readAddress } from "../../values/request-text.js";
import { AUTH_STORE, readAccount } from "../auth/accounts.js";
import { spendableCoins } from "../auth/vesting.js";
import { OnceAHeight } from "../once-a-height.js";
import { BANK_STORE, bankOf, type Owner } from "./bank.js";

const coinMessage = ({ denom, amount }: Coin) => ({ denom, amount: amount.toString() });

/** A page of records where coins have theirs, of a list elsewhere; its key is a denomination in both. */
async function coinsPage(
  call: QueryCall,
  request: PageRequest | undefined,
  records: Records<Coin> | undefined,
  list: () => Coins | Promise<Coins>,
): Promise<Paged<Coin>> {
  if (records) return await paginate(call.stores.store(BANK_STORE), records, request, call);
  return paginateList(await list(), request, ({ denom }) => denom);
}

function checkDenom(denom: string): void {
  if (denom === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid denom");
  checkText("denom", denom);
}

/** The first version of the chain walks all its accounts for one. */
const SUPPLIES = new OnceAHeight("the supply", async (call) => {
  const sums = new Map<string, bigint>();
  const add = ([, coins]: readonly [Uint8Array, Coins]) => {
    for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + amount);
    return true;
  };
  await walk(bankOf(call.version).allBalances(call.stores), add, call);
  return normalCoins([...sums].map(([denom, amount]) => ({ denom, amount })));
});

function supplyOf(call: QueryCall): Coins | Promise<Coins> {
  const { version, stores } = call;
  const bank = bankOf(version);
  return bank.supplyRecords ? bank.supply(stores) : SUPPLIES.of(call);
}

function balancesPage(address: Uint8Array, call: QueryCall, request: PageRequest | undefined): Promise<Paged<Coin>> {
  const bank = bankOf(call.version);
  return coinsPage(call, request, bank.balanceRecords?.(address), () => bank.balances(call.stores, address));
}

/** What of these coins can be spent at the time of the block asked about; those that cannot be are present with 0. */
function spendable(address: Uint8Array, coins: Coins, { stores, node, height }: QueryCall): Coins {
  const vesting = readAccount(stores.store(AUTH_STORE), address)?.vesting;
  if (!vesting) return coins;
  const free = spendableCoins(vesting, coins, node.timeOf(height).seconds);
  return coins.map(({ denom }) => ({ denom, amount: amountOf(free, denom) }));
}

function balanceOf(address: Uint8Array, denom: string, { version, stores }: QueryCall): Coin {
  return { denom, amount: amountOf(bankOf(version).balances(stores, address), denom) };
}

/** Nothing is recorded on how denominations are shown. */
function noMetadata({ denom }: { readonly denom: string }): never {
  checkDenom(denom);
  throw new UpgradeError("UPG_NOT_FOUND_RECORD", `client metadata for denom ${denom}`);
}

async function denomOwners(
  { denom, pagination }: { readonly denom: string; readonly pagination?: PageRequest | undefined },
  call: QueryCall,
) {
  checkDenom(denom);
  const { store, ...records } = bankOf(call.version).ownerRecords;
  const fits = ({ coins }: Owner) => amountOf(coins, denom) > 0n;
  const page = await paginate(call.stores.store(store), records, pagination, call, { fits });
  const owners = page.items.map(({ address, coins }) => ({
    address: call.chain.addresses.encode(address),
    balance: coinMessage({ denom, amount: amountOf(coins, denom) }),
  }));
  return { denomOwners: owners, pagination: page.pagination };
}

const KEPT = [
  "balance",
  "allBalances",
  "spendableBalances",
  "spendableBalanceByDenom",
  "totalSupply",
  "supplyOf",
  "params",
  "denomMetadata",
  "denomsMetadata",
  "denomMetadataByQueryString",
  "denomOwners",
  "denomOwnersByQuery",
  "sendEnabled",
] as const;

export const bankQuery: QueryService = implement(Query, KEPT, {
  balance({ address, denom }, call) {
    checkDenom(denom);
    return { balance: coinMessage(balanceOf(readAddress(call.chain.addresses, address), denom, call)) };
  },

  async allBalances({ address, pagination }, call) {
    const page = await balancesPage(readAddress(call.chain.addresses, address), call, pagination);
    return { balances: coinsToMessages(page.items), pagination: page.pagination };
  },

  async spendableBalances({ address, pagination }, call) {
    const owner = readAddress(call.chain.addresses, address);
    const page = await balancesPage(owner, call, pagination);
    return { balances: coinsToMessages(spendable(owner, page.items, call)), pagination: page.pagination };
  },

  spendableBalanceByDenom({ address, denom }, call) {
    const owner = readAddress(call.chain.addresses, address);
    checkDenom(denom);
    return { balance: spendable(owner, [balanceOf(owner, denom, call)], call).map(coinMessage)[0] };
  },

  async totalSupply({ pagination }, call) {
    const page = await coinsPage(call, pagination, bankOf(call.version).supplyRecords, () => supplyOf(call));
    return { supply: coinsToMessages(page.items), pagination: page.pagination };
  },

  async supplyOf({ denom }, call) {
    checkDenom(denom);
    return { amount: coinMessage({ denom, amount: amountOf(await supplyOf(call), denom) }) };
  },

  params: () => ({ params: { defaultSendEnabled: true } }),

  denomMetadata: noMetadata,

  denomMetadataByQueryString: noMetadata,

  denomOwners,

  denomOwnersByQuery: denomOwners,

  // No denomination has a setting of its own; all follow the default of the parameters.
  sendEnabled: ({ denoms, pagination }) =>
    denoms.length > 0 ? {} : { pagination: paginateList([], pagination, String).pagination },

  denomsMetadata: ({ pagination }) => ({ metadatas: [], pagination: paginateList([], pagination, String).pagination }),
});
