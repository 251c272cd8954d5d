/** What the probes of an upgrade read does not grow with the accounts, delegations, proposals and votes of a chain. */
import { expect, test } from "vitest";
import type { KeyRange, KVReader, MultiStore } from "../../host/base/types/types.js";
import type { Chain as ChainValue } from "../../host/chain/app/chain.js";
import type { ProbeContext } from "../../host/chain/app/context.js";
import type { Module, ReadableStores } from "../../host/chain/app/module.js";
import { encodeAddress } from "../addresses.js";
import { exampleChain } from "../example-chain.js";
import { genesisDocument, testAddress } from "./genesis-text.js";
import { upgradedBySplit } from "./one-upgrade.js";
import { stakeGenesis } from "./stakers.js";

test("the number of reads is the same with 10 and with 10,000 accounts, delegations and votes", () => {
  const reads = [10, 10_000].map((count) => {
    const counter = { reads: 0 };
    const result = upgradedBySplit(countedChain(counter), crowdedGenesis(count));
    expect(result.applied?.probes?.passed).toEqual(["bank", "staking", "gov"]);
    return counter.reads;
  });
  expect(reads[0]).toBeGreaterThan(10);
  expect(reads[1]).toBe(reads[0]);
}, 180_000);

/** The example chain, whose probes and sets of validators count what they read. */
function countedChain(counter: { reads: number }): ChainValue {
  const modules = exampleChain.modules.map((module): Module => {
    const { probe, validators: powers } = module;
    return {
      ...module,
      ...(probe && { probe: (context) => probe(counted(context, counter)) }),
      ...(powers && { validators: (stores, genesis) => powers(countedStores(stores, counter), genesis) }),
    };
  });
  return { ...exampleChain, modules };
}

function counted(context: ProbeContext, counter: { reads: number }): ProbeContext {
  const stores = countedStores(context.stores, counter) as MultiStore;
  return { ...context, stores, store: (name) => stores.store(name) };
}

function countedStores<Stores extends ReadableStores>(stores: Stores, counter: { reads: number }): Stores {
  const store = (name: string): KVReader => {
    const inner = stores.store(name);
    return new Proxy(inner, {
      get: (_target, member: keyof KVReader) => {
        if (member === "iterate") {
          return function* iterate(range?: KeyRange) {
            counter.reads += 1;
            for (const pair of inner.iterate(range)) {
              counter.reads += 1;
              yield pair;
            }
          };
        }
        if (member === "get" || member === "has" || member === "scan") counter.reads += 1;
        const value: unknown = inner[member];
        return typeof value === "function" ? value.bind(inner) : value;
      },
    });
  };
  return new Proxy(stores, {
    get: (target, member) => (member === "store" ? store : Reflect.get(target, member, target)),
  });
}

/** `stakeGenesis` with accounts that delegate to the first validator, and have voted on a proposal. */
function crowdedGenesis(count: number): Record<string, unknown> {
  const document = stakeGenesis() as Document;
  const { auth, bank, staking, gov } = document.app_state;
  const [open] = (genesisDocument() as Document).app_state.gov.proposals;
  const people = Array.from({ length: count }, (_, index) => encodeAddress(testAddress(`one of many ${index}`)));
  const shares = "1.000000000000000000";
  const [validator] = staking.validators;
  people.forEach((address, index) => {
    const number = { account_number: String(100 + index), sequence: "0" };
    auth.accounts.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", address, pub_key: null, ...number });
    bank.balances.push({ address, coins: [{ denom: "ustake", amount: "5" }] });
    staking.delegations.push({ delegator_address: address, validator_address: validator.operator_address, shares });
  });
  const votes = people.map((voter) => ({
    proposal_id: "1",
    voter,
    options: [{ option: "VOTE_OPTION_YES", weight: "1.0" }],
  }));
  const total = 10_000_000 + count;
  const more = { tokens: String(total), delegator_shares: `${total}.000000000000000000` };
  const validators = [{ ...validator, ...more }, ...staking.validators.slice(1)];
  const state = {
    auth,
    bank,
    staking: { ...staking, validators },
    gov: { ...gov, starting_proposal_id: "2", proposals: [open], votes },
  };
  return { ...document, app_state: state };
}

// biome-ignore lint/suspicious/noExplicitAny: parsed genesis JSON, whose sections the test edits freely
type Document = { app_state: { auth: any; bank: any; staking: any; gov: any } };
