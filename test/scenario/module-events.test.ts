/** Events that modules emit: counted, bounded, and text. */
import { describe, expect, test } from "vitest";
import { MsgAddNoteResponseSchema, MsgAddNoteSchema, NoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { BLOCK_EVENT_BYTES_MAX, TX_EVENT_BYTES_MAX } from "../../host/base/types/limits.js";
import { App, type TxResult } from "../../host/chain/app/app.js";
import type { ModuleContext } from "../../host/chain/app/context.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { messageKind } from "../../host/chain/app/tx/message-kind.js";
import { GAS } from "../../host/chain/values/gas.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { attribute, Town } from "./gov-chain.js";
import { upgraded } from "./one-upgrade.js";
import { GOV_ADDRESS, pack, Signer } from "./wallet.js";

const ACCOUNT_NUMBER = 500n;
const ACTION = "act";
const TYPE_URL = `/${MsgAddNoteSchema.typeName}`;
const alice = new Signer("alice");

/** What a module's function does with its context. */
type Act = (context: ModuleContext) => void;

/** A chain with a module whose message does what a test says. */
class Program {
  readonly app: App;
  #sequence = 0n;

  constructor(act: Act, own: Partial<Module> = {}) {
    const message = messageKind({
      schema: MsgAddNoteSchema,
      response: MsgAddNoteResponseSchema,
      signer: "author",
      run: (context) => void act(context),
    });
    const module: Module = { name: "own", consensusVersion: 1n, stores: [], messages: [message], ...own };
    const chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, module] });
    const document = genesisDocument();
    const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
    const account = { address: alice.address, account_number: String(ACCOUNT_NUMBER), sequence: "0" };
    state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...account });
    const genesis = parseGenesis(chain, JSON.stringify(document));
    this.app = new App({ chain, database: new MemoryDatabase(), genesis, sha256, core: new Core() });
    this.app.load();
    this.block();
  }

  /** A block with the message: what a simulation before it returned, and its result. */
  act(gas = 100_000_000n): { readonly simulated: TxResult; readonly result: TxResult } {
    const message = pack(MsgAddNoteSchema, { author: alice.address, text: ACTION });
    const facts = { chainId: "scenario-1", accountNumber: ACCOUNT_NUMBER, sequence: this.#sequence++, gas };
    const tx = alice.sign([message], facts);
    const simulated = this.app.simulate(tx);
    const [result] = this.block([tx]).txResults;
    return { simulated, result: result as TxResult };
  }

  block(txs: readonly Uint8Array[] = []) {
    const { app } = this;
    const made = app.finalizeBlock({ height: app.nextHeight, time: { seconds: 1_700_000_000n, nanos: 0 }, txs });
    app.commit();
    return made;
  }
}

/** As the counter has it: what is around the text of an event with one attribute is 16 bytes. */
const AROUND = 16;
const emitBytes =
  (bytes: number): Act =>
  (context) =>
    context.emit("e", ["k", "v".repeat(bytes - AROUND - 2)]);
const gasOf = (act: Act) => {
  const { simulated, result } = new Program(act).act();
  expect(result).toMatchObject({ code: 0 });
  expect(simulated).toMatchObject({ code: 0, gasUsed: result.gasUsed, events: result.events });
  return result.gasUsed;
};
/** What the ante emits counts too. */
const ANTE_BYTES_MAX = 1_000;

