/** What a chain's definition names: the methods of a service that a module implements, and the modules that one depends on. */
import { expect, test } from "vitest";
import { Query } from "../../../../examples/notes-chain/gen/notes_pb.js";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import { implement } from "../../../../host/chain/app/query/service.js";
import { exampleChain } from "../../../example-chain.js";
import { failureOf } from "../../../scenario/chain.js";

const { modules } = exampleChain;

test("implement() without a function for a method → UPG_INVALID_ARGUMENT with service and method", () => {
  for (const handlers of [{}, { notes: "none" }]) {
    const failure = failureOf(() => implement(Query, [], handlers as never));
    expect(failure.code).toBe("UPG_INVALID_ARGUMENT");
    expect(failure.message).toContain("mychain.notes.v1.Query has the method notes");
  }
});

test.each([
  ["no service", [undefined, [], {}], "the first argument is no service"],
  ["a kept method that the service lacks", [Query, ["note"], {}], 'has no method "note" (did you mean "notes"?)'],
  ["a function that the service lacks", [Query, [], { Notes: () => ({}) }], 'a member "Notes"'],
])("implement() with %s → UPG_INVALID_ARGUMENT that names it", (_, options, named) => {
  const failure = failureOf(() => implement(...(options as unknown as Parameters<typeof implement>)));
  expect(failure).toMatchObject({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(named) });
});

test("a dependency on a module that an upgrade removes, and a chain without gov → accepted", () => {
  const dependent = { name: "own", consensusVersion: 1n, stores: [], dependsOn: ["gone"] };
  const from = { own: 0n, gone: 1n };
  const handler = () => new Map();
  const upgrades = [{ plan: "v2", from, removes: ["gone"], storeUpgrades: { deleted: ["gone"] }, handler }];
  const chain = defineChain({ name: "ownd", modules: [...modules, dependent], upgrades });
  expect(chain.versions.map(({ modules: { size } }) => size)).toEqual([modules.length + 1, modules.length + 1]);
  const ungoverned = modules.filter(({ name }) => name !== "gov");
  expect(defineChain({ name: "ownd", modules: ungoverned }).table.vitalModules).toContain("upgrade");
});
