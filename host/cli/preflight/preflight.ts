/**
 * Is all there for the scheduled upgrade? One table over what other commands look at one by one. Nothing is written, and a node may
 * run in the home meanwhile.
 */

import { resolve } from "node:path";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { diskFiles } from "../../base/files/disk-files.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Io } from "../../base/terminal/io.js";
import { completeAll } from "../../base/text/program-text.js";
import { visible } from "../../base/text/visible.js";
import type { Plan } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { cometProblem } from "../../node/comet/comet-files.js";
import { keptOrFile, requireHome } from "../../node/home/begun-genesis.js";
import { readConsensusKey } from "../../node/home/consensus-key.js";
import { Home } from "../../node/home/home.js";
import { foundUnrecordedVote } from "../../node/home/unrecorded-vote.js";
import { versionsAndHandlers } from "../../node/home/versions-and-handlers.js";
import { noChain, openShared } from "../../node/open/home-database.js";
import type { Database } from "../../state/store/disk/database.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { Core } from "../../upgrade/core/core.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { parsePlanInfo } from "../../upgrade/plan-info/plan-info.js";
import { missingHandlerIn } from "../../visor/stage/probe.js";
import { type PreUpgradeFlags, preUpgrade } from "../offline/pre-upgrade.js";
import { openRehearsal } from "../offline/rehearsal.js";
import { attestationRow } from "./attestation-row.js";
import { handlerRows } from "./handler-rows.js";
import { diskRow, memoryRow } from "./machine-rows.js";
import { planRow } from "./plan-row.js";
import { binaryRow, checksumRow, type OtherWay, programRow, type SidecarPlace, stagedProgram } from "./program-rows.js";
import { rehearsalRow } from "./rehearsal-row.js";
import { CHECKS, type Row } from "./row.js";
import { sidecarRows } from "./sidecar-row.js";

export interface PreflightFlags extends PreUpgradeFlags {
  /** Undefined: that of the process. */
  readonly env?: Io["env"];
  /** The scheduled plan must have this name. */
  readonly plan?: string;
  /** A report of `upgrade rehearse -o json`; undefined: that of the home. */
  readonly rehearsal?: string;
}

export interface Preflight {
  readonly plan: Plan;
  readonly rows: readonly Row[];
}

/** @throws UpgradeError UPG_NOT_FOUND_PLAN, UPG_INVALID_CONFIG, UPG_STORE_* */
export async function preflight(chain: Chain, path: string, flags: PreflightFlags): Promise<Preflight> {
  // Absolute: the commands of the rows are pasted in any folder.
  const absolute = resolve(path);
  const home = new Home(absolute);
  requireHome(home);
  if (!home.hasDatabase) throw noChain(path);
  const { env = process.env } = flags;
  const place = sidecarPlace(chain, absolute, env);
  // Opens the home by itself, so it comes first: a file that is open twice in a process loses its locks with the first close.
  const start = preUpgradeOf(chain, absolute, flags);
  const { plan, rows } = withState(chain, home, flags, place);
  const all = [
    ...rows,
    startRow(start, plan),
    ...cometRows(flags),
    ...validatorKeyRows(home),
    ...(await sidecarRows(place, absolute, plan)),
  ];
  const sorted = all.sort((a, b) => CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check));
  return { plan, rows: completeAll(sorted, chain.name) };
}

function sidecarPlace(chain: Chain, path: string, env: Io["env"]): SidecarPlace {
  const { DAEMON_HOME: home, DAEMON_NAME: name } = env;
  return { home: resolve(home || path), name: name || chain.name, env };
}

interface PreUpgradeEnd {
  readonly exit: number;
  readonly lines: readonly string[];
}

function preUpgradeOf(chain: Chain, path: string, flags: PreflightFlags): PreUpgradeEnd {
  const lines: string[] = [];
  const exit = preUpgrade(chain, path, flags, (line) => lines.push(line));
  return { exit, lines };
}

/** A warning: this shell may have another PATH than the node, and a relay starts CometBFT by flags of its own. */
function cometRows({ start }: PreflightFlags): Row[] {
  try {
    const problem = start && cometProblem(start());
    return problem === undefined ? [] : [{ check: "cometbft", state: "warning", words: problem }];
  } catch {
    return []; // Settings that `start` refuses: the row `start` says so.
  }
}

function validatorKeyRows({ dataFolder }: Home): Row[] {
  const words = foundUnrecordedVote(diskFiles, dataFolder);
  return words === undefined ? [] : [{ check: "validator key", state: "warning", words }];
}

