/**
 * The example chain: accounts, coins, validators, governance, and one upgrade. In version 1 accounts hold their own
 * coins; the plan `v2` moves them into a store of module bank. Its handler is examples/split-balances, in Wasm.
 */
import { fileURLToPath } from "node:url";
import { auth, bank, type Chain, defineChain, gov, staking, upgrade } from "chain-upgrade/node";

export const exampleChain: Chain = defineChain({
  name: "chaind",
  description: "A small chain that knows how to upgrade itself; `chaind demo` shows it.",
  modules: [auth(), bank(), staking(), gov(), upgrade({ attestations: 1n })],
  upgrades: [{ plan: "v2", from: { auth: 1n, bank: 1n }, storeUpgrades: { added: ["bank"] } }],
  handlers: fileURLToPath(new URL("handlers", import.meta.url)),
});
