/** Applies the writes that a guest framed: each frame is checked and paid for, and runs for one store go to it as they are. */
import { isUpgradeError } from "../../../base/errors/errors.js";
import { OpCursor } from "../../../state/branch/kv/frames.js";
import { longPrice } from "../meter/schedule.js";
import { trap } from "./failures.js";
import { GasTab } from "./gas-counter.js";
import type { StoreHandle, StoreHandles } from "./store-handles.js";

/**
 * Frame by frame (docs/gas.md): its form, its store, the right to write there, its key's prefix, then its price, which is
 * that of a call for it; its bytes are paid for by the code that took them from the guest. Stores copy what they keep, so
 * `frames` may be a view of the guest's memory.
 *
 * @throws UpgradeError UPG_HANDLER_TRAP for a malformed frame, or one that the manifest does not give the right to;
 *   UPG_MIGRATION_OUT_OF_GAS; what comes first in the order of the frames
 */
export function applyFrames(handles: StoreHandles, frames: Uint8Array): void {
  if (frames.length === 0) return;
  const tab = new GasTab(handles.gas, "framed writes");
  try {
    applyOn(tab, handles, frames);
  } finally {
    // A trap leaves what the frames before it cost.
    tab.settle();
  }
}

function applyOn(tab: GasTab, handles: StoreHandles, frames: Uint8Array): void {
  const op = new OpCursor(frames);
  let index = -1;
  let handle: StoreHandle | undefined;
  let runStart = 0;
  // Only a run that ended without an error is written: what a failed run wrote is dropped anyway.
  const write = (end: number) => handle?.store.writeFrames(frames.subarray(runStart, end));
  while (step(op)) {
    if (op.store !== index || !handle) {
      const next = handles.writable(op.store);
      write(op.start);
      handle = next;
      index = op.store;
      runStart = op.start;
    }
    handle.requireKey(frames, op.keyAt, op.keyLen);
    tab.take(handles.nextWritePrice(op.op) + longPrice(op.keyLen) + longPrice(op.valueLen));
    handle.count(op);
  }
  write(frames.length);
}

function step(op: OpCursor): boolean {
  try {
    return op.step();
  } catch (error) {
    throw isUpgradeError(error) ? trap(error.message) : error;
  }
}
