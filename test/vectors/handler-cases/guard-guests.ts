/** What a chain's guards refuse of a handler, and the same declared: by rule, with the table of the chain's modules. */
import { data } from "../../guest/build.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";
import type { GivenRun, HexPair } from "./shapes.js";

const MAP = "UPG_MIGRATION_VERSION_MAP";

interface Guarded {
  readonly refused: boolean;
  /** Fields of the manifest. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Stored before. Default: gov and upgrade at 1. */
  readonly versions?: Readonly<Record<string, string>>;
  /** As they are opened for the handler, besides `upgrade`; a star: it has a pair. */
  readonly opened?: readonly string[];
  readonly table?: NonNullable<GivenRun["module_stores"]>;
  /** Default: gov and upgrade. */
  readonly vital?: readonly string[];
  /** It writes to this store, the first of its manifest. */
  readonly writes?: string;
  /** It deletes an absent key of it. */
  readonly deletes?: string;
}

const rename = (old_key: string, new_key: string) => ({ renamed: [{ old_key, new_key }] });
const PARTS = { gov: ["gov", "votes"] };
const LATER = { gov: ["government"] };
const ACC = { auth: ["acc"] };
const AUTH = { auth: "1", gov: "1", upgrade: "1" };
const ORACLE = { gov: "1", oracle: "1", upgrade: "1" };
const RENAMED = { storeUpgrades: rename("gov", "zz"), allows: { deleteStores: ["gov"] } };

