/**
 * Heights that an operator set (`add-upgrade --upgrade-height`), in `<root>/queue.json`. They are never written into the node's
 * data/upgrade-info.json: that file says that the height is reached, and a node that is started meanwhile would be switched early.
 */
import { join } from "node:path";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { writeWhole } from "../../../base/files/whole-file.js";
import { decodeText, encodeText } from "../../../base/text/text.js";
import { INT64_MAX } from "../../../base/types/limits.js";
import type { Plan } from "./plan-file.js";

export interface QueuedPlan {
  /** In its own case. */
  readonly name: string;
  readonly height: bigint;
  readonly info: string;
  /** `queue`: ours. `batch`: Cosmovisor's data/upgrade-info.json.batch, which says what is still to come. */
  readonly from: "queue" | "batch";
}

export interface QueueRead {
  /** By height; a name once, the queue's own before Cosmovisor's. */
  readonly plans: readonly QueuedPlan[];
  /** Files that cannot be read as such, each in words. */
  readonly problems: readonly string[];
}

const BYTES_MAX = 1_048_576;
const FILE_MODE = 0o644;
/**
 * No other file beside the node's upgrade-info.json counts: Cosmovisor leaves one for each plan that it is done with, and a copy that
 * somebody keeps, or what an application writes before a rename, is no operator's word.
 */
const BATCH = "upgrade-info.json.batch";

export const queueFile = (root: string) => join(root, "queue.json");

/** Never throws for what is in the files. @throws what the system says */
export function readQueue(files: Files, { home, root }: { home: string; root: string }): QueueRead {
  const problems: string[] = [];
  const read = (path: string, from: QueuedPlan["from"]): QueuedPlan[] => {
    try {
      return plansIn(files, path, from);
    } catch (error) {
      problems.push(`${path} is no list of plans: ${messageOf(error)}`);
      return [];
    }
  };
  const own = read(queueFile(root), "queue");
  const theirs = read(join(home, "data", BATCH), "batch");
  return { plans: onceEach([...own, ...theirs]), problems };
}

/** All of them or none; one of the same name is replaced. @throws UpgradeError UPG_INVALID_CONFIG: the file holds something else; UPG_STORE_IO */
export function queuePlans(files: Files, root: string, plans: readonly Omit<QueuedPlan, "from">[]): void {
  const others = ownPlans(files, root).filter(({ name }) => !plans.some((each) => isSame(each.name, name)));
  writeQueue(files, root, [...others, ...plans.map((plan) => ({ ...plan, from: "queue" as const }))]);
}

/** Nothing where there is no such plan. @throws as queuePlans */
export function unqueuePlan(files: Files, root: string, name: string): void {
  const plans = ownPlans(files, root);
  const others = plans.filter((each) => !isSame(each.name, name));
  if (others.length < plans.length) writeQueue(files, root, others);
}

export const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

type PlanId = Pick<Plan, "name" | "height">;
export const isSamePlan = (one: PlanId, other: PlanId) => isSame(one.name, other.name) && one.height === other.height;

function ownPlans(files: Files, root: string): QueuedPlan[] {
  try {
    return plansIn(files, queueFile(root), "queue");
  } catch (cause) {
    const message = `${queueFile(root)} is no list of plans: ${messageOf(cause)}; mend or remove it`;
    throw new UpgradeError("UPG_INVALID_CONFIG", message, { cause });
  }
}

function writeQueue(files: Files, root: string, plans: readonly QueuedPlan[]): void {
  const rows = plans.toSorted(byHeight).map(({ name, height, info }) => ({ name, height: String(height), info }));
  const path = queueFile(root);
  try {
    writeWhole(files, path, encodeText(`${JSON.stringify({ v: 1, plans: rows }, null, 1)}\n`), FILE_MODE);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot write ${path}: ${messageOf(cause)}`, { cause });
  }
}

const byHeight = (a: QueuedPlan, b: QueuedPlan) => (a.height < b.height ? -1 : a.height > b.height ? 1 : 0);

function onceEach(plans: readonly QueuedPlan[]): QueuedPlan[] {
  return plans.filter(({ name }, at) => plans.findIndex((each) => isSame(each.name, name)) === at).toSorted(byHeight);
}

/** @throws Error: it cannot be read, or is something else */
function plansIn(files: Files, path: string, from: QueuedPlan["from"]): QueuedPlan[] {
  const bytes = files.read(path, BYTES_MAX);
  if (!bytes) return [];
  const json = JSON.parse(decodeText(bytes)) as unknown;
  const rows = from === "batch" ? json : (json as { plans?: unknown } | null)?.plans;
  if (!Array.isArray(rows)) throw new Error("expected a list of plans");
  return rows.map((row) => ({ ...planOf(row), from }));
}

function planOf(row: unknown): Omit<QueuedPlan, "from"> {
  const { name, height, info = "" } = (row ?? {}) as { name?: unknown; height?: unknown; info?: unknown };
  if (typeof name !== "string" || name === "") throw new Error("a plan has no name");
  const digits = typeof height === "number" || typeof height === "string" ? String(height) : "";
  if (!/^[1-9][0-9]{0,18}$/.test(digits) || BigInt(digits) > INT64_MAX)
    throw new Error(`the height of "${name}" is no block height`);
  return { name, height: BigInt(digits), info: typeof info === "string" ? info : "" };
}
