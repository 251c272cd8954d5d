/** Commands that take the sources and the compiler of the package: a program that is one executable file has neither. */
import { UpgradeError } from "../../../errors.js";
import { programName } from "../../../program-name.js";
import type { Cobra } from "../../../shell/cobra.js";

const WHY = "this program is one executable file, without the sources and the compiler that handlers are made with";

/** Help does not list it; its error says where it runs. */
export function registerAbsent(handler: Cobra, name: string): void {
  const instead = `npx chaind handler ${name}`;
  const text = `${WHY}: install the package with Node.js and npm, then run \`${instead}\``;
  handler
    .command(name, { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .summary("Not in this executable")
    .description(`${programName()} handler ${name} is not in this executable: ${text}.`)
    .action(() => {
      throw new UpgradeError("UPG_INVALID_CONFIG", `handler ${name}: ${text}`);
    });
}
