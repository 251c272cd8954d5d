// The declaration: what a handler is for, what it may touch, and which function does what. It is at the top of the
// author's file and is run, not parsed: once by `chaind handler build`, which makes the manifest of what it said, and
// again in every instance, where it hands out the same handles in the same order. So the two cannot disagree.
import { Bytes } from "./bytes";
import { context } from "./context";
import { describeAllow, describeModule, describePlan, describeScan, describeStep, describeStore } from "./describe";
import { Store } from "./store";

/** The plan's name, and the most gas that the upgrade may take: `chaind handler run` prints what it takes. */
export function plan(name: string, gasLimit: u64): void {
  if (isDefined(DESCRIBE)) describePlan(name, gasLimit);
}

let handles: u32 = 0;

function nextStore(name: string, access: string, upgrade: string, before: string): Store {
  if (isDefined(DESCRIBE)) describeStore(name, access, upgrade, before);
  return new Store(handles++);
}

/** A store to read and write. */
export function store(name: string): Store {
  return nextStore(name, "rw", "", "");
}

/** A store to read. */
export function readStore(name: string): Store {
  return nextStore(name, "r", "", "");
}

/** A store that is new with this upgrade. */
export function addStore(name: string): Store {
  return nextStore(name, "rw", "added", "");
}

/** A store that gets another name with this upgrade; it has its pairs already when the handler runs. */
export function renameStore(before: string, name: string): Store {
  return nextStore(name, "rw", "renamed", before);
}

/** A store that is gone, with all that is in it, when the handler runs. */
export function deleteStore(name: string): void {
  if (isDefined(DESCRIBE)) describeStore(name, "", "deleted", "");
}

/**
 * What is refused unless it is meant: `allow("deleteStores", "gov")`, a store of a module that stays, deleted or renamed away;
 * `allow("removeModules", "gov")`; `allow("writeStores", "bank")`, though the module's version stays;
 * `allow("keepStores", "bank")`, though its module is removed; `allow("emptyVersionMap")`. People who approve the handler read it.
 */
export function allow(what: string, name: string = ""): void {
  if (isDefined(DESCRIBE)) describeAllow(what, name);
}

// Work

class Step {
  isDone: bool = false;

  constructor(
    readonly module: string,
    readonly from: u64,
    readonly to: u64,
    readonly run: (() => void) | null,
  ) {}
}

const steps: Step[] = [];

/**
 * A module goes from one version to another. The step runs when the module is at `from`, before any scan, in the
 * order of declaration; without `run` the work is done by scans.
 */
export function migrate(module: string, from: u64, to: u64, run: (() => void) | null = null): void {
  if (isDefined(DESCRIBE)) describeStep(module, from, to);
  steps.push(new Step(module, from, to, run));
}

/** A module that is new with this upgrade; `genesis` writes what it begins with. */
export function addModule(module: string, version: u64, genesis: (() => void) | null = null): void {
  if (isDefined(DESCRIBE)) describeModule(module, version);
  steps.push(new Step(module, 0, version, genesis));
}

/** A module that the new version no longer has. */
export function removeModule(module: string): void {
  if (isDefined(DESCRIBE)) describeModule(module, 0);
}

export function runSteps(): void {
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (versionBefore(i) != step.from) continue;
    const run = step.run;
    if (run !== null) run();
    step.isDone = true;
  }
}

/** Where the steps before this one brought its module. */
function versionBefore(index: i32): u64 {
  const module = steps[index].module;
  let version = context.version(module);
  for (let i = 0; i < index; i++) {
    const step = steps[i];
    if (step.isDone && step.module == module) version = step.to;
  }
  return version;
}

class PairWork {
  constructor(
    readonly onPair: (key: Bytes, value: Bytes) => void,
    readonly onEnd: (() => void) | null,
  ) {}
}

/** By the number of the scan in the manifest. */
export const scans: PairWork[] = [];

/**
 * Every pair of a store whose key begins with `prefix` (hex; empty: every pair), as they were before the upgrade,
 * ascending. `key` and `value` are good until `onPair` returns. `onEnd` runs once, after the last pair.
 */
export function scan(
  from: Store,
  prefix: string,
  onPair: (key: Bytes, value: Bytes) => void,
  onEnd: (() => void) | null = null,
): void {
  if (isDefined(DESCRIBE)) describeScan(from.handle, prefix);
  scans.push(new PairWork(onPair, onEnd));
}

class Invariant {
  constructor(
    readonly name: string,
    readonly holds: () => bool,
    readonly message: string,
  ) {}
}

export const invariants: Invariant[] = [];

/** Something that must hold after everything, or the upgrade is dropped. `holds` may read, and not write. */
export function invariant(name: string, holds: () => bool, message: string = ""): void {
  invariants.push(new Invariant(name, holds, message));
}
