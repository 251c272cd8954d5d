/** defineChain(): what it takes from its options, and messages that no chain can have. */
import { create, createFileRegistry, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { MsgSoftwareUpgradeSchema } from "../../../../host/base/gen/chain/upgrade/v1beta1/tx_pb.js";
import { MsgSendResponseSchema } from "../../../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { defineChain, migrate } from "../../../../host/chain/app/define-chain.js";
import { messageKind } from "../../../../host/chain/app/tx/message-kind.js";
import { exampleChain } from "../../../example-chain.js";
import { failureOf } from "../../../scenario/chain.js";

const { modules } = exampleChain;

test("no prefix and no description → cosmos and a neutral text; both given → taken; a wrong prefix → UPG_INVALID_ARGUMENT", () => {
  const plain = defineChain({ name: "plaind", modules });
  expect([plain.addresses.prefix, plain.description]).toEqual([
    "cosmos",
    expect.stringContaining("program of a chain"),
  ]);
  const own = defineChain({ name: "ownd", modules, addressPrefix: "own", description: "Mine." });
  expect([own.addresses.operators.prefix, own.description]).toEqual(["ownvaloper", "Mine."]);
  const wrong = failureOf(() => defineChain({ name: "ownd", modules, addressPrefix: "Own" }));
  expect(wrong).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
});

/** `MsgTag { string author; Tags tags }` with `Tags { map<string, string> pairs }`. */
function messageWithMap(): DescMessage {
  const field = (name: string, number: number, typeName = "", label = 1) => ({
    ...{ name, number, label, typeName },
    type: typeName === "" ? Type.STRING : Type.MESSAGE,
  });
  const entry = { name: "PairsEntry", field: [field("key", 1), field("value", 2)], options: { mapEntry: true } };
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: "t.proto", package: "t.v1", syntax: "proto3" },
    messageType: [
      { name: "MsgTag", field: [field("author", 1), field("tags", 2, ".t.v1.Tags")] },
      { name: "Tags", field: [field("pairs", 1, ".t.v1.Tags.PairsEntry", 3)], nestedType: [entry] },
    ],
  });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage("t.v1.MsgTag") as DescMessage;
}

test("a message with a map anywhere in it → UPG_INVALID_ARGUMENT with its name", () => {
  const response = MsgSendResponseSchema;
  const signer = "author" as "$typeName";
  const kind = messageKind<DescMessage, DescMessage>({
    schema: messageWithMap(),
    response,
    signer,
    run: () => undefined,
  });
  const tags = { name: "tags", consensusVersion: 1n, messages: [kind] };
  const error = failureOf(() => defineChain({ name: "tagd", modules: [...modules, tags] }));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(error.message).toContain('the message t.v1.Tags has a map, "pairs"');
});

const own = (more: object) => ({ modules: [...modules, { name: "own", consensusVersion: 1n, ...more }] });
const plan = (more: object) => ({ modules, handlers: "handlers", upgrades: [{ plan: "v2", ...more }] });

/** What it is given, and what its error names. */
const REFUSED: (readonly [what: string, options: object, named: string])[] = [
  ["a module with the name of genesis' own section", own({ name: "raw" }), '"raw" is no name of a module'],
  ["a store whose name is a way out of a folder", own({ stores: ["a/../b"] }), 'the store "a/../b"'],
  ["a store with a name of other characters", own({ stores: ["a\0"] }), "consists of a to z"],
  ["a second module with validators", own({ validators: () => [] }), "these do: staking, own"],
  [
    "a consensus version that is a number",
    own({ consensusVersion: 1 }),
    `it is a bigint from 1 to ${2n ** 64n - 1n}; this is a number: write 1n`,
  ],
  ["no consensus version", own({ consensusVersion: undefined }), "consensus version undefined"],
  ["consensus version 0", own({ consensusVersion: 0n }), "consensus version 0"],
  ["a consensus version of 65 bits", own({ consensusVersion: 2n ** 64n }), `from 1 to ${2n ** 64n - 1n}`],
  ["an upgrade that takes a version back", plan({ from: { bank: 9n } }), 'begins from version 9 of module "bank"'],
  ["an upgrade from a negative version", plan({ from: { gone: -1n } }), 'begins from version -1 of module "gone"'],
  [
    "a deleted store that is there",
    plan({ storeUpgrades: { deleted: ["bank"] } }),
    'at genesis there are two stores "bank"',
  ],
  ["a store deleted twice", plan({ storeUpgrades: { deleted: ["x", "x"] } }), 'two stores "x"'],
  ["a deleted store without a name", plan({ storeUpgrades: { deleted: [""] } }), 'the store ""'],
  [
    "an upgrade that brings the store of upgrades",
    plan({ storeUpgrades: { added: ["upgrade"] } }),
    'no store "upgrade"',
  ],
  [
    "two stores renamed from one",
    plan({
      storeUpgrades: {
        renamed: [
          { oldKey: "x", newKey: "bank" },
          { oldKey: "x", newKey: "gov" },
        ],
      },
    }),
    'at genesis there are two stores "x"',
  ],
];

