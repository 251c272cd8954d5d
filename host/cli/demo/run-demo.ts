/** The demonstration, loaded when it is asked for: a program that can show it starts no slower for that. */
import type { Chain } from "../../chain/app/chain.js";
import type { ProgramCommand } from "../program/program-command.js";

/**
 * Takes a chain through its upgrades, visibly, with the process's arguments, and sets its exit status. The chain's
 * program must be `chaind.js`, in the folder of this package's build.
 *
 * @example
 * process.argv = ["node", "demo", "--help"];
 * await runDemo(defineChain({ name: "chaind", modules: [auth(), bank(), staking(), gov(), upgrade()] }));
 */
export async function runDemo(chain: Chain): Promise<void> {
  const { runAlone } = await import("./demo.js");
  process.exitCode = await runAlone(chain);
}

/**
 * `demo`, the same as a command of the chain's program, for `runChain`.
 *
 * @example
 * process.argv = ["node", "chaind", "version"]; // what a user typed
 * await runChain(defineChain({ name: "chaind", modules: [auth(), bank(), staking(), gov(), upgrade()] }), demoCommand);
 */
export const demoCommand: ProgramCommand = Object.freeze({
  name: "demo",
  summary: "Take a chain through an upgrade, visibly",
  register: async (...given: unknown[]) => {
    const { registerDemo } = await import("./demo.js");
    registerDemo(...(given as Parameters<typeof registerDemo>));
  },
});
