/** What an approver reads of a handler: everything that its manifest lets it do, and what cannot be undone in capitals. */
import { expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { consequenceLines, consequencesOf } from "../../../../host/cli/author/consequences/consequences.js";
import { loadHandler, type WasmHandler } from "../../../../host/upgrade/handler/handler.js";
import type { ModuleTable } from "../../../../host/upgrade/module/module-table.js";
import { exampleChain } from "../../../example-chain.js";
import { build, guest } from "../../../guest/build.js";

function linesOf(manifest: Record<string, unknown>, table?: ModuleTable): string[] {
  const handler: WasmHandler = loadHandler(build(guest({ run: "(i32.const 0)" }), { name: "v9", ...manifest }), {
    sha256,
  });
  return consequenceLines(consequencesOf(handler.manifest, { memories: [] } as never, table));
}

test("consequenceLines() of a handler that deletes, removes and asks for leave → each in a line of its own", () => {
  const lines = linesOf({
    stores: [
      { name: "auth", access: "r", prefixes: ["01"] },
      { name: "bank", access: "rw" },
    ],
    storeUpgrades: { added: ["dots"], renamed: [], deleted: ["gov"] },
    versions: { dots: { to: 1 } },
    removes: ["gov"],
    allows: { deleteStores: ["gov"], removeModules: ["gov"], writeStores: ["bank"], emptyVersionMap: true },
  });
  const text = lines.join("\n");
  expect(text).toContain("reads stores     auth (keys 01…)");
  expect(text).toContain("writes stores    bank");
  expect(text).toContain("adds stores      dots");
  expect(text).toContain("DELETES STORE    gov");
  expect(text).toContain("REMOVES MODULE   gov");
  expect(lines.filter((line) => line.startsWith("  ASKS TO BE ALLOWED"))).toHaveLength(4);
  expect(text).not.toContain("deletes nothing");
});

test("consequenceLines() of one that does none of it → it says so", () => {
  const text = linesOf({ stores: [{ name: "bank", access: "rw" }], versions: { bank: { from: [1], to: 2 } } }).join(
    "\n",
  );
  expect(text).toContain("deletes nothing and takes nothing away: no store, no module");
  expect(text).not.toContain("ASKS TO BE ALLOWED");
});

test("consequenceLines() of a rename → names the store that is taken away, in capitals", () => {
  const renamed = [{ old_key: "gov", new_key: "zz" }];
  const taken = linesOf({ stores: [], storeUpgrades: { added: [], renamed, deleted: [] } }).join("\n");
  expect(taken).toContain("TAKES STORE      gov AWAY from the module that owns it: it becomes zz");
  expect(taken).not.toContain("deletes nothing");
  const removed = linesOf({ stores: [], removes: ["gov"], storeUpgrades: { added: [], renamed, deleted: [] } });
  expect(removed.join("\n")).toContain("TAKES STORE      gov AWAY from a removed module: it becomes zz");
});

/** The lines about the modules of the chain: those of the Cosmos SDK's names, where auth's store is "acc". */
function chainLinesOf(manifest: Record<string, unknown>): string[] {
  const moduleStores = new Map([...exampleChain.table.moduleStores, ["auth", ["acc"]]]);
  const lines = linesOf({ stores: [], ...manifest }, { ...exampleChain.table, moduleStores });
  return lines.filter((line) => line.startsWith("  ON THIS CHAIN")).map((line) => line.slice(19));
}

test("consequenceLines() with a chain's table → the module that loses a store by its own name, and what nodes do", () => {
  const renamed = [{ old_key: "acc", new_key: "zz" }];
  const refused = chainLinesOf({ storeUpgrades: { added: [], renamed, deleted: [] } });
  expect(refused).toEqual([
    "the module auth, which stays, loses its store acc",
    expect.stringMatching(/^NODES REFUSE IT: handler "v9" takes the store "acc" away from the module "auth"/),
  ]);
  const allows = { deleteStores: ["acc"] };
  const storeless =
    /^NODES REFUSE IT: after handler "v9" the module "auth" is in the version map and has no store \("acc"\)/;
  for (const storeUpgrades of [
    { added: [], renamed, deleted: [] },
    { added: [], renamed: [], deleted: ["acc"] },
  ])
    expect(chainLinesOf({ storeUpgrades, allows })).toEqual([refused[0], expect.stringMatching(storeless)]);
  expect(chainLinesOf({ storeUpgrades: { added: [], renamed: [], deleted: ["auth"] } })).toEqual([]);
});

test("consequenceLines() with a chain's table → vital modules that are removed, and stores that stay", () => {
  const storeUpgrades = { added: [], renamed: [], deleted: ["staking"] };
  expect(chainLinesOf({ removes: ["staking"], storeUpgrades })).toEqual([
    "the module staking, which is removed, loses its store staking",
    "the module staking is vital, and it is removed",
    expect.stringContaining('NODES REFUSE IT: handler "v9" removes the module "staking", without which'),
  ]);
  expect(chainLinesOf({ removes: ["bank"], allows: { removeModules: ["bank"] } })).toEqual([
    "the module bank is vital, and it is removed",
    "the module bank is removed, and its store bank stays",
    expect.stringContaining("and keeps its store"),
  ]);
});

test("consequenceLines() with a chain's table, of a handler that takes nothing → no line of its own", () => {
  expect(chainLinesOf({ versions: { bank: { from: [2], to: 3 } } })).toEqual([]);
  expect(
    chainLinesOf({ versions: { dots: { to: 1 } }, storeUpgrades: { added: ["dots"], renamed: [], deleted: [] } }),
  ).toEqual([]);
});
