/** The commands of a module: those written by hand and those made from descriptors share one group. */
import type { Cobra } from "../../../base/terminal/cobra.js";

/** The group of that name, made when it is absent. */
export function groupOf(parent: Cobra, name: string, summary: string, description: string): Cobra {
  const known = parent.commands.find((command) => command.name() === name);
  if (known) return known as Cobra;
  return parent.command(name).summary(summary).description(description).group();
}

/** Names that are taken, aliases included. */
export function commandNames(group: Cobra): ReadonlySet<string> {
  return new Set(group.commands.flatMap((command) => [command.name(), ...command.aliases()]));
}