const [first] = modules;
REFUSED.push(
  [
    "a dependency on a module that the chain does not have",
    own({ dependsOn: ["bank", "stakin"] }),
    'module "own" depends on "stakin", and the chain has no such module: correct the name in dependsOn, or add the module to ' +
      'modules (did you mean "staking"?). Valid: auth, bank, ',
  ],
  [
    "a misspelt option",
    { modules, upgrade: [] },
    'a member "upgrade", which nothing would call or read: did you mean "upgrades"?',
  ],
  ["an option of another name", { modules, genesis: {} }, "a chain has name, description, addressPrefix"],
  ["a handlers folder that is no text", { modules, handlers: [] }, "handlers is no text, it is object"],
  [
    "a misspelt member of an upgrade",
    plan({ handler: migrate, storeUpgrade: { added: [] } }),
    'did you mean "storeUpgrades"?',
  ],
  [
    "a misspelt kind of store upgrades",
    plan({ handler: migrate, storeUpgrades: { add: ["own"] } }),
    'storeUpgrades has a member "add"',
  ],
  [
    "added stores that are no list",
    plan({ handler: migrate, storeUpgrades: { added: "own" } }),
    "storeUpgrades.added is no list of names",
  ],
  [
    "a misspelt rename",
    plan({ handler: migrate, storeUpgrades: { renamed: [{ from: "a", to: "b" }] } }),
    "no list of renames",
  ],
  [
    "a misspelt allowance",
    plan({ handler: migrate, allows: { removeModule: ["gov"] } }),
    'did you mean "removeModules"?',
  ],
  [
    "an allowance that is no list",
    plan({ handler: migrate, allows: { removeModules: "gov" } }),
    "allows.removeModules is no list of names",
  ],
  [
    "an upgrade without a handler, and no folder of handlers",
    { modules, upgrades: [{ plan: "v2" }] },
    'the plan "v2" has no handler',
  ],
  ["a handler that is no function", plan({ handler: "migrate" }), "handler is no function, it is string"],
  ["a handler that is async", plan({ handler: async () => new Map() }), "handler is async"],
  [
    "an unknown permission",
    own({ account: { permissions: ["mintr"] } }),
    'no permission "mintr" (did you mean "minter"?)',
  ],
  ["an account without permissions", own({ account: {} }), "account has no list of permissions"],
  [
    "a misspelt member of an account",
    own({ account: { permissions: [], permission: [] } }),
    'account has a member "permission"',
  ],
  ["stores that are no list", own({ stores: "own" }), "stores is no list of names"],
  ["a misspelt member of genesis", own({ genesis: { reads: () => 1 } }), 'genesis has a member "reads"'],
  ["a number for the version before", plan({ from: { bank: 1 }, handler: migrate }), "this is a number: write 1n"],
  [
    "a plan that migrates, where no module has another version before it",
    {
      ...own({ consensusVersion: 3n, migrations: { 1: () => undefined, 2: () => undefined } }),
      upgrades: [
        { plan: "v2", from: { own: 1n }, handler: migrate },
        { plan: "v3", handler: migrate },
      ],
    },
    'the plan "v3" has the handler migrate, and no module has another version before it',
  ],
  ["no modules", { modules: undefined }, "modules is no list of modules"],
  [
    "a module that an import left empty",
    { modules: [...modules, undefined] },
    "modules[5] is no module, it is undefined",
  ],
  [
    "a module whose function was not called",
    { modules: [function notes() {}] },
    "modules[0] is a function: call it, notes()",
  ],
  ["a module without a name", { modules: [{ ...first, name: undefined }] }, '"undefined" is no name of a module'],
  ["no name of the program", { modules, name: undefined }, '"undefined" is no name of a chain\'s program'],
  ["upgrades that are no list", { modules, upgrades: { plan: "v2" } }, "upgrades is no list of upgrades"],
  ["an upgrade without a plan", plan({ plan: undefined }), "upgrades[0] has no plan"],
  ["a misspelt module in from", plan({ from: { bnak: 1n } }), 'the module "bnak", which no version after it has'],
  ["a removed module without its version before", plan({ removes: ["gone"] }), 'removes the module "gone"'],
  [
    "a removed module that stays",
    plan({ from: { bank: 1n }, removes: ["bank"] }),
    '"bank", which the version after it has',
  ],
);

