// The states of a plan and what happens at a block: the state table, row by row (specification 1.8).
// Every transition checks everything first and writes last, so an answer below 0 has written nothing.
import { equal } from "../shared/bytes";
import { deliver, putBytes } from "../shared/sink";
import {
  ABSENT,
  UPG_BUG_PLAN_CHANGED,
  UPG_INVALID_ARGUMENT,
  UPG_INVALID_HEIGHT,
  UPG_INVALID_PLAN_DONE,
  UPG_INVALID_PLAN_IN_PAST,
  UPG_STORE_CORRUPT,
} from "./codes";
import * as error from "./error";
import * as keys from "./keys";
import * as kv from "./kv";
import { PLAN_NAME_BYTES_MAX, SCRATCH_BYTES } from "./limits";
import * as plan from "./plan";
import * as records from "./records";
import * as versionMap from "./version-map";

export const IDLE: i32 = 0;
export const PENDING: i32 = 1;
export const SKIP: i32 = 2;
export const APPLY: i32 = 3;
export const HALT_UPGRADE_NEEDED: i32 = 4;
export const HALT_BINARY_TOO_EARLY: i32 = 5;
export const HALT_HANDLER_MISSING: i32 = 6;

export const FLAG_HANDLER: i32 = 1;
export const FLAG_LAST_HANDLER: i32 = 2;
export const FLAG_SKIP: i32 = 4;
export const FLAG_FIRST_BLOCK: i32 = 8;
const FLAGS_ALL: i32 = 15;

const stored: usize = memory.data(SCRATCH_BYTES);
let storedLen: u32 = 0;

/** Takes the stored plan in hand, its bytes at `stored`: their length, -ABSENT, or corruption. */
export function loadStored(): i32 {
  keys.compose(keys.PLAN, 0, 0);
  const size = kv.get(keys.ptr(), keys.len(), stored, SCRATCH_BYTES);
  storedLen = size;
  if (size == -ABSENT) return size;
  if (size > SCRATCH_BYTES || plan.decode(stored, size) < 0 || plan.validate() < 0) {
    keys.compose(keys.PLAN, 0, 0);
    return records.corrupt(keys.ptr(), keys.len(), size, " bytes, which are not a valid Plan");
  }
  return size;
}

/** The bytes that `loadStored` found. */
export function emitStored(): void {
  putBytes(stored, storedLen);
}

function clearPlan(): void {
  keys.compose(keys.PLAN, 0, 0);
  kv.remove(keys.ptr(), keys.len());
}

export function clear(): i32 {
  clearPlan();
  return 0;
}

/** Height at which `name` was applied; 0: never; below 0: corruption. */
export function doneHeight(name: usize, nameLen: u32): i64 {
  if (nameLen == 0 || nameLen > PLAN_NAME_BYTES_MAX) return 0;
  keys.compose(keys.DONE, name, nameLen);
  let status = records.read();
  if (status == -ABSENT) return 0;
  if (status == 0) status = records.checkHeight(keys.ptr(), keys.len());
  return status < 0 ? status : <i64>records.value;
}

export function schedule(height: i64, ptr: usize, len: u32): i32 {
  if (height < 0) return error.fail(UPG_INVALID_HEIGHT, "plan_schedule: height must not be negative");
  let status = plan.decode(ptr, len);
  if (status == 0) status = plan.validate();
  if (status < 0) return status;
  if (plan.height < height) {
    return error.fail(UPG_INVALID_PLAN_IN_PAST, "upgrade cannot be scheduled in the past: invalid request");
  }
  const done = doneHeight(plan.namePtr, plan.nameLen);
  if (done < 0) return <i32>done;
  if (done > 0) {
    error.begin(UPG_INVALID_PLAN_DONE);
    error.text("upgrade with name ");
    error.name(plan.namePtr, plan.nameLen);
    error.text(" has already been completed: invalid request");
    return error.end();
  }
  // Written in canonical form, whatever order the fields came in.
  const size = deliver(plan.emitProtobuf, stored, SCRATCH_BYTES);
  keys.compose(keys.PLAN, 0, 0);
  kv.set(keys.ptr(), keys.len(), stored, size);
  return 0;
}

