/** The application as an engine calls it: runs that are dropped, what is read between a run and its commit, what comes in and out. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import type { Height, KVStore } from "../../host/base/types/types.js";
import { App, type BlockRequest } from "../../host/chain/app/app.js";
import { AppPort, bytesInBlock } from "../../host/chain/app/app-port.js";
import type { BlockInfo } from "../../host/chain/app/block-info.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { engineMark } from "../../host/chain/app/engine-port.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import type { ConsensusParams } from "../../host/chain/comet-types/consensus-params.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import type { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { exampleChain, V1 } from "../example-chain.js";
import { Chain, failureOf, type Process } from "./chain.js";
import { genesisDocument, genesisText } from "./genesis-text.js";
import { ALICE, BOB, govGenesis, Town } from "./gov-chain.js";
import { splitBalances } from "./versions.js";
import { send } from "./wallet.js";

const portOf = (app: App, genesis = parseGenesis(exampleChain, genesisText())) => new AppPort({ app, genesis });
const at = (height: Height): Pick<BlockRequest, "height" | "time"> => ({
  height,
  time: { seconds: 1_700_000_000n + 5n * height, nanos: 0 },
});
/** Everything on disk: what another run left there would show. */
const contents = ({ chain }: { readonly chain: Chain }) => chain.contents();

/** A chain of version 1 whose next block is before block 4, where `v2` is due. */
function beforeTheHeight(): { readonly chain: Chain; readonly process: Process } {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.upTo(3n);
  return { chain, process: chain.start({ handlers: [splitBalances()] }) };
}

describe("finalizeBlock() again for its height", () => {
  test("with other transactions → result, app hash and disk as if the first run had never been", () => {
    const [once, again] = [new Town(govGenesis()), new Town(govGenesis())];
    const [one, other] = [5, 6].map((amount) => once.sign(ALICE, [send(ALICE, BOB.address, amount)], { fee: "1" }));
    const plain = once.process.block({ txs: [one as Uint8Array] });
    const { app } = again.process;
    app.finalizeBlock({ ...at(app.nextHeight), txs: [other as Uint8Array, one as Uint8Array] });
    const { height, ...result } = plain;
    expect(app.finalizeBlock({ ...at(height), txs: [one as Uint8Array] })).toEqual(result);
    app.commit();
    expect(contents(again)).toEqual(contents(once));
  });

  test("property: any runs before the one that is committed leave nothing (seed printed on failure)", () => {
    const [once, again] = [new Town(govGenesis()), new Town(govGenesis())];
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }), { maxLength: 3 }), (runs) => {
        const { app } = again.process;
        const txs = (amounts: readonly number[]) =>
          amounts.map((amount) => again.sign(ALICE, [send(ALICE, BOB.address, amount)], { fee: "1" }));
        for (const run of runs) app.finalizeBlock({ ...at(app.nextHeight), txs: txs(run) });
        const result = app.finalizeBlock(at(app.nextHeight));
        app.commit();
        expect(result.appHash).toEqual(once.process.block().appHash);
      }),
      { numRuns: 40 },
    );
    expect(contents(again)).toEqual(contents(once));
  });

  test("of the upgrade, whose handler adds a store → the same app hash and disk as one run; the next block goes on", () => {
    const [once, again] = [beforeTheHeight(), beforeTheHeight()];
    const { applied: _, ...plain } = once.process.block();
    const { app } = again.process;
    for (let run = 0; run < 3; run++) {
      expect(app.finalizeBlock(at(4n)).appHash).toEqual(plain.appHash);
      expect(app.applied).toBeUndefined();
    }
    app.commit();
    expect(app.applied?.plan.name).toBe("v2");
    expect(again.process.block().appHash).toEqual(once.process.block().appHash);
    expect(contents(again)).toEqual(contents(once));
  });

  test("of the first block, with initChain() again in between → the same", () => {
    const [once, again] = [new Chain(), new Chain()];
    const plain = once.start().block();
    const { app } = again.start();
    app.initChain();
    app.finalizeBlock(at(1n));
    const begun = app.initChain();
    expect(app.initChain()).toEqual(begun);
    expect(app.finalizeBlock(at(1n)).appHash).toEqual(plain.appHash);
    app.commit();
    expect(again.contents()).toEqual(once.contents());
  });

  test("of another height, or commit() without a run → UPG_BUG_ASSERT, and nothing was committed", () => {
    const chain = new Chain();
    const { app } = chain.start();
    expect(failureOf(() => app.commit())).toMatchObject({ code: "UPG_BUG_ASSERT" });
    const other = chain.start().app;
    expect(failureOf(() => other.finalizeBlock(at(2n)))).toMatchObject({ code: "UPG_BUG_ASSERT" });
    expect(other.lastCommitID.version).toBe(0n);
  });
});

