/** Builds faults.c, once for a process; machines without gcc or of another system go without. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../worker-process.js";

const SOURCE = join(ROOT, "test/sim/faults/faults.c");

let built: string | undefined;

/** Undefined where it cannot be: not Linux, or no gcc. */
export const HAS_FAULTS =
  process.platform === "linux" && spawnSync("gcc", ["--version"], { stdio: "ignore" }).status === 0;

/** Path of the shared library. */
function faultsLibrary(): string {
  if (built) return built;
  const folder = join(ROOT, "build", "sim");
  mkdirSync(folder, { recursive: true });
  built = join(folder, `faults.${process.pid}.so`);
  execFileSync("gcc", ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", built, SOURCE, "-lpthread"]);
  return built;
}

export type FaultClass = "write" | "sync" | "create" | "rename" | "unlink" | "truncate";

export interface Faults {
  /** The folder whose files are watched. */
  readonly root: string;
  readonly journal?: string;
  readonly fail?: { readonly class: FaultClass; readonly nth: number; readonly errno: number; readonly mode: FailMode };
  /** Dies before this change. */
  readonly killAt?: number;
  /** Files whose path ends so are not synced. */
  readonly swallow?: string;
}

/** A disk that does less than it is asked for. */
export type FaultsOfProcess = Pick<Faults, "swallow">;

/** Once; from then on; from then on the disk is full. */
export type FailMode = "once" | "lasting" | "full";

/** For the environment of the process. */
export function faultsEnvironment({ root, journal, fail, killAt, swallow }: Faults): Record<string, string> {
  return {
    LD_PRELOAD: faultsLibrary(),
    FAULTS_ROOT: root,
    ...(journal === undefined ? {} : { FAULTS_JOURNAL: journal }),
    ...(fail === undefined ? {} : { FAULTS_FAIL: `${fail.class}:${fail.nth}:${fail.errno}:${fail.mode}` }),
    ...(killAt === undefined ? {} : { FAULTS_KILL: String(killAt) }),
    ...(swallow === undefined ? {} : { FAULTS_SWALLOW: swallow }),
  };
}
