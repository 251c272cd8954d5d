/** `chaind upgrade`: what a home keeps of its upgrades. */
import type { Cobra } from "../../shell/cobra.js";
import type { Output } from "../../shell/output.js";
import type { WitnessFlags } from "../witness.js";
import { registerModules } from "./modules.js";

/** @returns the group, for commands of other rooms */
export function registerUpgrade(program: Cobra, output: Output): Cobra {
  const group = program
    .command("upgrade")
    .summary("Rehearse upgrades, check that all is there for one; witnesses of those that were applied");
  registerWitness(group, output);
  registerForget(group, output);
  registerModules(group, output);
  return group;
}

function registerWitness(group: Cobra, output: Output): void {
  group
    .command("witness <plan>")
    .summary("Write the part of the state before an upgrade that its handler looks at")
    .description(
      "Runs the upgrade again over the state before it, notes what it looks at, and writes that as a witness: with it anyone\n" +
        "can run the handler again and come to the app hash of the next header. Works beside a running node.",
    )
    .option("--out <file>", "write it to this file (default: data/witness of the home, where the node serves it)")
    .option("--handler <file>", "the handler that ran (default: looked for by its hash)")
    .option("--handlers <dir>", "one more folder to look in")
    .example("upgrade witness v2 --home node --out v2.witness")
    .action(async (plan: string, flags: WitnessFlags, command: Cobra) => {
      const { makeWitness } = await import("../witness.js");
      output.print(makeWitness(String(command.optsWithGlobals()["home"]), plan, flags));
    });
}

function registerForget(group: Cobra, output: Output): void {
  group
    .command("forget <plan>")
    .summary("Let the state before an upgrade be pruned, without a witness")
    .description(
      "The state before an upgrade by a Wasm handler is kept until its witness exists. After this it is pruned like that of\n" +
        "any old block, and no witness can be made any more. Works beside a running node, which prunes it within some blocks.",
    )
    .example("upgrade forget v2 --home node")
    .action(async (plan: string, _: unknown, command: Cobra) => {
      const { forgetUpgrade } = await import("../witness.js");
      output.print(forgetUpgrade(String(command.optsWithGlobals()["home"]), plan));
    });
}
