/** Writes docs/api/. */
import { writeFileSync } from "node:fs";
import { apiPages } from "./api-document.js";

for (const [name, text] of apiPages()) writeFileSync(`docs/api/${name}`, text);
