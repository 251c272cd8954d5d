/** Writes docs/gas.md. */
import { writeFileSync } from "node:fs";
import { gasDocument } from "./gas-document.js";

writeFileSync("docs/gas.md", gasDocument());