const BEFORE: Readonly<Record<string, Guarded>> = {
  "nothing is done": { refused: false },
  "no stored versions": { refused: true, versions: {} },
  "no stored versions, declared": { refused: false, versions: {}, manifest: { allows: { emptyVersionMap: true } } },

  "a store is deleted": { refused: true, manifest: { storeUpgrades: { deleted: ["gov"] } }, opened: [] },
  "a store is deleted, one of two, declared": {
    refused: false,
    manifest: { storeUpgrades: { deleted: ["gov"] }, allows: { deleteStores: ["gov"] } },
    opened: ["votes"],
    table: PARTS,
  },
  "a store is deleted, one of two": {
    refused: true,
    manifest: { storeUpgrades: { deleted: ["votes"] } },
    opened: ["gov"],
    table: PARTS,
  },
  "a store is deleted with its module": {
    refused: false,
    versions: ORACLE,
    manifest: { storeUpgrades: { deleted: ["oracle"] }, removes: ["oracle"] },
  },
  "a store of another name than its module's is deleted": {
    refused: true,
    versions: AUTH,
    manifest: { storeUpgrades: { deleted: ["acc"] } },
    table: ACC,
  },
  "a store of another name is deleted with its module": {
    refused: false,
    versions: AUTH,
    manifest: { storeUpgrades: { deleted: ["acc"] }, removes: ["auth"] },
    table: ACC,
  },
  "a store of a module's name that is not its own is deleted": {
    refused: false,
    versions: AUTH,
    manifest: { storeUpgrades: { deleted: ["auth"] } },
    opened: ["acc", "gov"],
    table: ACC,
  },
  "a store of two modules is deleted with one of them": {
    refused: true,
    versions: ORACLE,
    manifest: { storeUpgrades: { deleted: ["both"] }, removes: ["oracle"] },
    table: { oracle: ["both"], gov: ["both", "gov"] },
  },
  "a store that no stored module owns is deleted": {
    refused: false,
    manifest: { storeUpgrades: { deleted: ["oracle"] } },
  },

  "a store is renamed": { refused: true, manifest: { storeUpgrades: rename("gov", "zz") }, opened: ["zz"] },
  "a store is renamed, declared, and the module has no other": { refused: true, manifest: RENAMED, opened: ["zz"] },
  "a store is renamed, declared": { refused: false, manifest: RENAMED, opened: ["votes", "zz"], table: PARTS },
  "a store of another name than its module's is renamed": {
    refused: true,
    versions: AUTH,
    manifest: { storeUpgrades: rename("acc", "zz") },
    opened: ["gov", "zz"],
    table: ACC,
  },
  "a store is renamed to what its module calls it": {
    refused: false,
    manifest: { storeUpgrades: rename("gov", "government") },
    opened: ["government"],
    table: LATER,
  },
  "a store is renamed, not to what its module calls it later": {
    refused: true,
    manifest: { storeUpgrades: rename("gov", "zz") },
    opened: ["zz"],
    table: LATER,
  },
  "a store is deleted, whose module calls it otherwise later": {
    refused: true,
    manifest: { storeUpgrades: { deleted: ["gov"] } },
    opened: [],
    table: LATER,
  },
  "a removed module's store is renamed": {
    refused: false,
    versions: ORACLE,
    manifest: { storeUpgrades: rename("oracle", "zz"), removes: ["oracle"] },
    opened: ["gov", "zz"],
  },
  "a module takes over another's store": {
    refused: true,
    versions: ORACLE,
    manifest: { storeUpgrades: rename("gov", "prices") },
    opened: ["oracle", "prices"],
    table: { oracle: ["oracle", "prices"] },
  },

  "gov is removed": { refused: true, manifest: { storeUpgrades: { deleted: ["gov"] }, removes: ["gov"] }, opened: [] },
  "gov is removed, declared": {
    refused: false,
    manifest: { storeUpgrades: { deleted: ["gov"] }, removes: ["gov"], allows: { removeModules: ["gov"] } },
    opened: [],
  },
  "gov is removed, and the chain can do without": {
    refused: false,
    manifest: { storeUpgrades: { deleted: ["gov"] }, removes: ["gov"] },
    opened: [],
    vital: ["bank"],
  },
  "upgrade is removed": { refused: true, manifest: { removes: ["upgrade"], allows: { keepStores: ["upgrade"] } } },
  "a module of the list is removed": {
    refused: true,
    versions: ORACLE,
    manifest: { storeUpgrades: { deleted: ["oracle"] }, removes: ["oracle"] },
    vital: ["gov", "oracle"],
  },
  "a module of the list is removed, declared": {
    refused: false,
    versions: ORACLE,
    manifest: {
      storeUpgrades: { deleted: ["oracle"] },
      removes: ["oracle"],
      allows: { removeModules: ["oracle"] },
    },
    vital: ["gov", "oracle"],
  },
  "a module of the list that is not stored is removed": {
    refused: true,
    manifest: { removes: ["oracle"] },
    vital: ["oracle"],
  },

  "a module is removed and its store stays": {
    refused: true,
    versions: ORACLE,
    manifest: { removes: ["oracle"] },
    opened: ["gov", "oracle"],
  },
  "a module is removed and its store stays, declared": {
    refused: false,
    versions: ORACLE,
    manifest: { removes: ["oracle"], allows: { keepStores: ["oracle"] } },
    opened: ["gov", "oracle"],
  },
  "a module is removed that has no store": {
    refused: false,
    versions: ORACLE,
    manifest: { removes: ["oracle"] },
  },
  "a module is removed that is not stored": {
    refused: false,
    manifest: { removes: ["oracle"] },
    opened: ["gov", "oracle"],
  },
  "a module is removed, one of its stores stays": {
    refused: true,
    versions: ORACLE,
    manifest: { storeUpgrades: { deleted: ["oracle"] }, removes: ["oracle"] },
    opened: ["gov", "prices"],
    table: { oracle: ["oracle", "prices"] },
  },
  "a module is removed, its store is also that of one that stays": {
    refused: false,
    versions: ORACLE,
    manifest: { removes: ["oracle"] },
    opened: ["gov", "both"],
    table: { oracle: ["both"], gov: ["both", "gov"] },
  },
  "two modules are removed, their store stays": {
    refused: true,
    versions: { ...ORACLE, prices: "1" },
    manifest: { removes: ["oracle", "prices"] },
    opened: ["gov", "both"],
    table: { oracle: ["both"], prices: ["both"] },
  },
  "a removed module's store gets another one": {
    refused: true,
    versions: ORACLE,
    manifest: { storeUpgrades: rename("oracle", "prices"), removes: ["oracle"] },
    opened: ["gov", "prices"],
    table: { oracle: ["oracle", "prices"] },
  },

  "a new module has data": { refused: true, manifest: { versions: { oracle: { to: 1 } } }, opened: ["gov", "oracle*"] },
  "a new module has none": { refused: false, manifest: { versions: { oracle: { to: 1 } } }, opened: ["gov", "oracle"] },
  "a new module has data, in a store of another name": {
    refused: true,
    manifest: { versions: { oracle: { to: 1 } } },
    opened: ["gov", "prices*"],
    table: { oracle: ["prices"] },
  },
  "a store of a new module's name that is not its own has data": {
    refused: false,
    manifest: { versions: { oracle: { to: 1 } } },
    opened: ["gov", "oracle*", "prices"],
    table: { oracle: ["prices"] },
  },
};

const stores = (...names: readonly string[]) => names.map((name) => ({ name, access: "rw" }));