for (const [what, options, named] of REFUSED) {
  test(`${what} → UPG_INVALID_ARGUMENT that names it`, () => {
    const error = failureOf(() => defineChain({ name: "ownd", ...(options as ReturnType<typeof own>) }));
    expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(error.message).toContain(named);
  });
}

test("versions at their limits, and a module that an upgrade takes away → taken", () => {
  const last = defineChain({ name: "ownd", ...own({ consensusVersion: 2n ** 64n - 1n, stores: [] }) });
  expect(last.versions[0]?.modules.get("own")).toBe(2n ** 64n - 1n);
  const gone = defineChain({
    name: "ownd",
    ...plan({ from: { gone: 3n }, removes: ["gone"], storeUpgrades: { deleted: ["gone"] } }),
  });
  expect(gone.versions.map(({ modules: each }) => each.get("gone"))).toEqual([3n, undefined]);
});

test("a chain is defined → a byte order mark is a part of its messages' texts, as in Go; what is no UTF-8 is refused", () => {
  const plan = { name: "\ufeffv2", info: "\ufeff{}", height: 9n };
  const bytes = toBinary(MsgSoftwareUpgradeSchema, create(MsgSoftwareUpgradeSchema, { authority: "\ufeff", plan }));
  const read = fromBinary(MsgSoftwareUpgradeSchema, bytes);
  expect([read.authority, read.plan?.name, read.plan?.info]).toEqual(["\ufeff", plan.name, plan.info]);
  expect(toBinary(MsgSoftwareUpgradeSchema, read)).toEqual(bytes);
  expect(() => fromBinary(MsgSoftwareUpgradeSchema, Uint8Array.of(10, 1, 0xff))).toThrow();
});

const notes = { name: "notes", consensusVersion: 3n };
/** What `defineChain` says of a module that a program without types gives. */
const refusalOf = (module: object, upgrades: Parameters<typeof defineChain>[0]["upgrades"] = []) => {
  const error = failureOf(() =>
    defineChain({ name: "notesd", modules: [...modules, module as typeof notes], upgrades }),
  );
  expect(error.code).toBe("UPG_INVALID_ARGUMENT");
  return error.message;
};

test("a module without the step 2 → 3, and a plan with migrate() from 2 → refused when the program starts, with the step", () => {
  const upgrades = [{ plan: "v2", from: { notes: 2n }, handler: migrate }];
  expect(refusalOf({ ...notes, migrations: { 1: () => undefined } }, upgrades)).toContain(
    'takes module "notes" from version 2 to 3, and its migrations have no step 2',
  );
  const whole = { ...notes, migrations: { 2: () => undefined } };
  expect(defineChain({ name: "notesd", modules: [...modules, whole], upgrades }).versions.length).toBe(2);
});

test("a migration that leads nowhere → refused with the versions that there are", () => {
  expect(refusalOf({ ...notes, migrations: { 3: () => undefined } })).toContain("these are 1 to 2");
});

test("a member that no module has → refused with the nearest name", () => {
  expect(refusalOf({ ...notes, endblock: () => undefined })).toContain('did you mean "endBlock"?');
  expect(refusalOf({ ...notes, invariant: [] })).toContain('did you mean "invariants"?');
  expect(refusalOf({ ...notes, zzz: 1 })).toContain("a module has name, consensusVersion");
});

test("an async hook, migration or invariant → refused by name", () => {
  expect(refusalOf({ ...notes, endBlock: async () => undefined })).toContain("endBlock is async");
  expect(refusalOf({ ...notes, migrations: { 1: async () => undefined } })).toContain("migrations[1] is async");
  const invariants = [{ name: "x", check: async () => undefined }];
  expect(refusalOf({ ...notes, invariants })).toContain("invariants[0].check is async");
  expect(refusalOf({ ...notes, beginBlock: 5 })).toContain("beginBlock is no function");
});

test("a chain without the bank that auth takes fees with → refused", () => {
  const others = modules.filter(({ name }) => name !== "bank");
  const error = failureOf(() => defineChain({ name: "poord", modules: others }));
  expect(error.message).toContain('module "auth" takes fees and needs the module "bank"');
});
