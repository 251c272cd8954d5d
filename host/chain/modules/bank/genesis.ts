/** The bank part of a genesis document: balances. */
import { equalBytes } from "../../../base/text/bytes.js";
import { listText } from "../../app/genesis/list-text.js";
import { type GenesisContext, type GenesisSection, moduleGenesis } from "../../app/genesis/module-genesis.js";
import type { AddressCodec } from "../../values/address.js";
import { AMOUNT_MAX, type Coin, type Coins, formatCoins, normalCoins } from "../../values/coins.js";
import { readCoins } from "../../values/json-coins.js";
import { type GenesisList, listOnce } from "../../values/json-list.js";
import type { JsonReader } from "../../values/json-reader.js";
import { AUTH_STORE, ensureAccount } from "../auth/accounts.js";
import { bankOf } from "./bank.js";

export interface GenesisBalance {
  readonly address: Uint8Array;
  readonly coins: readonly Coin[];
}

/** Sees every balance of a walk over all, and its end; both may refuse the document. */
export interface BalanceWatch {
  see(balance: GenesisBalance): void;
  end(): void;
}

export interface BankGenesis {
  /** At the end of a walk the sums are checked, and what other modules hold to be true of them. */
  readonly balances: GenesisList<GenesisBalance>;
  /** A later module's condition on all balances. */
  watch(begin: () => BalanceWatch): void;
  /** Balances that come next and have no account yet: of one walk over accounts and balances together. */
  rest?: Rest;
}

interface Rest {
  next: IteratorResult<GenesisBalance>;
  readonly balances: Iterator<GenesisBalance>;
}

export const bankGenesis = moduleGenesis<BankGenesis>({
  parts: { balances: "list", params: "unread", supply: "held", denom_metadata: "unread", send_enabled: "unread" },
  default: () => ({ balances: [] }),
  read(section) {
    const claimed = readCoins(section.json.get("supply"));
    const watches: (() => BalanceWatch)[] = [() => supplyWatch(section, claimed)];
    const begin = () => {
      const all = watches.map((each) => each());
      return {
        see: (balance: GenesisBalance) => {
          for (const watch of all) watch.see(balance);
        },
        end: () => {
          for (const watch of all) watch.end();
        },
      };
    };
    const balances = listOnce(
      section.list("balances"),
      (each) => readBalance(section.addresses, each),
      ({ address }) => address,
      begin,
    );
    return { balances, watch: (watch) => watches.push(watch) };
  },
  lists: (state) => [["balances", state.balances]],
  counts: (state) => ({ balances: state.balances.length }),
  // Exported documents list both in one order: an account whose coins come next gets them while it is at hand.
  accountAdded(context, state) {
    const balances = state.balances[Symbol.iterator]();
    const rest: Rest = { balances, next: balances.next() };
    state.rest = rest;
    return (address) => {
      if (rest.next.done || !equalBytes(rest.next.value.address, address)) return;
      mint(context, rest.next.value);
      rest.next = balances.next();
    };
  },
  init(context, state) {
    const { balances, next } = state.rest ?? begun(state);
    for (let at = next; !at.done; at = balances.next()) {
      ensureAccount(context.store(AUTH_STORE), at.value.address);
      mint(context, at.value);
    }
  },
  *export({ view, version, addresses }) {
    yield '{"balances":';
    yield* listText(bankOf(version).allBalances(view), (each) => balanceJson(each, addresses));
    yield "}";
  },
});

function begun({ balances }: BankGenesis): Rest {
  const walk = balances[Symbol.iterator]();
  return { balances: walk, next: walk.next() };
}

function mint(context: GenesisContext, { address, coins }: GenesisBalance): void {
  if (coins.length > 0) bankOf(context.version).mint(context.stores, address, coins);
}

/**
 * No denomination's sum may pass what an amount can be: the supply is one. A supply that the document has is the sum, as x/bank's
 * InitGenesis requires it; none is taken from the balances.
 */
function supplyWatch({ json }: GenesisSection, claimed: readonly Coin[]): BalanceWatch {
  const supply = new Map<string, bigint>();
  return {
    see({ coins }) {
      for (const { denom, amount } of coins) supply.set(denom, (supply.get(denom) ?? 0n) + amount);
    },
    end() {
      for (const [denom, amount] of supply) {
        if (amount > AMOUNT_MAX) throw json.get("balances").wrong(`the sum of ${denom} has more than 256 bits`);
      }
      if (claimed.length === 0) return;
      const sums = [...supply].filter(([, amount]) => amount > 0n).map(([denom, amount]) => ({ denom, amount }));
      const [expected, found] = [formatCoins(normalCoins(sums)), formatCoins(claimed)];
      if (expected !== found)
        throw json.get("supply").wrong(`it is not the sum of the balances: expected ${expected}, got ${found}`);
    },
  };
}

function readBalance(addresses: AddressCodec, balance: JsonReader): GenesisBalance {
  balance.only("address", "coins");
  return { address: balance.get("address").parse(addresses.decode), coins: readCoins(balance.get("coins")) };
}

const balanceJson = ([address, coins]: readonly [Uint8Array, Coins], { encode }: AddressCodec) => ({
  address: encode(address),
  coins: coins.map(({ denom, amount }) => ({ denom, amount: String(amount) })),
});
