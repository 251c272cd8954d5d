/** Homes with a scheduled plan, and the rows of `upgrade preflight` there. */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PreflightFlags, preflight } from "../../../../host/cli/preflight/preflight.js";
import type { Row } from "../../../../host/cli/preflight/row.js";
import { goPlatform } from "../../../../host/upgrade/plan-info/platform.js";
import { DIST, TestHome } from "../../../e2e/chaind.js";
import { exampleChain } from "../../../example-chain.js";

export const HANDLERS = join(DIST, "handlers");
export const PLATFORM = goPlatform(process.platform, process.arch);
export const scheduled = (info = "") => new TestHome().schedule({ name: "v2", height: 9n, info }, 5n).path;

export async function rowsOf(path: string, flags: PreflightFlags = {}) {
  const { rows } = await preflight(exampleChain, path, { handlers: HANDLERS, ...flags });
  const found = new Map<string, Row>();
  // The sidecar has a row for each thing that is missing.
  for (const row of rows) {
    const before = found.get(row.check);
    found.set(row.check, before ? { ...before, words: `${before.words}; ${row.words}` } : row);
  }
  return found;
}

export const stateOf = (rows: ReadonlyMap<string, Row>) =>
  Object.fromEntries([...rows].map(([check, { state }]) => [check, state]));

/** A program of this project, as the sidecar asks it. */
export const TAKES_OVER = `#!${process.execPath}
if (process.argv[2] === "pre-upgrade") console.log("this binary can take over at the height");
`;

export function stage(path: string, text = TAKES_OVER, folder = "upgrades/v2"): string {
  const file = join(path, "cosmovisor", folder, "bin", "chaind");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}
