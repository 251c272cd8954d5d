// The faults of a file, as a bounded list. Twin of host/upgrade/wasm/findings.ts.
import { alloc } from "./arena";
import {
  UPG_HANDLER_EXPORT,
  UPG_HANDLER_FORMAT,
  UPG_HANDLER_IMPORT,
  UPG_HANDLER_LIMIT,
  UPG_HANDLER_MANIFEST,
  UPG_HANDLER_MEMORY,
  UPG_HANDLER_METERED,
  UPG_HANDLER_OPCODE,
} from "./codes";
import { FINDINGS_MAX } from "./limits";
import { bad, badAt, badCode, begin, forgive, isMuted, messageLength, messagePtr, number, text } from "./text/message";

/** One finding. `at` 0: no place; `fn` -1: no function. */
@unmanaged
export class Finding {
  code: i32;
  at: usize;
  fn: i32;
  message: usize;
  length: u32;
  hash: u32;
}

const FINDING_BYTES: u32 = <u32>offsetof<Finding>();
const list: usize = memory.data(24 * 100, 4);
let count: u32 = 0;
let unlisted: u32 = 0;

export function clear(): void {
  count = 0;
  unlisted = 0;
  forgive();
}

export function listed(): u32 {
  return count;
}

export function finding(index: u32): Finding {
  return changetype<Finding>(list + index * FINDING_BYTES);
}

function hashOf(ptr: usize, len: u32, fn: i32): u32 {
  let hash: u32 = 0x811c9dc5 ^ <u32>fn;
  for (let i: u32 = 0; i < len; i++) hash = (hash ^ <u32>load<u8>(ptr + i)) * 0x01000193;
  return hash;
}

function isListed(hash: u32, fn: i32, ptr: usize, len: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    const each = finding(i);
    if (each.hash != hash || each.fn != fn || each.length != len) continue;
    if (memory.compare(each.message, ptr, len) == 0) return true;
  }
  return false;
}

/** Lists the message that was composed last. The same message about the same function is listed once, where it first occurs. */
export function add(code: i32, at: usize, fn: i32 = -1): void {
  if (isMuted()) return;
  const length = messageLength();
  const hash = hashOf(messagePtr(), length, fn);
  if (isListed(hash, fn, messagePtr(), length)) return;
  if (count == FINDINGS_MAX) {
    unlisted += 1;
    return;
  }
  const entry = finding(count++);
  entry.code = code;
  entry.at = at;
  entry.fn = fn;
  entry.hash = hash;
  entry.length = length;
  entry.message = alloc(length);
  memory.copy(entry.message, messagePtr(), length);
}

/** Ends an attempt: a failure becomes a finding. True when there was none. */
export function isDone(fn: i32 = -1): bool {
  if (!bad) return true;
  forgive();
  add(badCode, badAt, fn);
  return false;
}

/** Advice for findings whose message has none. */
export function adviceOf(code: i32): string {
  switch (code) {
    case UPG_HANDLER_FORMAT:
      return "the file is damaged or its compiler is at fault: build it again, and check it with wasm-validate";
    case UPG_HANDLER_LIMIT:
      return "make it smaller, or split it";
    case UPG_HANDLER_MEMORY:
      return "define one memory of wasm32 that all data fits in, and export it as memory";
    case UPG_HANDLER_IMPORT:
      return "declare it as docs/abi.md has it";
    case UPG_HANDLER_EXPORT:
      return "export it by the name and type that docs/abi.md has";
    case UPG_HANDLER_OPCODE:
      return "build for WebAssembly 1.0, with integers only";
    case UPG_HANDLER_METERED:
      return "make it again with `handler meter`, by a program with the same gas schedule as the chain's";
    case UPG_HANDLER_MANIFEST:
      return "docs/abi.md describes the manifest";
    default:
      return "";
  }
}

/** Composes the last finding, which counts those that are not listed; false: all are. */
export function composeRest(): bool {
  if (unlisted == 0) return false;
  begin();
  number(unlisted);
  text(" further findings are not listed; mend these and check again");
  return true;
}
