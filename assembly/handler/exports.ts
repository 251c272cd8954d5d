// What the host calls (docs/abi.md). `chaind handler build` compiles this beside the author's file.
import { Bytes } from "./bytes";
import { context } from "./context";
import { invariants, runSteps, scans } from "./declare";
import { inputBuffer, inputPtr, outputBuffer, outputCap, outputPtr } from "./memory";
import { answer, flush } from "./output";
import { fail } from "./report";
import { Writer } from "./writer";

const FLAG_LAST: i32 = 1;

const key = new Bytes();
const value = new Bytes();

export function handler_abi_1(): void {
  // Marks the interface; never called.
}

export function handler_in(cap: i32): usize {
  return inputBuffer(cap);
}

export function handler_out(cap: i32): usize {
  return outputBuffer(cap);
}

/** Returns no version map: it is what the manifest declares. */
export function handler_run(inLen: i32): i32 {
  context.decode(inputPtr(), inLen);
  runSteps();
  flush();
  return 0;
}

export function handler_batch(scan: i32, inLen: i32, flags: i32): i32 {
  const work = scans[scan];
  const onPair = work.onPair;
  const onEnd = work.onEnd;
  const end = inputPtr() + inLen;
  for (let at = inputPtr(); at < end; ) {
    const keyLength = load<u32>(at);
    const valueLength = load<u32>(at, 4);
    key.point(at + 8, keyLength);
    at += 8 + keyLength;
    value.point(at, valueLength);
    at += valueLength;
    onPair(key, value);
  }
  if ((flags & FLAG_LAST) != 0 && onEnd !== null) onEnd();
  return answer(inLen);
}

/** CheckResults { repeated CheckResult { string name = 1; bool ok = 2; string message = 3 } = 1 } */
export function handler_check(inLen: i32): i32 {
  const results = new Writer();
  const result = new Writer();
  for (let i = 0; i < invariants.length; i++) {
    const each = invariants[i];
    const holds = each.holds();
    result
      .clear()
      .fieldText(1, each.name)
      .fieldNumber(2, <u64>holds);
    if (!holds) result.fieldText(3, each.message);
    results.fieldMessage(1, result);
  }
  if (<u32>results.length > outputCap()) fail(-7, "the results of the invariants have at most 262,144 bytes together");
  memory.copy(outputPtr(), results.ptr, results.length);
  return results.length;
}
