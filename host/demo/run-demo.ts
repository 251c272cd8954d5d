/** The demonstration, loaded when it is asked for: a program that can show it starts no slower for that. */
import type { Chain } from "../chain/define-chain.js";

/**
 * Takes a chain through its upgrades, visibly, with the process's arguments, and sets its exit status. The chain's
 * program must be `chaind.js`, in the folder of this package's build.
 *
 * @example
 * process.argv = ["node", "demo", "--help"];
 * await runDemo(defineChain({ name: "chaind", modules: [auth(), bank(), staking(), gov(), upgrade()] }));
 */
export async function runDemo(chain: Chain): Promise<void> {
  const { demonstrate } = await import("./demo.js");
  process.exitCode = await demonstrate(chain);
}
