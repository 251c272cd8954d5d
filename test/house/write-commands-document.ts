/** Writes docs/commands.md. */
import { writeFileSync } from "node:fs";
import { commandsDocument } from "./commands-document.js";

writeFileSync("docs/commands.md", await commandsDocument());
