/** What the guards refuse before a handler runs, and the same declared. */
import { ACC, AUTH, type Guarded, LATER, ORACLE, PARTS, RENAMED, rename } from "./guard-chains.js";

export const BEFORE: Readonly<Record<string, Guarded>> = {
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
