/** A chain with a module of its own: one program that knows three versions goes through its upgrades by itself. */
import { describe, expect, test } from "vitest";
import { notesChain } from "../../examples/notes-chain/chain.js";
import { CountSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { notes } from "../../examples/notes-chain/notes.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { records } from "../../host/chain/values/typed-records.js";
import { failureOf } from "./chain.js";
import { Program } from "./notes-program.js";

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

  test("MsgAddNote before v2 → refused as unknown, as by a program without the module; after it → counted by v3", () => {
    const program = new Program();
    expect(program.addNote("too soon")).toMatchObject({ codespace: "sdk", code: 2 });
    expect(program.app.at().stores.names).not.toContain("notes");
    program.through("v2");
    for (const text of ["one", "two"]) expect(program.addNote(text)).toMatchObject({ code: 0 });
    expect(program.addNote("")).toMatchObject({ codespace: "notes", code: 2 });
    expect(counts(program)).toEqual([]);
    program.through("v3");
    expect(counts(program)).toEqual([2n]);
    expect(program.addNote("three")).toMatchObject({ code: 0 });
    expect(counts(program)).toEqual([3n]);
  });

  test("a migration that leaves what an invariant forbids → UPG_MIGRATION_INVARIANT (20), nothing written", () => {
    const broken = { ...notes, migrations: { 1: () => undefined } };
    const modules = notesChain.modules.map((module) => (module === notes ? broken : module));
    const chain = defineChain({ name: "brokend", addressPrefix: "notes", modules, upgrades: notesChain.upgrades });
    const program = new Program(chain);
    program.through("v2");
    program.addNote("one");
    const before = program.app.lastCommitID;
    expect(failureOf(() => program.through("v3"))).toMatchObject({
      code: "UPG_MIGRATION_INVARIANT",
      kind: { exit: 20 },
    });
    expect(program.start().lastCommitID.version).toBe(before.version + 1n);
  });
});

const COUNTS = records("count", CountSchema);

const counts = ({ app }: Program) => [...COUNTS.values(app.at().stores.store("notes"))].map(({ notes }) => notes);
