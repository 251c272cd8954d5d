/** Pages of long lists: a page costs what is on it, and the pages together are the list. */

import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  QueryAccountsRequestSchema,
  QueryAccountsResponseSchema,
} from "../../../../host/base/gen/cosmos/auth/v1beta1/query_pb.js";
import {
  QueryAllBalancesRequestSchema,
  QueryAllBalancesResponseSchema,
  QueryTotalSupplyRequestSchema,
  QueryTotalSupplyResponseSchema,
} from "../../../../host/base/gen/cosmos/bank/v1beta1/query_pb.js";
import type { PageRequest, PageResponse } from "../../../../host/base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import {
  DepositSchema,
  ProposalSchema,
  ProposalStatus,
  VoteSchema,
} from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import {
  QueryDepositsRequestSchema,
  QueryDepositsResponseSchema,
  QueryProposalsRequestSchema,
  QueryProposalsResponseSchema,
  QueryVotesRequestSchema,
  QueryVotesResponseSchema,
} from "../../../../host/base/gen/cosmos/gov/v1/query_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import type { KVReader } from "../../../../host/base/types/types.js";
import type { QueryApp } from "../../../../host/chain/app/query/call.js";
import { bankOf, storeBank } from "../../../../host/chain/modules/bank/bank.js";
import { GOV_STORE, writeDeposit, writeProposal, writeVote } from "../../../../host/chain/modules/gov/records.js";
import { Query } from "../../../../host/serve/query/query.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { encodeAddress } from "../../../addresses.js";
import { exampleChain, V2 } from "../../../example-chain.js";
import { type TestNode, useTestNode } from "./test-node.js";

const MANY = 300;
const DEPOSITED = ProposalStatus.DEPOSIT_PERIOD;

/** Addresses that sort as their numbers do. */
function address(index: number): Uint8Array {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(0, index);
  return bytes;
}

/** Proposals 1…300, the first of them with as many votes and deposits; every third is voted on. */
function fill({ node }: TestNode): void {
  node.makeBlock([
    (context) => {
      const store = context.store(GOV_STORE);
      for (let index = 1; index <= MANY; index++) {
        const id = BigInt(index);
        const status = index % 3 === 0 ? ProposalStatus.VOTING_PERIOD : DEPOSITED;
        writeProposal(store, create(ProposalSchema, { id, status }));
        const who = encodeAddress(address(index));
        writeVote(store, create(VoteSchema, { proposalId: 1n, voter: who }));
        writeDeposit(store, create(DepositSchema, { proposalId: 1n, depositor: who }));
      }
    },
  ]);
}

/** A store that counts the records read from it. */
function counting(store: KVReader, count: { reads: number }): KVReader {
  return {
    get: (key) => {
      count.reads++;
      return store.get(key);
    },
    has: (key) => store.has(key),
    scan: (range) => store.scan(range),
    *iterate(range) {
      for (const pair of store.iterate(range)) {
        count.reads++;
        yield pair;
      }
    },
  };
}

/** The node's query service over stores that count; in version 2 its bank holds 300 denominations of one account. */
function countingQuery({ node, query }: TestNode, isVersion2 = false) {
  const count = { reads: 0 };
  const bank = new MemoryKVStore();
  const stores = { store: (name: string) => (name === "bank" ? bank : new MemoryKVStore()) };
  const coins = Array.from({ length: MANY }, (_, index) => ({ denom: `coin${1_000 + index}`, amount: 7n }));
  storeBank.mint(stores, address(1), coins);
  const app: QueryApp = {
    keeper: node.app.keeper,
    multiStore: node.app.multiStore,
    simulate: (tx) => node.app.simulate(tx),
    consensusParamsFor: (height) => node.app.consensusParamsFor(height),
    at(height) {
      const state = node.app.at(height);
      const { names } = state.stores;
      const store = (name: string) => counting(name === "bank" ? bank : state.stores.store(name), count);
      return { height: state.height, version: isVersion2 ? V2 : state.version, stores: { names, store } };
    },
  };
  const service = new Query({
    chain: exampleChain,
    app,
    node: query.node,
    sha256,
    bondDenom: "ustake",
    stakingParams: undefined,
    compatCosmos: true,
  });
  return {
    count,
    async ask<I extends DescMessage, O extends DescMessage>(
      [path, input]: Method<I, O>,
      init: MessageInitShape<I>,
    ): Promise<MessageShape<O>> {
      const method = service.method(path);
      if (!method) throw new Error(`no method ${path}`);
      const { message } = await service.call(method, create(input, init), 0n);
      return message as MessageShape<O>;
    },
  };
}