describe("between finalizeBlock() and commit()", () => {
  test("plan, proposals, checks and reads are those of the last commit", () => {
    const chain = new Town(govGenesis());
    const { app } = chain.process;
    chain.process.block();
    const port = portOf(app);
    /** Each has the sequence after that of the one before, which was let in. */
    const sign = () => chain.sign(ALICE, [send(ALICE, BOB.address, 5)], { fee: "1" });
    const tx = sign();
    const height = app.nextHeight;
    const { keeper } = app;
    const plan = { name: "v9", height: height + 1n, info: "" };
    const seen = () => ({
      plan: app.plan,
      isNext: app.isUpgradeBlockNext,
      prepared: port.prepareProposal({ height: app.nextHeight, txs: [tx] }, 10_000).length,
      isGood: port.processProposal({ height: app.nextHeight, txs: [tx] }),
      code: port.checkTx(sign(), "new").code,
      time: app.lastBlockTime,
      end: app.nextEndTime,
      info: port.info(),
      plansKept: app.at().stores.store(UPGRADE_STORE).has(Uint8Array.of(0)),
    });
    expect(port.checkTx(tx, "new").code).toBe(0);
    const before = seen();
    expect(before).toMatchObject({ isNext: false, prepared: 1, isGood: true, code: 0, plansKept: false });
    const schedule = (context: { readonly height: Height; store(name: string): KVStore }) =>
      keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, { authority: keeper.authority, plan });
    app.finalizeBlock({ ...at(height), changes: [schedule] });
    expect(seen()).toEqual(before);
    port.commit();
    expect(seen()).toMatchObject({ plan, isNext: true, prepared: 0, isGood: false, code: 61, plansKept: true });
    expect(port.processProposal({ height: app.nextHeight, txs: [] })).toBe(true);
  });
});

describe("proposals", () => {
  test("prepareProposal() → the transactions that fit with their length and tag, in order; exactly at the limit, and one byte less", () => {
    const { app } = new Chain().start();
    const txs = [0, 1, 127, 128, 20_000].map((length) => new Uint8Array(length));
    const sizes = txs.map(bytesInBlock);
    expect(sizes).toEqual([2, 3, 129, 131, 20_004]);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    const prepared = (bytesMax: number) => portOf(app).prepareProposal({ height: 1n, txs }, bytesMax).length;
    expect([prepared(all), prepared(all - 1), prepared(134), prepared(133), prepared(0)]).toEqual([5, 4, 3, 2, 0]);
  });

  test("of another height than the next → UPG_INVALID_HEIGHT", () => {
    const port = portOf(new Chain().start().app);
    const error = failureOf(() => port.prepareProposal({ height: 2n, txs: [] }, 10));
    expect(error).toMatchObject({ code: "UPG_INVALID_HEIGHT" });
  });
});

describe("initChain()", () => {
  const genesis = parseGenesis(exampleChain, genesisText());
  const request = { chainId: genesis.chainId, time: genesis.time, initialHeight: 1n, validators: [] };

  test("of the same document → validators and parameters of state, and SHA-256 of nothing", () => {
    const port = portOf(new Chain().start().app);
    const begun = port.initChain(request);
    expect(begun).toMatchObject({ appHash: sha256(new Uint8Array()), params: { block: { maxBytes: 22_020_096n } } });
    expect(port.initChain({ ...request, validators: begun.validators })).toEqual(begun);
    expect(port.info()).toMatchObject({ lastHeight: 0n, lastAppHash: new Uint8Array() });
  });

  test.each([
    ["chain id", { chainId: "other-1" }],
    ["initial height", { initialHeight: 2n }],
    ["genesis time", { time: { seconds: 1n, nanos: 0 } }],
    ["validators", { validators: [{ publicKey: { type: "ed25519" as const, bytes: new Uint8Array(32) }, power: 3n }] }],
  ])("of a document with another %s → UPG_INVALID_GENESIS", (what, other) => {
    const port = portOf(new Chain().start().app);
    const error = failureOf(() => port.initChain({ ...request, ...other }));
    expect(error).toMatchObject({ code: "UPG_INVALID_GENESIS", message: expect.stringContaining(what) });
  });
});

/** A module that keeps the gas limit of blocks in its store, and remembers what it saw of blocks. */
function ownModule(seen: BlockInfo[] = []): Module {
  return {
    name: "own",
    consensusVersion: 1n,
    isBounded: true,
    beginBlock: ({ block }) => void seen.push(block),
    consensusParams: (stores, genesis) => {
      const [gas = 0] = stores.store("own").get(Uint8Array.of(1)) ?? [];
      const [extensions = 0] = stores.store("own").get(Uint8Array.of(2)) ?? [];
      const abci = { voteExtensionsHeight: BigInt(extensions) };
      return { ...genesis, abci, block: { ...genesis.block, maxGas: gas === 0 ? -1n : BigInt(gas) - 1n } };
    },
  };
}

