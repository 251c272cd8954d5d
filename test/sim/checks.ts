/** What must hold of a home after any process on it has ended, whichever way. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ERROR_KINDS } from "../../host/base/errors/errors.js";
import { Home } from "../../host/node/home/home.js";
import type { HaltRecord } from "../../host/upgrade/module/halt.js";
import { factsOf, type HaltFacts, haltInLog } from "../halt-line.js";
import { type Committed, dataFile } from "./inspect.js";
import type { Reference } from "./reference.js";
import type { Scene } from "./scenes.js";
import type { WorkerEnd } from "./worker-process.js";

/** `lost`: what was committed or written is gone, or the chain cannot go on; `diverged`: state differs. */
export interface Damage {
  readonly kind: "lost" | "diverged";
  readonly what: string;
}

const lost = (what: string): Damage => ({ kind: "lost", what });
const diverged = (what: string): Damage => ({ kind: "diverged", what });

/** The state is wholly that of one height of the undisturbed run, and no height that was there is gone. */
export function checkState(
  { hashes, digests }: Reference,
  before: Committed,
  now: Committed,
  reported: ReadonlyMap<bigint, string>,
): Damage[] {
  const damage = now.problems.map(diverged);
  if (now.height < before.height) damage.push(lost(`height went back from ${before.height} to ${now.height}`));
  for (const [height, hash] of reported) {
    if (height > now.height) damage.push(lost(`block ${height} was reported, the last one is ${now.height}`));
    if (hash !== hashes.get(height)) damage.push(diverged(`block ${height} was reported with app hash ${hash}`));
  }
  for (const [height, hash] of now.hashes) {
    if (hash !== hashes.get(height)) damage.push(diverged(`height ${height} has app hash ${hash}`));
  }
  for (const [height, digest] of now.digests) {
    if (digest !== digests.get(height)) damage.push(diverged(`the stores of height ${height} hold something else`));
  }
  return damage;
}

export interface FilesFacts {
  readonly scene: Scene;
  /** What the simulator has put in upgrade-info.json's place. */
  readonly torn: string | undefined;
  readonly committed: Committed;
  readonly end: WorkerEnd;
  readonly isKilled: boolean;
  /** The record that was printed, where only the files are looked at and not the state. */
  readonly record?: HaltFacts | undefined;
}

/** Exits after which upgrade-info.json must be there. */
const INFO_EXITS = [10, 14];
const RECORDED_FROM = 10;

export function checkFiles(home: string, facts: FilesFacts): Damage[] {
  const { scene, torn, committed, end, isKilled } = facts;
  const damage: Damage[] = [];
  const info = dataFile(home, "upgrade-info.json");
  const mayBe = [scene.upgradeInfo, torn ?? undefined];
  if (torn === undefined) mayBe.push(undefined);
  if (!mayBe.includes(info)) damage.push(lost(`upgrade-info.json is ${JSON.stringify(info)}`));
  const mustBeThere = !isKilled && INFO_EXITS.includes(end.exit ?? 0);
  if (mustBeThere && info !== scene.upgradeInfo) damage.push(lost(`exit ${end.exit} without upgrade-info.json`));
  const record = dataFile(home, "halt.json");
  if (record !== undefined) damage.push(...checkRecord(record));
  if (facts.record !== undefined)
    return isRecordOf(facts.record, record) ? damage : [...damage, lost(`halt.json is ${record}`)];
  if (!isKilled && (end.exit ?? 0) >= RECORDED_FROM) damage.push(...checkEnd(record, committed, end));
  return damage;
}

/** Of the data folder, what ends in .json is written whole or not at all, whatever it holds. */
export function checkJsonFiles(home: string): Damage[] {
  const folder = new Home(home).dataFolder;
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return names.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    try {
      JSON.parse(text);
      return [];
    } catch {
      return [lost(`${name} is torn: ${JSON.stringify(text.slice(0, 100))}`)];
    }
  });
}

/** A record that is there is whole. */
function checkRecord(text: string): Damage[] {
  try {
    const { v, code } = JSON.parse(text) as { v: unknown; code: string };
    return v === 1 && code in ERROR_KINDS ? [] : [lost(`halt.json is ${text}`)];
  } catch {
    return [lost(`halt.json is torn: ${text}`)];
  }
}

function isRecordOf(logged: HaltFacts | undefined, text: string | undefined): boolean {
  try {
    return text !== undefined && isDeepStrictEqual(logged, factsOf(JSON.parse(text) as HaltRecord));
  } catch {
    return false;
  }
}

/** A process that ended by itself has left its record, on disk and in the log, and it says where the chain is. */
function checkEnd(text: string | undefined, { height, hashes }: Committed, end: WorkerEnd): Damage[] {
  const logged = haltInLog(end.log);
  if (text === undefined || !isRecordOf(logged, text))
    return [lost(`exit ${end.exit} with the record ${text} and the line ${JSON.stringify(logged)}`)];
  const { last_committed_height, app_hash } = JSON.parse(text) as Record<string, string>;
  const says = { height: last_committed_height, hash: app_hash?.toLowerCase() };
  const is = { height: String(height), hash: hashes.get(height) ?? "" };
  return isDeepStrictEqual(says, is)
    ? []
    : [lost(`halt.json says ${JSON.stringify(says)}, it is ${JSON.stringify(is)}`)];
}
