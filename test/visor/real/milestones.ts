/** How far an upgrade is, by what is on disk of its home: kills come a moment after one of these, on a machine of any speed. */
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { recordedStarts } from "./programs.js";

/** In their order. */
export const MILESTONES = ["begun", "node", "halted", "backup", "program", "linked", "v2", "receipt"] as const;
export type Milestone = (typeof MILESTONES)[number];

const FOUND: Readonly<Record<Milestone, (home: string) => boolean>> = {
  begun: () => true,
  node: (home) => recordedStarts(home).length > 0,
  halted: (home) => existsSync(join(home, "data/upgrade-info.json")),
  backup: (home) => readdirSync(home).some((name) => name.startsWith("data-backup-")),
  program: (home) => FOUND.halted(home) && existsSync(join(home, "cosmovisor/upgrades/v2/bin/chaind")),
  linked: (home) => targetOf(home) === "upgrades/v2",
  v2: (home) => recordedStarts(home).some(({ version }) => version === "v2"),
  receipt: (home) => existsSync(join(home, "data/receipts/v2.json")),
};

/** A later one counts too: some homes have no backup. */
export const isReached = (home: string, milestone: Milestone) =>
  MILESTONES.slice(MILESTONES.indexOf(milestone)).some((each) => FOUND[each](home));

function targetOf(home: string): string | undefined {
  try {
    return readlinkSync(join(home, "cosmovisor/current"));
  } catch {
    return undefined; // It is made at the sidecar's first start.
  }
}