type Method<I extends DescMessage, O extends DescMessage> = readonly [path: string, input: I, output: O];

const GOV = "/cosmos.gov.v1.Query/";
const BANK = "/cosmos.bank.v1beta1.Query/";
const PROPOSALS = [`${GOV}Proposals`, QueryProposalsRequestSchema, QueryProposalsResponseSchema] as const;
const VOTES = [`${GOV}Votes`, QueryVotesRequestSchema, QueryVotesResponseSchema] as const;
const DEPOSITS = [`${GOV}Deposits`, QueryDepositsRequestSchema, QueryDepositsResponseSchema] as const;
const BALANCES = [`${BANK}AllBalances`, QueryAllBalancesRequestSchema, QueryAllBalancesResponseSchema] as const;
const SUPPLY = [`${BANK}TotalSupply`, QueryTotalSupplyRequestSchema, QueryTotalSupplyResponseSchema] as const;
const ACCOUNTS = [
  "/cosmos.auth.v1beta1.Query/Accounts",
  QueryAccountsRequestSchema,
  QueryAccountsResponseSchema,
] as const;

type Pagination = Partial<Pick<PageRequest, "key" | "offset" | "limit" | "countTotal" | "reverse">>;
interface Answer {
  readonly names: readonly string[];
  readonly nextKey: Uint8Array;
  readonly total: bigint;
  readonly reads: number;
}

type Counting = ReturnType<typeof countingQuery>;

/** Every list as a function from a page asked for to the names on it. */
function lists(query: Counting, ofVersion2: Counting) {
  const owner = encodeAddress(address(1));
  const list =
    <I extends DescMessage, O extends DescMessage>(
      { ask, count }: Counting,
      method: Method<I, O>,
      request: (pagination: Pagination) => MessageInitShape<I>,
      names: (answer: MessageShape<O>) => { names: string[]; pagination?: PageResponse | undefined },
    ) =>
    async (pagination: Pagination): Promise<Answer> => {
      const before = count.reads;
      const { names: found, pagination: page } = names(await ask(method, request(pagination)));
      return {
        names: found,
        nextKey: page?.nextKey ?? new Uint8Array(),
        total: page?.total ?? 0n,
        reads: count.reads - before,
      };
    };
  const ofProposal = (pagination: Pagination) => ({ proposalId: 1n, pagination });
  const plain = (pagination: Pagination) => ({ pagination });
  const ofOwner = (pagination: Pagination) => ({ address: owner, pagination });
  return {
    proposals: list(query, PROPOSALS, plain, ({ proposals, pagination }) => ({
      names: proposals.map(({ id }) => String(id)),
      pagination,
    })),
    votes: list(query, VOTES, ofProposal, ({ votes, pagination }) => ({
      names: votes.map(({ voter }) => voter),
      pagination,
    })),
    deposits: list(query, DEPOSITS, ofProposal, ({ deposits, pagination }) => ({
      names: deposits.map(({ depositor }) => depositor),
      pagination,
    })),
    accounts: list(query, ACCOUNTS, plain, ({ accounts, pagination }) => ({
      names: accounts.map(({ value }) => Buffer.from(value).toString("hex")),
      pagination,
    })),
    balances: list(ofVersion2, BALANCES, ofOwner, ({ balances, pagination }) => ({
      names: balances.map(({ denom }) => denom),
      pagination,
    })),
    supply: list(ofVersion2, SUPPLY, plain, ({ supply, pagination }) => ({
      names: supply.map(({ denom }) => denom),
      pagination,
    })),
  };
}

