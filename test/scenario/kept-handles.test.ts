/** Stores and gas that a module keeps from one call, and uses in another. */
import { describe, expect, test } from "vitest";
import { MsgAddNoteResponseSchema, MsgAddNoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import type { KVStore } from "../../host/base/types/types.js";
import { App } from "../../host/chain/app/app.js";
import type { ModuleContext } from "../../host/chain/app/context.js";
import { defineChain, migrate } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { messageKind } from "../../host/chain/app/tx/message-kind.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { next, upgraded } from "./one-upgrade.js";
import { pack, Signer } from "./wallet.js";

const KEY = Uint8Array.of(1);
const alice = new Signer("alice");
const ACCOUNT_NUMBER = 500n;

/** Of one process: the first call of a message keeps what the later ones use. */
type Keep = (context: ModuleContext) => () => unknown;

/** The results of transactions that all use what the first one kept, each in a block of its own. */
function results(keep: Keep, count = 2) {
  let kept: (() => unknown) | undefined;
  const message = messageKind({
    ...{ schema: MsgAddNoteSchema, response: MsgAddNoteResponseSchema, signer: "author", isBounded: true },
    run(context) {
      kept ??= keep(context);
      kept();
      return undefined;
    },
  });
  const own = { name: "own", consensusVersion: 1n, messages: [message] };
  const chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, own] });
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  const account = { address: alice.address, account_number: String(ACCOUNT_NUMBER), sequence: "0" };
  state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...account });
  const genesis = parseGenesis(chain, JSON.stringify(document));
  const app = new App({ chain, database: new MemoryDatabase(), genesis, sha256, core: new Core() });
  app.load();
  return Array.from({ length: count }, (_, sequence) => {
    const facts = { chainId: "scenario-1", accountNumber: ACCOUNT_NUMBER, sequence: BigInt(sequence) };
    const tx = alice.sign([pack(MsgAddNoteSchema, { author: alice.address, text: "x" })], facts);
    const { txResults } = app.finalizeBlock({ height: app.nextHeight, time: genesis.time, txs: [tx] });
    app.commit();
    return txResults[0];
  });
}

const KEPT: Readonly<Record<string, Keep>> = {
  "get() of a store": ({ store }) => {
    const own = store("own");
    return () => own.get(KEY);
  },
  "has() of a store": ({ store }) => {
    const own = store("own");
    return () => own.has(KEY);
  },
  "set() of a store": ({ store }) => {
    const own = store("own");
    return () => own.set(KEY, KEY);
  },
  "delete() of a store": ({ store }) => {
    const own = store("own");
    return () => own.delete(KEY);
  },
  "iterate() of a store, which is empty": ({ store }) => {
    const own = store("own");
    return () => [...own.iterate()];
  },
  "scan() of a store, which is empty": ({ store }) => {
    const own = store("own");
    return () => own.scan().read(new Uint8Array(100));
  },
  "stores.store()": ({ stores }) => {
    return () => stores.store("own").get(KEY);
  },
  "a branch": ({ stores }) => {
    const branch = stores.branch();
    return () => branch.store("own").get(KEY);
  },
  "store() of the context": (context) => () => context.store("own").get(KEY),
  "consumeGas()": (context) => () => context.consumeGas(0n, "later"),
};

describe("what a message keeps, used by the next transaction", () => {
  test.each(Object.entries(KEPT))("%s → sdk 35, UPG_INVALID_NONDETERMINISTIC with the message", (_what, keep) => {
    const [first, second] = results(keep);
    expect(first).toMatchObject({ code: 0 });
    expect(second).toMatchObject({ codespace: "sdk", code: 35 });
    expect(second?.log).toContain(`/${MsgAddNoteSchema.typeName} used a store or gas of a transaction that is over`);
    expect(second?.log).toContain("[UPG_INVALID_NONDETERMINISTIC]");
  });

  test("after a transaction that failed → the same", () => {
    const [first, second] = results((context) => {
      const own = context.store("own");
      let calls = 0;
      return () => {
        own.set(KEY, KEY);
        if (calls++ === 0) throw new Error("once");
      };
    });
    expect(first).toMatchObject({ code: 111_222 });
    expect(second).toMatchObject({ codespace: "sdk", code: 35 });
  });
});

describe("what a hook or a migration keeps, used by a later hook", () => {
  const USES: Readonly<Record<string, (store: KVStore) => unknown>> = {
    get: (store) => store.get(KEY),
    has: (store) => store.has(KEY),
    set: (store) => store.set(KEY, KEY),
    delete: (store) => store.delete(KEY),
    iterate: (store) => [...store.iterate()],
    "scan of an empty store": (store) => store.scan().read(new Uint8Array(100)),
  };
  const USED = "used a store of a call that is over";
  const LATER = 3n;

  const chainWith = (own: Partial<Module>) => {
    const module = { name: "own", consensusVersion: 2n, ...own };
    const upgrades = [{ plan: "next", from: { own: 1n }, handler: migrate }];
    return defineChain({ name: "ownd", modules: [...exampleChain.modules, module], upgrades });
  };
  const run = (own: Partial<Module>) => {
    const { app } = upgraded(chainWith({ migrations: { 1: () => undefined }, ...own }), { register: () => undefined });
    return failureOf(() => next(app));
  };

  for (const isBounded of [false, true]) {
    test.each(Object.entries(USES))(
      `%s of a store of a migration, isBounded: ${isBounded} → the node stops`,
      (_, use) => {
        let kept: KVStore | undefined;
        const keep = (context: { store(name: string): KVStore }) => {
          kept = context.store("own");
        };
        const endBlock = ({ height }: { readonly height: bigint }) => {
          if (height >= LATER) use(kept as KVStore);
        };
        const failure = run({ isBounded, migrations: { 1: keep }, endBlock });
        expect(failure).toMatchObject({ code: "UPG_BUG_MODULE" });
        expect(failure.message).toContain(`EndBlock of module own ${USED}`);
      },
    );

    test.each(Object.entries(USES))(
      `%s of a store of another block, isBounded: ${isBounded}, caught → the node stops`,
      (_, use) => {
        let kept: KVStore | undefined;
        const beginBlock = (context: { readonly height: bigint; store(name: string): KVStore }) => {
          if (context.height < LATER) kept = context.store("own");
          else
            try {
              use(kept as KVStore);
            } catch {
              // A module may go on.
            }
        };
        const failure = run({ isBounded, beginBlock });
        expect(failure).toMatchObject({ code: "UPG_BUG_MODULE" });
        expect(failure.message).toContain(`BeginBlock of module own ${USED}`);
      },
    );
  }
});
