/** `chaind upgrade`: what a home keeps of its upgrades. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { confirmHere } from "../../../base/terminal/confirm.js";
import type { Context } from "../../flags/context.js";
import type { WitnessFlags } from "../witness.js";
import { registerModules } from "./modules.js";

/** @returns the group, for commands of other rooms */
export function registerUpgrade(program: Cobra, context: Context): Cobra {
  const group = program
    .command("upgrade")
    .summary("Rehearse upgrades, check that all is there for one; witnesses of those that were applied");
  registerWitness(group, context);
  registerForget(group, context);
  registerModules(group, context);
  return group;
}

function registerWitness(group: Cobra, context: Context): void {
  group
    .command("witness <plan>")
    .summary("Write the part of the state before an upgrade that its handler looks at")
    .description(
      "Runs the upgrade again over the state before it, notes what it looks at, and writes that as a witness: with it anyone\n" +
        "can run the handler again and come to the app hash of the next header. Works beside a running node. Without --out the\n" +
        "node then prunes the state before the upgrade, and `rollback --to` cannot go back over it.",
    )
    .option("--out <file>", "write it to this file (default: data/witness of the home, where the node serves it)")
    .option("--handler <file>", "the handler that ran (default: looked for by its hash)")
    .option("--handlers <dir>", "one more folder to look in")
    .example("upgrade witness v2 --home node --out v2.witness")
    .action(async (plan: string, flags: WitnessFlags, command: Cobra) => {
      const { makeWitness } = await import("../witness.js");
      await context.print(makeWitness(context.chain, String(command.optsWithGlobals()["home"]), plan, flags));
      if (flags.out === undefined)
        context.say(
          `the state before "${plan}" is pruned within some blocks of the node: \`rollback --to\` cannot go back over the upgrade then`,
        );
    });
}

function registerForget(group: Cobra, context: Context): void {
  group
    .command("forget <plan>")
    .summary("Let the state before an upgrade be pruned, without a witness")
    .description(
      "The state before an upgrade by a Wasm handler is kept until its witness exists. After this it is pruned like that of\n" +
        "any old block: no witness can be made, and `rollback --to` cannot go back over the upgrade. Asks first.\n" +
        "Works beside a running node, which prunes it within some blocks.",
    )
    .option("-y, --yes", "do not ask")
    .example("upgrade forget v2 --home node")
    .action(async (plan: string, { yes = false }: { yes?: boolean }, command: Cobra) => {
      const { forgetLoss, forgetUpgrade, heightHeldFor } = await import("../witness.js");
      const home = String(command.optsWithGlobals()["home"]);
      const height = heightHeldFor(home, plan);
      if (!yes) context.say(forgetLoss(plan, height));
      await confirmHere(context.io, yes, "Forget it?");
      await context.print(
        forgetUpgrade(home, plan),
        `The state of height ${height}, before the upgrade "${plan}", is let go: the node prunes it within some blocks. ` +
          "No witness can be made of it then, and `rollback --to` cannot go back over the upgrade.",
      );
    });
}