test("a page of ten out of hundreds → as many records are read, and the one that the next begins with", () =>
  useTestNode(async (node) => {
    fill(node);
    const [query, ofVersion2] = [countingQuery(node), countingQuery(node, true)];
    const { accounts: _, ...long } = lists(query, ofVersion2);
    for (const [name, list] of Object.entries(long)) {
      for (const reverse of [false, true]) {
        const first = await list({ limit: 10n, reverse });
        const next = await list({ limit: 10n, reverse, key: first.nextKey });
        for (const { names, reads } of [first, next]) {
          expect(names, name).toHaveLength(10);
          // The proposal itself is looked up before its votes.
          expect(reads, name).toBeGreaterThanOrEqual(11);
          expect(reads, name).toBeLessThanOrEqual(12);
        }
        expect(new Set([...first.names, ...next.names]).size, name).toBe(20);
      }
    }
  }));

test("pages by key and by offset, up and down → together the whole list, in its order, once each", () =>
  useTestNode(async (node) => {
    fill(node);
    const all = lists(countingQuery(node), countingQuery(node, true));
    for (const [name, list] of Object.entries(all)) {
      const whole = await list({ limit: 1_000n, countTotal: true });
      expect(whole.total, name).toBe(BigInt(whole.names.length));
      if (name !== "accounts") expect(whole.names.length, name).toBeGreaterThanOrEqual(MANY);
      for (const reverse of [false, true]) {
        const expected = reverse ? [...whole.names].reverse() : whole.names;
        const byKey: string[] = [];
        let key = new Uint8Array();
        do {
          const page = await list({ limit: 97n, reverse, key });
          byKey.push(...page.names);
          key = Uint8Array.from(page.nextKey);
        } while (key.length > 0);
        expect(byKey, name).toEqual(expected);
        const part = await list({ offset: 5n, limit: 4n, reverse, countTotal: true });
        expect([part.names, part.total], name).toEqual([expected.slice(5, 9), whole.total]);
      }
      const unlimited = await list({});
      expect([unlimited.names, unlimited.total], name).toEqual([whole.names.slice(0, 100), whole.total]);
      expect((await list({ offset: 1_000n })).names).toEqual([]);
    }
  }));

test("proposals of a status, a voter, a depositor → those alone, page by page", () =>
  useTestNode(async (node) => {
    fill(node);
    const { ask } = countingQuery(node);
    const ids = async (init: MessageInitShape<typeof QueryProposalsRequestSchema>) => {
      const { proposals, pagination } = await ask(PROPOSALS, init);
      return [proposals.map(({ id }) => Number(id)), pagination?.nextKey.length ? "more" : "", pagination?.total];
    };
    const voting = { proposalStatus: ProposalStatus.VOTING_PERIOD };
    expect(await ids({ ...voting, pagination: { limit: 3n } })).toEqual([[3, 6, 9], "more", 0n]);
    expect(await ids({ ...voting, pagination: { limit: 100n, countTotal: true } })).toEqual([
      Array.from({ length: 100 }, (_, index) => 3 * (index + 1)),
      "",
      100n,
    ]);
    const who = encodeAddress(address(200));
    expect(await ids({ voter: who })).toEqual([[1], "", 1n]);
    expect(await ids({ depositor: who.toUpperCase(), proposalStatus: DEPOSITED })).toEqual([[1], "", 1n]);
    expect(await ids({ depositor: who, ...voting })).toEqual([[], "", 0n]);
    expect(await ids({ voter: encodeAddress(address(MANY + 1)) })).toEqual([[], "", 0n]);
  }));

test("the supply of version 1, asked for twice at once → one walk over all accounts, with turns for others on its way", () =>
  useTestNode(async (node) => {
    const bank = bankOf(node.node.app.version);
    node.node.makeBlock([
      ({ stores }) => {
        for (let index = 1; index <= 2_500; index++) bank.mint(stores, address(index), [{ denom: "coin", amount: 2n }]);
      },
    ]);
    const { ask, count } = countingQuery(node);
    let turns = 0;
    setImmediate(() => turns++);
    const [one, two] = await Promise.all([ask(SUPPLY, {}), ask(SUPPLY, {})]);
    expect(turns).toBe(1);
    expect(one.supply).toEqual(two.supply);
    expect(one.supply.map(({ denom, amount }) => [denom, amount])).toContainEqual(["coin", "5000"]);
    const { reads } = count;
    expect(reads).toBeGreaterThan(2_500);
    expect(reads).toBeLessThan(5_000);
    await ask(SUPPLY, {});
    expect(count.reads).toBe(reads);
  }));