/** What `pre-upgrade` found about a start of this binary now. */
function startRow({ exit, lines }: PreUpgradeEnd, plan: Plan): Row {
  const without = exit === 0 ? missingHandlerIn(lines.at(-1) ?? "") : undefined;
  if (without !== undefined) {
    const words = `the plan's height is not reached yet: this binary can start and make blocks up to ${plan.height - 1n}, and has no handler for the upgrade's block (${without})`;
    return { check: "start", state: "ok", words };
  }
  const problems = lines.flatMap((line) => /^Error: (.*)$/s.exec(line)?.[1] ?? []);
  if (exit === 0) return { check: "start", state: "ok", words: lines.at(-1) ?? "this binary can go on" };
  const words = (problems.length > 0 ? problems : lines.slice(-1)).join("; ");
  return { check: "start", state: exit === TRY_AGAIN ? "warning" : "missing", words };
}

const TRY_AGAIN = 31;

function withState(chain: Chain, home: Home, flags: PreflightFlags, place: SidecarPlace): Preflight {
  const { database, close } = openShared(home);
  try {
    const last = BigInt(lastVersionOf(database));
    const stores = new CommitMultiStore(database, { sha256 }).at(last);
    const plan = requirePlan(new Core().plan(stores.store(UPGRADE_STORE)), flags.plan);
    const program = stagedProgram(place, plan);
    const opened = openedRows(chain, database, home, { flags, plan, stored: stores.names, program });
    const { genesis } = keptOrFile(chain, home, database);
    const state = { plan, chainId: genesis.chainId, last, database };
    const { row, rehearsal } = rehearsalRow(home, { ...state, handler: opened.handler, given: flags.rehearsal });
    const attestation = attestationRow(chain, {
      ...{ home: home.path, stores, plan: plan.name, handler: opened.handler, consensusKey: keyOf(home) },
      stakingParams: genesis.stakingParams.value,
      report: rehearsal?.exit === 0 ? rehearsal : undefined,
    });
    const rows = [
      planRow(database, plan, last),
      binaryRow(chain, plan),
      program && programRow(program, place, home.path, opened.other),
      checksumRow(plan, program),
      ...opened.rows,
      diskRow(home, plan, flags.handlerDiskMax),
      memoryRow(rehearsal),
      row,
      attestation,
    ];
    return { plan, rows: rows.filter((each): each is Row => each !== undefined) };
  } finally {
    close();
  }
}

function requirePlan(plan: Plan | undefined, wanted: string | undefined): Plan {
  if (plan && (wanted === undefined || plan.name === wanted)) return plan;
  const what = plan ? `the plan that is scheduled is "${visible(plan.name)}"` : "no plan is scheduled";
  throw new UpgradeError("UPG_NOT_FOUND_PLAN", wanted === undefined ? what : `${what}, not "${visible(wanted)}"`);
}

interface OpenFacts {
  readonly flags: PreflightFlags;
  readonly plan: Plan;
  readonly stored: readonly string[];
  readonly program: ReturnType<typeof stagedProgram>;
}

/** What a start at the plan's height opens, and the hash of its handler. */
function openedRows(chain: Chain, database: Database, home: Home, { flags, plan, stored, program }: OpenFacts) {
  const silent = () => undefined;
  const info = parsePlanInfo(plan.info);
  const isPinned = info.kind === "document" && info.handler !== undefined;
  try {
    const start = flags.start?.();
    const folder = flags.handlers ?? start?.handlers ?? chain.handlers;
    const brought = versionsAndHandlers(chain, home, folder, start?.appVersion);
    const { genesis } = keptOrFile(chain, home, database);
    const facts = { home, genesis, ...brought, staged: flags.handlersStaged ?? start?.staged, say: silent };
    const app = openRehearsal(chain, database, facts, true);
    const { handler, state, isStaged } = app.keeper.findHandler(plan);
    const ofHome = brought.handlers.some((each) => each.isOfHome && each.handler === handler?.wasm);
    const ready = state === "ready" ? handler : undefined;
    const other: OtherWay = { handler: ready, isOfHome: isStaged || ofHome, isPinned };
    return { rows: handlerRows({ app, plan, home, stored, program, isPinned }), handler: handler?.wasm?.hash, other };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    const check = error.code === "UPG_STORE_UPGRADE" ? "stores" : "handler";
    const row: Row = { check, state: "missing", words: `${messageOf(error)} [${error.code}]` };
    return { rows: [row], handler: undefined, other: { handler: undefined, isOfHome: false, isPinned } };
  }
}

/** Under CometBFT the key may be in another process. */
function keyOf({ validatorKeyFile }: Home): Uint8Array | undefined {
  try {
    return readConsensusKey(validatorKeyFile).publicKey.bytes;
  } catch {
    return undefined;
  }
}
