/** The chain on which the specification's command lines are typed. */
import type { Running } from "./chaind.js";
import type { CommandLine } from "./command-line.js";

export const BOB = "cosmos15pr9t0halmcqsc3fpujk2eanwnqw4qv03kk9y7";
export const GOV = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn";

/** Starts its node, at version 1, with alice as the one validator. */
export async function startDemoChain(line: CommandLine): Promise<{ readonly node: Running; readonly alice: string }> {
  await line.run(["init", "moniker", "--chain-id", "demo-1"]);
  const key = "c4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104";
  const alice = String((await line.json("keys", "import-hex", "alice", key))["address"]);
  await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator");
  line.editGenesis((genesis) => {
    genesis.genesis_time = "2026-01-01T00:00:00Z";
    Object.assign(genesis.app_state.gov.params, { voting_period: "60s", max_deposit_period: "60s" });
    Object.assign(genesis.app_state.staking.params, { max_validators: 7, unbonding_time: "60s" });
  });
  return { node: await line.startNode("--app-version", "1"), alice };
}
