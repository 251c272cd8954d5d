/** Applies the writes that a guest framed: every frame is checked, then runs for one store go to it as they are. */
import { isUpgradeError } from "../../errors.js";
import { OpCursor } from "../../frames.js";
import { longPrice } from "../meter/schedule.js";
import { trap } from "./failures.js";
import { GasTab } from "./gas-counter.js";
import type { StoreHandle, StoreHandles } from "./store-handles.js";

/**
 * In the order of the frames. Stores copy what they keep, so `frames` may be a view of the guest's memory. Each frame
 * costs what a call for it would; its bytes are paid for by the code that took them from the guest.
 *
 * @throws UpgradeError UPG_HANDLER_TRAP for a malformed frame, or one that the manifest does not give the right to;
 *   UPG_MIGRATION_OUT_OF_GAS
 */
export function applyFrames(handles: StoreHandles, frames: Uint8Array): void {
  if (frames.length === 0) return;
  const tab = new GasTab(handles.gas, "framed writes");
  try {
    applyOn(tab, handles, frames);
  } finally {
    tab.settle();
  }
}

function applyOn(tab: GasTab, handles: StoreHandles, frames: Uint8Array): void {
  const op = new OpCursor(frames);
  let index = -1;
  let handle: StoreHandle | undefined;
  let runStart = 0;
  let price = 0;
  const write = (end: number) => {
    if (!handle) return;
    tab.take(price);
    handle.store.writeFrames(frames.subarray(runStart, end));
    price = 0;
  };
  while (step(op)) {
    if (op.store !== index || !handle) {
      write(op.start);
      index = op.store;
      handle = handles.writable(index);
      runStart = op.start;
    }
    handle.requireKey(frames, op.keyAt, op.keyLen);
    handle.count(op);
    price += handles.nextWritePrice(op.op) + longPrice(op.keyLen) + longPrice(op.valueLen);
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
