// The messages that operators search for, of the current plan or, for a missing handler, of the last upgrade's name.
import { putBytes, putDecimal, putText, putUnsigned } from "../shared/sink";
import * as plan from "./plan";

let appVersion: u64 = 0;
let lastName: usize = 0;
let lastNameLen: u32 = 0;

/** What `emitHandlerMissing` writes. */
export function setLast(version: u64, name: usize, len: u32): void {
  appVersion = version;
  lastName = name;
  lastNameLen = len;
}

export function emitHandlerMissing(): void {
  putText("wrong app version ");
  putUnsigned(appVersion);
  putText(", upgrade handler is missing for ");
  putBytes(lastName, lastNameLen);
  putText(" upgrade plan");
}

function emitUpgrade(): void {
  putText('UPGRADE "');
  putBytes(plan.namePtr, plan.nameLen);
  putText('" ');
}

function emitHeightAndInfo(): void {
  putDecimal(plan.height);
  putText(": ");
  putBytes(plan.infoPtr, plan.infoLen);
}

export function emitSkipped(): void {
  emitUpgrade();
  putText("SKIPPED at ");
  emitHeightAndInfo();
}

export function emitNeeded(): void {
  emitUpgrade();
  putText("NEEDED at height: ");
  emitHeightAndInfo();
}

export function emitTooEarly(): void {
  putText("BINARY UPDATED BEFORE TRIGGER! ");
  emitUpgrade();
  putText("- in binary but not executed on chain. Downgrade your binary");
}