const AFTER: Readonly<Record<string, Guarded>> = {
  "a module loses its only store, declared": {
    refused: true,
    manifest: { storeUpgrades: { deleted: ["gov"] }, allows: { deleteStores: ["gov"] } },
    opened: [],
  },
  "a module loses both stores, declared": {
    refused: true,
    manifest: { storeUpgrades: { deleted: ["gov", "votes"] }, allows: { deleteStores: ["gov", "votes"] } },
    opened: [],
    table: PARTS,
  },
  "a new module's store is missing": {
    refused: true,
    manifest: { versions: { oracle: { to: 1 } } },
    table: { oracle: ["prices"] },
  },
  "a new module's store is there": {
    refused: false,
    manifest: { versions: { oracle: { to: 1 } }, storeUpgrades: { added: ["prices"] } },
    opened: ["gov", "prices"],
    table: { oracle: ["prices"] },
  },
  "a new module without stores": {
    refused: false,
    manifest: { versions: { oracle: { to: 1 } } },
    table: { oracle: [] },
  },
  "a new module that the table does not have, without a store": {
    refused: false,
    manifest: { versions: { oracle: { to: 1 } } },
  },
  "a module whose stores only a later version has": {
    refused: false,
    table: { gov: ["government"] },
    opened: ["other"],
  },

  "a module's store is written to": { refused: true, manifest: { stores: stores("gov") }, writes: "gov" },
  "a key that is absent in a module's store is deleted": {
    refused: true,
    manifest: { stores: stores("gov") },
    deletes: "gov",
  },
  "a module's store is written to, its version rises": {
    refused: false,
    manifest: { stores: stores("gov"), versions: { gov: { from: [1], to: 4_294_967_295 } } },
    writes: "gov",
  },
  "a module's store is written to, declared": {
    refused: false,
    manifest: { stores: stores("gov"), allows: { writeStores: ["gov"] } },
    writes: "gov",
  },
  "a module's store of another name is written to": {
    refused: true,
    versions: AUTH,
    manifest: { stores: stores("acc") },
    opened: ["acc", "gov"],
    table: ACC,
    writes: "acc",
  },
  "a module's store of another name is written to, declared": {
    refused: false,
    versions: AUTH,
    manifest: { stores: stores("acc"), allows: { writeStores: ["acc"] } },
    opened: ["acc", "gov"],
    table: ACC,
    writes: "acc",
  },
  "a module's store of another name is written to, its version rises": {
    refused: false,
    versions: AUTH,
    manifest: { stores: stores("acc"), versions: { auth: { from: [1], to: 2 } } },
    opened: ["acc", "gov"],
    table: ACC,
    writes: "acc",
  },
  "a store of two modules is written to, the version of one rises": {
    refused: true,
    versions: ORACLE,
    manifest: { stores: stores("both"), versions: { gov: { from: [1], to: 2 } } },
    opened: ["both", "gov"],
    table: { oracle: ["both"], gov: ["both", "gov"] },
    writes: "both",
  },
  "a store that no module owns is written to": {
    refused: false,
    manifest: { stores: stores("zz") },
    opened: ["gov", "zz"],
    writes: "zz",
  },
  "a renamed store is written to": {
    refused: true,
    manifest: { ...RENAMED, stores: stores("zz") },
    opened: ["votes", "zz"],
    table: PARTS,
    writes: "zz",
  },
  "a renamed store is written to, declared by its new name": {
    refused: true,
    manifest: { ...RENAMED, stores: stores("zz"), allows: { deleteStores: ["gov"], writeStores: ["zz"] } },
    opened: ["votes", "zz"],
    table: PARTS,
    writes: "zz",
  },
  "a renamed store is written to, declared by its old name": {
    refused: false,
    manifest: { ...RENAMED, stores: stores("zz"), allows: { deleteStores: ["gov"], writeStores: ["gov"] } },
    opened: ["votes", "zz"],
    table: PARTS,
    writes: "zz",
  },
  "a store with the name that its module calls it is written to": {
    refused: true,
    manifest: { storeUpgrades: rename("gov", "government"), stores: stores("government") },
    opened: ["government"],
    table: LATER,
    writes: "government",
  },
  "a store with the name that its module calls it is written to, declared": {
    refused: false,
    manifest: {
      storeUpgrades: rename("gov", "government"),
      stores: stores("government"),
      allows: { writeStores: ["government"] },
    },
    opened: ["government"],
    table: LATER,
    writes: "government",
  },
  "a removed module's store is written to": {
    refused: false,
    versions: ORACLE,
    manifest: { stores: stores("oracle"), removes: ["oracle"], allows: { keepStores: ["oracle"] } },
    opened: ["gov", "oracle"],
    writes: "oracle",
  },
  "a removed module's renamed store is written to": {
    refused: false,
    versions: ORACLE,
    manifest: { storeUpgrades: rename("oracle", "zz"), stores: stores("zz"), removes: ["oracle"] },
    opened: ["gov", "zz"],
    writes: "zz",
  },
};

const PAIR: readonly HexPair[] = [["01", "02"]];
const KEY = data(16, "key");

export function addGuards(to: Collection): void {
  for (const [what, { refused, manifest = {}, versions, opened, table = {}, vital, writes, deletes }] of Object.entries(
    {
      ...BEFORE,
      ...AFTER,
    },
  )) {
    const names = ["upgrade", ...(opened ?? ["gov"])].sort();
    const pairs = names.map((name) => [name.replace("*", ""), name.endsWith("*") ? PAIR : []] as const);
    const call =
      writes === undefined
        ? ""
        : "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 3) (i32.const 16) (i32.const 3)))";
    const remove = deletes === undefined ? "" : "(drop (call $delete (i32.const 0) (i32.const 16) (i32.const 3)))";
    const label = `guards: ${what}`;
    const { error } = addGuest(to, {
      label,
      parts: { run: `${call} ${remove} (i32.const 0)`, more: KEY },
      manifest,
      input: { versions: versions ?? { gov: "1", upgrade: "1" }, stores: Object.fromEntries(pairs) },
      guards: { module_stores: table, vital_modules: vital ?? ["gov", "upgrade"] },
    });
    if (error !== (refused ? MAP : undefined)) throw new Error(`${label}: ${error ?? "taken"}`);
  }
}
