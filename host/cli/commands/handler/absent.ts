/** Commands that take the sources and the compiler of the package: a program that is one executable file has neither. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";

const WHY = "this program is one executable file, without the sources and the compiler that handlers are made with";

/** Help does not list it; its error says where it runs. */
export function registerAbsent(handler: Cobra, name: string): void {
  const { message } = absent(name);
  handler
    .command(name, { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .summary("Not in this executable")
    .description(`Not in this executable. ${message}.`)
    .action(() => {
      throw absent(name);
    });
}

/** What such a command ends with. */
export function absent(name: string): UpgradeError {
  const text = `${WHY}: install the package with Node.js and npm, then run \`npx chaind handler ${name}\``;
  return new UpgradeError("UPG_INVALID_CONFIG", `handler ${name}: ${text}`);
}
