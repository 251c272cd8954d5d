/** Prints docs/commands.md as it must be, and the commands in it, as JSON. */
import { commandsDocument, programCommands } from "./commands-document.js";

const { chaind, chainvisor } = await programCommands();
process.stdout.write(JSON.stringify({ page: await commandsDocument(), commands: [...chaind, ...chainvisor] }));
