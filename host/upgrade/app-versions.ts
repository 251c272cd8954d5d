/** The versions of an app that a process knows, as data, and which of them it runs (docs/architecture.md). */
import type { DoneUpgrade, Plan, VersionMap } from "../types.js";

export interface AppVersion {
  /** Consensus app version: 1 for the first, ascending. */
  readonly number: bigint;
  /** Name of the plan that leads to it; none for a version that genesis starts. */
  readonly plan: string | undefined;
  readonly modules: VersionMap;
  /** Stores that it mounts, `upgrade` included. */
  readonly stores: readonly string[];
}

export interface RunFacts {
  /** The plan that is due at the next height, when it is not skipped and its handler is here. */
  readonly applying: Plan | undefined;
  readonly last: DoneUpgrade | undefined;
  /** The version that genesis names; 0n: unset. */
  readonly genesisVersion: bigint;
}

/** The version to run; undefined when this process does not know it. */
export function versionToRun(versions: readonly AppVersion[], facts: RunFacts): AppVersion | undefined {
  const { applying, last, genesisVersion } = facts;
  const reached = (plan: string) => versions.find((version) => version.plan === plan);
  if (applying) return reached(applying.name);
  if (last) return reached(last.name);
  if (genesisVersion === 0n) return versions[0];
  return versions.find(({ number }) => number === genesisVersion);
}