describe("events of a transaction", () => {
  const none = gasOf(() => undefined);

  test("at most 64 KiB → no gas; beyond → 10 gas a byte of UTF-8, as in a simulation", () => {
    expect(gasOf(emitBytes(GAS.EVENT_BYTES_FREE - ANTE_BYTES_MAX))).toBe(none);
    const charged = gasOf(emitBytes(GAS.EVENT_BYTES_FREE)) - none;
    expect(charged).toBeGreaterThan(0n);
    expect(charged).toBeLessThan(10n * BigInt(ANTE_BYTES_MAX));
    expect(gasOf(emitBytes(GAS.EVENT_BYTES_FREE + 100)) - none).toBe(charged + 1_000n);
    const half = GAS.EVENT_BYTES_FREE / 2;
    const inTwo: Act = (context) => {
      emitBytes(half)(context);
      emitBytes(half)(context);
    };
    expect(gasOf(inTwo) - none).toBe(charged);
    const text: Act = (context) => context.emit("é€😀", ["", "v".repeat(GAS.EVENT_BYTES_FREE - AROUND - 9)]);
    expect(gasOf(text) - none).toBe(charged);
  });

  test("without text → they count too", () => {
    const act: Act = (context) => {
      for (let n = 0; n < 10_000; n++) context.emit("");
    };
    expect(gasOf(act)).toBeGreaterThan(none + 100_000n);
    const endless: Act = (context) => {
      for (;;) context.emit("");
    };
    expect(new Program(endless).act().result).toMatchObject({ codespace: "sdk", code: 11 });
  });

  test("more gas than the limit → sdk 11, and the transaction has no event of its message", () => {
    const { result } = new Program(emitBytes(500_000)).act(100_000n);
    expect(result).toMatchObject({ codespace: "sdk", code: 11 });
    expect(result.log).toContain("out of gas in location: EventPerByte");
    expect(result.events.map(({ type }) => type)).not.toContain("e");
  });

  test("1 MiB → fine; past it → sdk 11, in a simulation too, also when the module catches the error", () => {
    expect(new Program(emitBytes(TX_EVENT_BYTES_MAX - ANTE_BYTES_MAX)).act().result.code).toBe(0);
    const { simulated, result } = new Program(emitBytes(TX_EVENT_BYTES_MAX + 1)).act();
    for (const each of [simulated, result]) {
      expect(each).toMatchObject({ codespace: "sdk", code: 11 });
      expect(each.log).toContain("the events of a transaction have at most 1048576 bytes");
    }
    const caught = new Program((context) => {
      for (let n = 0; n < 3; n++) {
        try {
          emitBytes(TX_EVENT_BYTES_MAX / 2)(context);
        } catch {
          // It goes on.
        }
      }
    }).act();
    expect(caught.result.events.filter(({ type }) => type === "e")).toHaveLength(1);
  });

  test("of a run that the module drops → counted as well", () => {
    const dropped: Act = (context) => {
      for (let n = 0; n < 3; n++) emitBytes(TX_EVENT_BYTES_MAX / 2)(context.over(context.stores.branch(), []));
    };
    expect(new Program(dropped).act().result).toMatchObject({ codespace: "sdk", code: 11 });
  });
});

describe("events of hooks", () => {
  const PART = BLOCK_EVENT_BYTES_MAX / 8;
  const emitParts =
    (parts: number, bytes = PART): Act =>
    (context) => {
      for (let n = 0; n < parts; n++) emitBytes(bytes)(context);
    };
  const silent: Act = () => undefined;

  for (const isBounded of [false, true]) {
    test(`16 MiB a block, ${isBounded ? "run once" : "run twice"} → fine below, UPG_BUG_MODULE with the hook past it`, () => {
      const program = new Program(silent, { isBounded, beginBlock: emitParts(4), endBlock: emitParts(3) });
      expect(program.block().events.filter(({ type }) => type === "e")).toHaveLength(7);
      const hooks = { isBounded, beginBlock: emitParts(4), endBlock: emitParts(5) };
      const failure = failureOf(() => new Program(silent, hooks));
      expect(failure).toMatchObject({ code: "UPG_BUG_MODULE", kind: { exit: 70 } });
      expect(failure.message).toContain("EndBlock of module own failed at height 1: the events of a block's hooks");
    });
  }

  test("200,000 small ones, more than arguments fit on the stack → all in the block's result", () => {
    const hooks = { beginBlock: emitParts(200_000, 20), endBlock: emitParts(200_000, 20) };
    const { events } = new Program(silent, hooks).block();
    expect(events.filter(({ type }) => type === "e")).toHaveLength(400_000);
  });

  test("in the block of an upgrade → UPG_MIGRATION_HOOK (20)", () => {
    const own: Module = {
      ...{ name: "own", consensusVersion: 1n, stores: [] },
      beginBlock: (context) => (context.height === 2n ? emitParts(9)(context) : undefined),
    };
    const chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, own] });
    expect(failureOf(() => upgraded(chain))).toMatchObject({ code: "UPG_MIGRATION_HOOK", kind: { exit: 20 } });
  });

  test("what runs inside a hook and is caught → leaves room for the events of the hook itself", () => {
    const endBlock: Act = (context) => {
      const inside = context.over(context.stores.branch(), []);
      expect(() => emitParts(100, PART / 4)(inside)).toThrow("the events of a block's hooks");
      context.emit("caught");
    };
    const { events } = new Program(silent, { isBounded: true, endBlock }).block();
    expect(events.map(({ type }) => type)).toContain("caught");
  });
});

