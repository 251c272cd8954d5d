import { existsSync } from "node:fs";

/** The words that start the demonstration, before its flags. */
export const HOW_TO_RUN = process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "npx chaind demo";

const INSTALLED = "node_modules/chain-upgrade/";

/** The folder of the pages, from where the demonstration was started. */
export const PAGES = existsSync(`${INSTALLED}README.md`) ? INSTALLED : "";
