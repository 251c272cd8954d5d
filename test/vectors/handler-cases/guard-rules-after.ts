/** What the guards refuse after a handler ran, and the same declared. */
import { ACC, AUTH, type Guarded, LATER, ORACLE, PARTS, RENAMED, rename } from "./guard-chains.js";

const stores = (...names: readonly string[]) => names.map((name) => ({ name, access: "rw" }));

export const AFTER: Readonly<Record<string, Guarded>> = {
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
