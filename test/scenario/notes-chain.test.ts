/** A chain with a module of its own: one program that knows three versions goes through its upgrades by itself. */
import { describe, expect, test } from "vitest";
import { notesChain } from "../../examples/notes-chain/chain.js";
import { CountSchema, MsgAddNoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { notes } from "../../examples/notes-chain/notes.js";
import { App, type TxResult } from "../../host/chain/app.js";
import { defineChain } from "../../host/chain/define-chain.js";
import { parseGenesis } from "../../host/chain/genesis/genesis.js";
import { Core } from "../../host/core/core.js";
import { sha256 } from "../../host/native/sha256.js";
import { MemoryDatabase } from "../../host/store/disk/memory-database.js";
import type { Height } from "../../host/types.js";
import { UPGRADE_STORE } from "../../host/upgrade/keeper.js";
import { records } from "../../host/values/typed-records.js";
import { readdressed } from "../addresses.js";
import { failureOf } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { pack, Signer } from "./wallet.js";

const core = new Core();
const ACCOUNT_NUMBER = 500n;
const alice = new Signer("alice");

/** The small document with an account that has a key. */
function genesisText(): string {
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  const account = { address: alice.address, account_number: String(ACCOUNT_NUMBER), sequence: "0" };
  state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...account });
  return readdressed(JSON.stringify(document), notesChain.addresses);
}

class Program {
  app: App;
  readonly database = new MemoryDatabase();
  readonly genesis = parseGenesis(notesChain, genesisText());

  constructor(readonly chain = notesChain) {
    this.app = this.start();
  }

  /** A new process of the same program. */
  start(): App {
    const { chain, database, genesis } = this;
    this.app = new App({ chain, database, genesis, sha256, core });
    this.app.load();
    return this.app;
  }

  block(change?: Parameters<typeof this.schedule>[0]): void {
    const { app } = this;
    const height = app.nextHeight;
    const time = { seconds: 1_700_000_000n + height, nanos: 0 };
    const changes = change ? [this.schedule(change)] : [];
    app.finalizeBlock({ height, time, changes });
    app.commit();
  }

  schedule({ name, height }: { readonly name: string; readonly height: Height }) {
    const { keeper } = this.app;
    return (context: Parameters<NonNullable<Parameters<App["finalizeBlock"]>[0]["changes"]>[number]>[0]) =>
      keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, {
        authority: keeper.authority,
        plan: { name, height, info: "" },
      });
  }

  #sequence = 0n;

  /** A block with a note; its result. */
  addNote(text: string): TxResult {
    const { app } = this;
    const message = pack(MsgAddNoteSchema, { author: notesChain.addresses.encode(alice.addressBytes), text });
    const facts = { chainId: "scenario-1", accountNumber: ACCOUNT_NUMBER, sequence: this.#sequence };
    const height = app.nextHeight;
    const time = { seconds: 1_700_000_000n + height, nanos: 0 };
    const [result] = app.finalizeBlock({ height, time, txs: [alice.sign([message], facts)] }).txResults;
    app.commit();
    if (result?.codespace !== "sdk" || result.code !== 2) this.#sequence++;
    return result as TxResult;
  }

  get versions(): ReadonlyMap<string, bigint> {
    const { keeper, multiStore } = this.app;
    return keeper.moduleVersions(multiStore.store(UPGRADE_STORE));
  }
}

describe("one program with versions 1, 2 and 3", () => {
  test("versions read from the value → no notes, notes 1, notes 2", () => {
    expect(notesChain.versions.map(({ plan, modules }) => [plan, modules.get("notes")])).toEqual([
      [undefined, undefined],
      ["v2", 1n],
      ["v3", 2n],
    ]);
  });

  test("a plan ahead → blocks go on, not too early; at the height one restart (14), then it is applied; twice", () => {
    const program = new Program();
    expect(program.app.version.number).toBe(1n);
    expect(program.app.multiStore.names).not.toContain("notes");
    for (const [name, number] of [
      ["v2", 1n],
      ["v3", 2n],
    ] as const) {
      const height = program.app.nextHeight + 3n;
      program.block({ name, height });
      program.block();
      program.start();
      program.block();
      expect(failureOf(() => program.block())).toMatchObject({ code: "UPG_HALT_RESTART", kind: { exit: 14 } });
      program.start();
      program.block();
      expect(program.app.applied?.plan.name).toBe(name);
      expect(program.versions.get("notes")).toBe(number);
      program.block();
    }
    expect(program.start().version.number).toBe(3n);
  });

  test("reopen() in place of each start → both upgrades in one application, with the app hashes of two starts", () => {
    const [started, reopened] = [new Program(), new Program()];
    const { app } = reopened;
    for (const name of ["v2", "v3"]) {
      const height = app.nextHeight + 1n;
      for (const each of [started, reopened]) {
        each.block({ name, height });
        expect(failureOf(() => each.block())).toMatchObject({ code: "UPG_HALT_RESTART" });
      }
      started.start();
      app.reopen();
      for (const each of [started, reopened]) each.block();
      expect(app.applied?.plan.name).toBe(name);
      expect(app.lastCommitID).toEqual(started.app.lastCommitID);
    }
    expect(reopened.app).toBe(app);
    expect(app.version.number).toBe(3n);
  });

  function through(program: Program, name: string): void {
    const height = program.app.nextHeight + 1n;
    program.block({ name, height });
    expect(failureOf(() => program.block())).toMatchObject({ code: "UPG_HALT_RESTART" });
    program.start();
    program.block();
  }

  test("MsgAddNote before v2 → refused as unknown, as by a program without the module; after it → counted by v3", () => {
    const program = new Program();
    expect(program.addNote("too soon")).toMatchObject({ codespace: "sdk", code: 2 });
    expect(program.app.at().stores.names).not.toContain("notes");
    through(program, "v2");
    for (const text of ["one", "two"]) expect(program.addNote(text)).toMatchObject({ code: 0 });
    expect(program.addNote("")).toMatchObject({ codespace: "notes", code: 2 });
    expect(counts(program)).toEqual([]);
    through(program, "v3");
    expect(counts(program)).toEqual([2n]);
    expect(program.addNote("three")).toMatchObject({ code: 0 });
    expect(counts(program)).toEqual([3n]);
  });

  test("a migration that leaves what an invariant forbids → UPG_MIGRATION_INVARIANT (20), nothing written", () => {
    const broken = { ...notes, migrations: { 1: () => undefined } };
    const modules = notesChain.modules.map((module) => (module === notes ? broken : module));
    const chain = defineChain({ name: "brokend", addressPrefix: "notes", modules, upgrades: notesChain.upgrades });
    const program = new Program(chain);
    through(program, "v2");
    program.addNote("one");
    const before = program.app.lastCommitID;
    expect(failureOf(() => through(program, "v3"))).toMatchObject({
      code: "UPG_MIGRATION_INVARIANT",
      kind: { exit: 20 },
    });
    expect(program.start().lastCommitID.version).toBe(before.version + 1n);
  });
});

const COUNTS = records("count", CountSchema);

const counts = ({ app }: Program) => [...COUNTS.values(app.at().stores.store("notes"))].map(({ notes }) => notes);