class OwnChain {
  readonly database = new MemoryDatabase();
  readonly chain;
  app: App;

  constructor(seen: BlockInfo[] = []) {
    this.chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, ownModule(seen)] });
    this.app = this.start();
  }

  start(): App {
    const genesis = parseGenesis(this.chain, JSON.stringify(genesisDocument()));
    const options = { chain: this.chain, database: this.database, genesis, sha256, core: new Core() };
    this.app = new App({ ...options, engine: engineMark("cometbft") });
    this.app.load();
    return this.app;
  }

  block(values: Readonly<Record<number, number>> = {}, info: Partial<BlockInfo> = {}): ConsensusParams | undefined {
    const { app } = this;
    const set = (context: { store(name: string): KVStore }) => {
      for (const [key, value] of Object.entries(values)) {
        context.store("own").set(Uint8Array.of(Number(key)), Uint8Array.of(value));
      }
    };
    const { paramUpdates } = app.finalizeBlock({ ...at(app.nextHeight), ...info, changes: [set] });
    app.commit();
    return paramUpdates;
  }
}

describe("consensus parameters of a module", () => {
  test("a block that changes them → its result has all of them; the next block has them, and one that writes the same has none", () => {
    const own = new OwnChain();
    expect(own.app.initChain().params.block.maxGas).toBe(-1n);
    expect(own.block()).toBeUndefined();
    expect(own.block({ 1: 8 })).toMatchObject({ block: { maxBytes: 22_020_096n, maxGas: 7n } });
    expect(own.app.consensusParams.block.maxGas).toBe(7n);
    expect(own.start().consensusParams.block.maxGas).toBe(7n);
    expect(own.block({ 1: 8 })).toBeUndefined();
  });

  test("a run that is dropped takes its parameters with it", () => {
    const own = new OwnChain();
    own.block();
    const set = (context: { store(name: string): KVStore }) =>
      context.store("own").set(Uint8Array.of(1), Uint8Array.of(9));
    own.app.finalizeBlock({ ...at(2n), changes: [set] });
    expect(own.app.consensusParams.block.maxGas).toBe(-1n);
    expect(own.app.finalizeBlock(at(2n)).paramUpdates).toBeUndefined();
    own.app.commit();
    expect(own.app.consensusParams.block.maxGas).toBe(-1n);
  });

  test.each([
    ["begin at a height that is over", [{ 2: 1 }]],
    ["end after they began", [{ 2: 3 }, {}, {}, { 2: 0 }]],
  ])("vote extensions that %s → UPG_BUG_MODULE, nothing committed", (_what, blocks) => {
    const own = new OwnChain();
    for (const values of blocks.slice(0, -1)) own.block(values);
    const height = own.app.lastCommitID.version;
    expect(failureOf(() => own.block(blocks.at(-1)))).toMatchObject({ code: "UPG_BUG_MODULE", kind: { exit: 70 } });
    expect(own.start().lastCommitID.version).toBe(height);
  });

  test("two modules that give them → UPG_INVALID_ARGUMENT naming both", () => {
    const modules = [...exampleChain.modules, ownModule(), { ...ownModule(), name: "other" }];
    const error = failureOf(() => defineChain({ name: "ownd", modules }));
    expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining("own, other") });
  });
});

describe("what the engine says of a block", () => {
  const validator = { address: new Uint8Array(20).fill(1), power: 10n };
  const INFO: BlockInfo = {
    proposer: validator.address,
    lastCommit: { round: 2, votes: [{ ...validator, flag: "nil" }] },
    misbehavior: [{ kind: "duplicate_vote", validator, height: 1n, time: { seconds: 5n, nanos: 6 }, totalPower: 40n }],
  };

  test("modules see it; of an engine that says nothing it is empty", () => {
    const seen: BlockInfo[] = [];
    const own = new OwnChain(seen);
    own.block({}, INFO);
    own.block();
    const none = { proposer: new Uint8Array(), lastCommit: { round: 0, votes: [] }, misbehavior: [] };
    expect(seen).toEqual([INFO, none]);
  });

  test("time and engine are in the commit record: a later process knows them", () => {
    const own = new OwnChain();
    const last = (stores: CommitMultiStore) => stores.lastBlock;
    expect(last(own.app.multiStore)).toEqual({ time: undefined, engine: "" });
    own.block();
    expect(last(own.start().multiStore)).toEqual({ time: at(1n).time, engine: "cometbft" });
    expect(own.app.lastBlockTime).toEqual(at(1n).time);
  });
});
