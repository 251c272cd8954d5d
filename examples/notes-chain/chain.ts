/** A chain with a module of its own. Its first version has no notes; plan v2 brings them, plan v3 counts them. */
import { auth, bank, type Chain, defineChain, gov, migrate, staking, upgrade } from "chain-upgrade/node";
import { notes } from "./notes.js";

export const notesChain: Chain = defineChain({
  name: "notesd",
  description: "A chain on which every account may write notes.",
  addressPrefix: "notes",
  modules: [auth(), bank(), staking(), gov(), upgrade(), notes],
  upgrades: [
    { plan: "v2", handler: migrate, storeUpgrades: { added: ["notes"] } },
    { plan: "v3", from: { notes: 1n }, handler: migrate },
  ],
});