describe("the message of a passed proposal", () => {
  const passed = (act: Act) => {
    const message = messageKind({
      ...{ schema: NoteSchema, response: MsgAddNoteResponseSchema, signer: "author", isForGovernance: true },
      run: (context) => void act(context),
    });
    const own: Module = { name: "own", consensusVersion: 1n, stores: [], messages: [message] };
    const chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, own] });
    const town = new Town(undefined, { chain, start: { versions: chain.versions } });
    town.voteAll(town.propose([pack(NoteSchema, { author: GOV_ADDRESS })]));
    const ended = town.blocks(4).find((made) => attribute(made, "active_proposal", "proposal_result"));
    const [result, log] = ["proposal_result", "proposal_log"].map(
      (key) => ended && attribute(ended, "active_proposal", key),
    );
    return { result, log };
  };

  test("emits too much, or what is no text → the proposal fails, and the block goes on", () => {
    const tooMany = passed((context) => {
      for (;;) emitBytes(1_000_000)(context);
    });
    expect(tooMany.result).toBe("proposal_failed");
    expect(tooMany.log).toContain("the events of a block's hooks have at most");
    const noText = passed((context) => Reflect.apply(context.emit, context, ["e", ["k", 5]]));
    expect(noText.log).toContain("is the number 5");
  });

  test("throws a text cut in the middle of a character → the log of its event is text", () => {
    const cut = passed(() => {
      throw new Error("no 😀".slice(0, -1));
    });
    expect(cut.result).toBe("proposal_failed");
    expect(cut.log).toContain("recovered: no \ufffd");
  });
});

describe("emit() of what is no text → refused with the function and the attribute", () => {
  const WRONG: readonly (readonly [what: string, args: readonly unknown[], text: string])[] = [
    ["a number as a value", ["e", ["k", 5]], 'the value of attribute "k" of event "e" is the number 5'],
    ["undefined as a value", ["e", ["k", undefined]], 'the value of attribute "k" of event "e" is undefined'],
    ["no value", ["e", ["k"]], 'attribute 0 of event "e" is no pair of a key and a value'],
    ["null as a value", ["e", ["k", null]], 'the value of attribute "k" of event "e" is null'],
    ["a bigint as a value", ["e", ["a", ""], ["k", 5n]], 'the value of attribute "k" of event "e" is the bigint 5'],
    ["an object as a value", ["e", ["k", {}]], 'the value of attribute "k" of event "e" is an object'],
    ["an array as a key", ["e", [[], "v"]], 'the key of attribute 0 of event "e" is an object'],
    [
      "half a surrogate pair",
      ["e", ["k", "\ud800"]],
      'the value of attribute "k" of event "e" holds half of a surrogate',
    ],
    ["half a pair in a key", ["e", ["\udc00", "v"]], 'the key of attribute 0 of event "e" holds half of a surrogate'],
    ["a symbol as a type", [Symbol("e")], "the type of an event is a symbol"],
    ["nothing", [], "the type of an event is undefined"],
    ["half a pair in a type", ["\ud83d"], "the type of an event holds half of a surrogate"],
    ["a text for an attribute", ["e", "kv"], 'attribute 0 of event "e" is no pair of a key and a value'],
    ["three for an attribute", ["e", ["k", "v", "w"]], 'attribute 0 of event "e" is no pair of a key and a value'],
  ];

  test.each(WRONG)("%s", (_what, args, text) => {
    const act: Act = (context) => Reflect.apply(context.emit, context, args);
    const { simulated, result } = new Program(act).act();
    for (const each of [simulated, result]) {
      expect(each).toMatchObject({ codespace: "undefined", code: 1 });
      expect(each.log).toContain(`${TYPE_URL} called emit(): ${text}`);
    }
    const failure = failureOf(() => new Program(() => undefined, { endBlock: act }));
    expect(failure.code).toBe("UPG_BUG_MODULE");
    expect(failure.message).toContain(`EndBlock of module own called emit(): ${text}`);
  });
});
