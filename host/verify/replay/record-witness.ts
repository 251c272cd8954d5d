/** Makes the witness of an upgrade that was applied, from the states before and after its block. */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareText, equalBytes, toUpperHex } from "../../base/text/bytes.js";
import { encodeWitness } from "../../state/witness/encode.js";
import { recordStore, type StoreRecorder } from "../../state/witness/record.js";
import type { StoreWrites, TreeAt, WitnessContents } from "../../state/witness/types.js";
import { UPGRADE_STORE } from "../../upgrade/module/upgrade-store.js";
import { otherWrites } from "./other-writes.js";
import { Replay, type ReplayInput } from "./replay.js";
import type { StateBefore } from "./state-before.js";

/** A committed state: a `VersionView` is one. */
interface CommittedState {
  readonly names: readonly string[];
  readonly appHash: Uint8Array;
  rootHash(name: string): Uint8Array;
  treeAt(name: string): TreeAt;
}

export interface RecordInput extends Omit<ReplayInput, "before"> {
  readonly before: CommittedState;
  readonly after: CommittedState;
}

export interface RecordedWitness {
  readonly bytes: Uint8Array;
  readonly contents: WitnessContents;
  readonly gas: bigint;
}

/**
 * Runs the upgrade again over the state before, notes what is looked at, and finds what else the block wrote.
 * @throws UpgradeError UPG_WITNESS_PLAN, UPG_WITNESS_RESULT when it does not lead to the state after; UPG_HANDLER_*, UPG_MIGRATION_*, UPG_STORE_*
 */
export function recordWitness(input: RecordInput): RecordedWitness {
  const { before, after, sha256, chainId, height } = input;
  const recorders = new Map<string, StoreRecorder>();
  const replay = new Replay({ ...input, before: noting(before, recorders) });
  const ran = replay.run();
  const others = findOthers(input, replay, ran.plan.name);
  replay.addOthers(ran, others);
  const { appHash } = replay.finish(ran);
  if (!equalBytes(appHash, after.appHash)) {
    const what = `the upgrade, run again, leads to app hash ${toUpperHex(appHash)}, and height ${height} has ${toUpperHex(after.appHash)}`;
    throw new UpgradeError("UPG_WITNESS_RESULT", what);
  }
  const stores = [...before.names].sort(compareText).map((name) => {
    return { name, hash: before.rootHash(name), tree: recorders.get(name)?.finish() };
  });
  const contents = { chainId, plan: ran.plan.name, height, others, stores };
  return { bytes: encodeWitness(contents, sha256), contents, gas: ran.report.gas };
}

function noting(before: CommittedState, recorders: Map<string, StoreRecorder>): StateBefore {
  return {
    names: before.names,
    rootHash: (name) => before.rootHash(name),
    open(name) {
      const { source, root } = before.treeAt(name);
      const recorder = recordStore(source, root);
      recorders.set(name, recorder);
      return { tree: recorder, reader: recorder.reader };
    },
  };
}

/** Reads of this are nobody's but the recorder's: they are not noted. */
function findOthers(
  { before, after, core, height }: RecordInput,
  { stores, branch }: Replay,
  plan: string,
): StoreWrites[] {
  const others: StoreWrites[] = [];
  for (const name of stores.names) {
    const source = stores.sourceOf(name);
    const rootBefore = stores.rootBefore(name);
    const isUntouched = !stores.isOpened(name) && !stores.isRenamed(name);
    if (isUntouched && equalBytes(rootBefore ?? new Uint8Array(), after.rootHash(name))) continue;
    const writes = otherWrites({
      before: source === undefined ? stores.opened(name).tree : before.treeAt(source),
      after: after.treeAt(name),
      version: Number(height),
      known: branch.store(name),
      isRenamed: stores.isRenamed(name),
      ...(name === UPGRADE_STORE ? { except: core.receiptKey(plan) } : {}),
    });
    if (writes.length > 0) others.push({ store: name, writes });
  }
  return others;
}
