/** The bank module's queries: alike in every version of the chain, wherever that keeps its coins. */
import { amountOf, type Coin, coinsToMessages } from "../../chain/coins.js";
import { UpgradeError } from "../../errors.js";
import { Query } from "../../gen/cosmos/bank/v1beta1/query_pb.js";
import type { PageRequest } from "../../gen/cosmos/base/query/v1beta1/pagination_pb.js";
import type { QueryCall } from "./call.js";
import { paginateList } from "./paginate.js";
import { implement, type QueryService } from "./service.js";
import { checkText, readAddress } from "./texts.js";

const coinMessage = ({ denom, amount }: Coin) => ({ denom, amount: amount.toString() });

function coinsPage(coins: readonly Coin[], request: PageRequest | undefined) {
  const { items, pagination } = paginateList(coins, request, ({ denom }) => denom);
  return { coins: coinsToMessages(items), pagination };
}

function checkDenom(denom: string): void {
  if (denom === "") throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid denom");
  checkText("denom", denom);
}

/** Supplies that were summed up, by height: the first version of the chain walks all its accounts for one. */
const SUPPLIES_KEPT = 8;
const supplies = new WeakMap<object, Map<bigint, readonly Coin[]>>();

function supplyOf({ app, height, stores, version }: QueryCall): readonly Coin[] {
  const known = supplies.get(app) ?? new Map<bigint, readonly Coin[]>();
  supplies.set(app, known);
  const kept = known.get(height);
  if (kept) return kept;
  const supply = version.bank.supply(stores);
  known.set(height, supply);
  for (const old of known.keys()) {
    if (known.size <= SUPPLIES_KEPT) break;
    known.delete(old);
  }
  return supply;
}

const balancesOf = (address: string, { version, stores }: QueryCall) =>
  version.bank.balances(stores, readAddress(address));

export const bankQuery: QueryService = implement(Query, {
  balance({ address, denom }, call) {
    checkDenom(denom);
    return { balance: coinMessage({ denom, amount: amountOf(balancesOf(address, call), denom) }) };
  },

  allBalances({ address, pagination }, call) {
    const page = coinsPage(balancesOf(address, call), pagination);
    return { balances: page.coins, pagination: page.pagination };
  },

  spendableBalances({ address, pagination }, call) {
    const page = coinsPage(balancesOf(address, call), pagination);
    return { balances: page.coins, pagination: page.pagination };
  },

  totalSupply({ pagination }, call) {
    const page = coinsPage(supplyOf(call), pagination);
    return { supply: page.coins, pagination: page.pagination };
  },

  supplyOf({ denom }, call) {
    checkDenom(denom);
    return { amount: coinMessage({ denom, amount: amountOf(supplyOf(call), denom) }) };
  },

  params: () => ({ params: { defaultSendEnabled: true } }),

  denomMetadata({ denom }) {
    checkDenom(denom);
    throw new UpgradeError("UPG_NOT_FOUND_RECORD", `client metadata for denom ${denom}`);
  },

  denomsMetadata: ({ pagination }) => ({ metadatas: [], pagination: paginateList([], pagination, String).pagination }),
});
