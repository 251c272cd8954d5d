/** `chaind pre-upgrade`: what sidecars run before they start a new binary. Its exit statuses are theirs. */
import type { Cobra } from "../cobra.js";

export function registerPreUpgrade(program: Cobra): void {
  program
    .command("pre-upgrade")
    .summary("Tell a sidecar whether this binary can take over a home")
    .description(
      "Opens the home as `start` would and closes it again, without a block. Exit 0: this binary can go on. 30: it cannot,\n" +
        "and trying again does not help. 31: another process has the home open, try again.",
    )
    .option("--handlers <string>", "folder of upgrade handlers (default: those built with this program)")
    .action(async ({ handlers }: { handlers?: string }, command: Cobra) => {
      const { preUpgrade } = await import("../offline/pre-upgrade.js");
      const { home } = command.optsWithGlobals() as { home: string };
      process.exitCode = preUpgrade(home, handlers, (line) => void process.stderr.write(`${line}\n`));
    });
}
