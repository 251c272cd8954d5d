/** The last rehearsal of the plan: the report that the home keeps, or one of `upgrade rehearse -o json` that a flag names. */
import { existsSync } from "node:fs";
import { messageOf } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Plan } from "../../base/types/types.js";
import { withRemedy } from "../../node/home/failed-rehearsal.js";
import type { Home } from "../../node/home/home.js";
import type { Database } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { type RehearsalReport, readRehearsal } from "../client/tx/rehearsal-report.js";
import { foreignTo } from "../client/tx/rehearsed-chain.js";
import type { Row } from "./row.js";

export interface RehearsalFacts {
  readonly plan: Plan;
  readonly chainId: string;
  /** Of the last commit. */
  readonly last: bigint;
  readonly database: Database;
  /** Hash of the file that the node would run now; undefined: none, or one in TypeScript. */
  readonly handler: string | undefined;
  /** The report that a flag names. */
  readonly given: string | undefined;
}

interface FoundRehearsal {
  readonly row: Row;
  /** Only one of this plan with this file says something to other rows. */
  readonly rehearsal: RehearsalReport | undefined;
}

export function rehearsalRow(home: Home, facts: RehearsalFacts): FoundRehearsal {
  const { given, plan, handler } = facts;
  const file = given ?? home.rehearsalFile(plan.name);
  const command = `${PROGRAM} upgrade rehearse --home ${shellWord(home.path)}`;
  const into = given === undefined ? "" : ` -o json > ${shellWord(given)}`;
  const row = (state: Row["state"], words: string, flags = ""): Row => ({
    ...{ check: "rehearsal", state, words },
    next: `${command}${flags}${into}`,
  });
  const none = (words: string): FoundRehearsal => ({ row: row("warning", words), rehearsal: undefined });
  if (!existsSync(file)) return none("not rehearsed");
  let rehearsal: RehearsalReport;
  try {
    rehearsal = readRehearsal(file);
  } catch (error) {
    return none(`the report cannot be read: ${messageOf(error)}`);
  }
  const foreign = foreignTo(rehearsal, chainOf(facts, rehearsal));
  if (foreign !== undefined) return none(`the rehearsal of ${file} ${foreign}`);
  const { exit, verdict, message, state, appHash, handlerSha256, openFindings } = rehearsal;
  const on = state ? ` on the state of block ${state.height}` : "";
  if (handler !== undefined && handlerSha256 !== undefined && handlerSha256 !== handler)
    return none(`the rehearsal${on} was of another file, ${handlerSha256}`);
  const accept = openFindings.length > 0 ? ` --accept ${openFindings.join(",")}` : "";
  if (exit !== 0) {
    const what = withRemedy(`${verdict}${on}: ${message}`, exit);
    return { row: row("missing", what, exit === 1 ? accept : ""), rehearsal };
  }
  if (openFindings.length > 0) {
    const what = withRemedy(`${verdict}${on}, with findings of ${openFindings.join(", ")}`, 1);
    return { row: row("missing", what, accept), rehearsal: undefined };
  }
  return { row: { check: "rehearsal", state: "ok", words: `${verdict}${on}, app hash ${appHash}` }, rehearsal };
}

function chainOf({ plan, chainId, last, database }: RehearsalFacts, { state }: RehearsalReport) {
  const stores = new CommitMultiStore(database, { sha256 });
  const appHash = state && stores.has(state.height) ? stores.at(state.height).appHash : undefined;
  return { chainId, plans: { isScheduled: true, plans: [plan] }, height: last, appHash } as const;
}