// The upgrade applied at the greatest height; on a tie the name that sorts last.
const lastName: usize = memory.data(140);
export let lastNameLen: u32 = 0;
export let lastHeight: u64 = 0;

export function lastNamePtr(): usize {
  return lastName;
}

/** 1: found; 0: none; below 0: corruption. */
export function findLast(): i32 {
  let any = 0;
  lastHeight = 0;
  records.rewind(keys.DONE);
  let status = records.step();
  for (; status == 1; status = records.step()) {
    status = records.checkHeight(records.namePtr - 1, records.nameLen + 1);
    if (status < 0) return status;
    if (records.value < lastHeight) continue;
    any = 1;
    lastHeight = records.value;
    lastNameLen = records.nameLen;
    memory.copy(lastName, records.namePtr, records.nameLen);
  }
  return status < 0 ? status : any;
}

/** The state table: the first row that fits decides. Reads only. */
export function preBlock(height: i64, flags: i32): i32 {
  if (height < 0) return error.fail(UPG_INVALID_HEIGHT, "pre_block: height must not be negative");
  if ((flags & ~FLAGS_ALL) != 0) return error.fail(UPG_INVALID_ARGUMENT, "pre_block: unknown flag");
  const status = loadStored();
  if (status < 0 && status != -ABSENT) return status;
  const due = status != -ABSENT && plan.height <= height;
  const skip = (flags & FLAG_SKIP) != 0;
  if ((flags & (FLAG_FIRST_BLOCK | FLAG_LAST_HANDLER)) == FLAG_FIRST_BLOCK && !(due && !skip)) {
    const last = findLast();
    if (last < 0) return last;
    if (last == 1) return HALT_HANDLER_MISSING;
  }
  if (status == -ABSENT) return IDLE;
  const handler = (flags & FLAG_HANDLER) != 0;
  if (!due) return handler ? HALT_BINARY_TOO_EARLY : PENDING;
  if (skip) return SKIP;
  return handler ? APPLY : HALT_UPGRADE_NEEDED;
}

/** After the handler succeeded: versions, protocol version + 1, plan cleared, Done. `seen`: what `preBlock` decided on. */
export function apply(
  height: i64,
  seen: usize,
  seenLen: u32,
  map: usize,
  mapLen: u32,
  removes: usize,
  removesLen: u32,
): i32 {
  if (height <= 0) return error.fail(UPG_INVALID_HEIGHT, "apply: height must be greater than 0");
  const size = loadStored();
  if (size < 0 && size != -ABSENT) return size;
  if (size == -ABSENT || !equal(stored, size, seen, seenLen)) {
    return error.fail(UPG_BUG_PLAN_CHANGED, "the plan changed between the hook that decided and the one that applies");
  }
  if (plan.height > height) return error.fail(UPG_INVALID_HEIGHT, "apply: the plan is not due at this height");
  let status = versionMap.checkMap(map, mapLen);
  if (status == 0) status = versionMap.checkNames(removes, removesLen);
  if (status == 0) status = versionMap.checkReplacement(map, mapLen, removes, removesLen);
  if (status < 0) return status;
  keys.compose(keys.PROTOCOL, 0, 0);
  status = records.read();
  if (status < 0 && status != -ABSENT) return status;
  const protocol = status == -ABSENT ? 0 : records.value;
  if (protocol == u64.MAX_VALUE)
    return error.fail(UPG_STORE_CORRUPT, 'store "upgrade": the protocol version is 2^64 - 1');

  versionMap.replace(map, mapLen);
  keys.compose(keys.PROTOCOL, 0, 0);
  records.write(protocol + 1);
  clearPlan();
  keys.compose(keys.DONE, plan.namePtr, plan.nameLen);
  records.write(height);
  return 0;
}
