// core.wasm: the upgrade module. This page is its interface, in the order of docs/abi.md.
//
// Integers in memory are little-endian; pointers and lengths are unsigned i32 and lie in the scratch area or the arena.
// A return value >= 0 is the result, below 0 it is -code and `core_err` has more. `out, cap`: the answer is the size; it is
// written only if it fits in `cap`. The core keeps no state between calls.
import { isUtf8 } from "../shared/bytes";
import { deliver, put64, putBytes } from "../shared/sink";
import * as areas from "./areas";
import { ABSENT, UPG_INVALID_ARGUMENT, UPG_INVALID_HEIGHT, UPG_INVALID_NAMES, UPG_INVALID_VALUE } from "./codes";
import * as error from "./error";
import * as estimate from "./estimate";
import * as keys from "./keys";
import * as kv from "./kv";
import { MODULE_NAME_BYTES_MAX, PLAN_NAME_BYTES_MAX, RECEIPT_BYTES_MAX, SCRATCH_BYTES } from "./limits";
import * as machine from "./machine";
import * as plan from "./plan";
import * as records from "./records";
import * as sentences from "./sentences";
import * as versionMap from "./version-map";

const ABI_MAJOR: i32 = 1;
const ABI_MINOR: i32 = 0;

/** major << 16 | minor; a host refuses another major and accepts a higher minor. */
export function core_abi(): i32 {
  return (ABI_MAJOR << 16) | ABI_MINOR;
}

export function core_scratch(): usize {
  return areas.scratchPtr();
}

export function core_scratch_cap(): i32 {
  return SCRATCH_BYTES;
}

/** Room for inputs and outputs that do not fit in the scratch area; 0: full. */
export function core_alloc(n: u32): usize {
  return areas.alloc(n);
}

/** Forgets everything that `core_alloc` gave. */
export function core_reset(): void {
  areas.reset();
}

/** -> { u32 code, u32 msg_len, u8 msg[] } of the last failure, UTF-8. */
export function core_err(): usize {
  return error.recordPtr();
}

// Transitions

export function plan_schedule(height: i64, ptr: usize, len: u32): i32 {
  areas.check(ptr, len);
  return machine.schedule(height, ptr, len);
}

export function plan_clear(): i32 {
  return machine.clear();
}

/** flags: 1 handler for the plan, 2 handler for the last applied, 4 height is skipped, 8 no block committed yet. */
export function pre_block(height: i64, flags: i32): i32 {
  return machine.preBlock(height, flags);
}

export function apply(
  height: i64,
  planPtr: usize,
  planLen: u32,
  map: usize,
  mapLen: u32,
  removes: usize,
  removesLen: u32,
): i32 {
  areas.check(planPtr, planLen);
  areas.check(map, mapLen);
  areas.check(removes, removesLen);
  return machine.apply(height, planPtr, planLen, map, mapLen, removes, removesLen);
}

/** Genesis: the map replaces whatever is stored. */
export function version_map_set(map: usize, len: u32): i32 {
  areas.check(map, len);
  let status = versionMap.checkMap(map, len);
  if (status == 0) status = versionMap.checkStored();
  if (status < 0) return status;
  versionMap.replace(map, len);
  return 0;
}

export function receipt_set(name: usize, nameLen: u32, bytes: usize, len: u32): i32 {
  areas.check(name, nameLen);
  areas.check(bytes, len);
  const status = plan.checkName(name, nameLen);
  if (status < 0) return status;
  if (len == 0 || len > RECEIPT_BYTES_MAX) return error.fail(UPG_INVALID_VALUE, "a receipt has 1 byte to 512 KiB");
  keys.compose(keys.RECEIPT, name, nameLen);
  kv.set(keys.ptr(), keys.len(), bytes, len);
  return 0;
}

// Reads

/** The stored bytes, which are a valid Plan. */
export function plan_get(out: usize, cap: u32): i32 {
  areas.check(out, cap);
  const size = machine.loadStored();
  return size < 0 ? size : deliver(machine.emitStored, out, cap);
}

/** Height at which `name` was applied; 0: never. */
export function done_height(name: usize, len: u32): i64 {
  areas.check(name, len);
  return machine.doneHeight(name, len);
}

/** i64 height, then the name. */
export function last_done(out: usize, cap: u32): i32 {
  areas.check(out, cap);
  const status = machine.findLast();
  if (status <= 0) return status < 0 ? status : -ABSENT;
  return deliver(emitLast, out, cap);
}

function emitLast(): void {
  put64(machine.lastHeight);
  putBytes(machine.lastNamePtr(), machine.lastNameLen);
}

/** 8 bytes, u64. */
export function version_get(module: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(module, len, out, cap);
  if (len == 0 || len > MODULE_NAME_BYTES_MAX) return -ABSENT;
  keys.compose(keys.VERSION, module, len);
  return deliverRecord(out, cap);
}

export function version_map_get(out: usize, cap: u32): i32 {
  areas.check(out, cap);
  const status = versionMap.checkStored();
  return status < 0 ? status : deliver(versionMap.emitStored, out, cap);
}

/** 8 bytes, u64. */
export function protocol_version(out: usize, cap: u32): i32 {
  areas.check(out, cap);
  keys.compose(keys.PROTOCOL, 0, 0);
  return deliverRecord(out, cap);
}

export function receipt_get(name: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(name, len, out, cap);
  if (len == 0 || len > PLAN_NAME_BYTES_MAX) return -ABSENT;
  keys.compose(keys.RECEIPT, name, len);
  return kv.get(keys.ptr(), keys.len(), out, cap);
}

function deliverRecord(out: usize, cap: u32): i32 {
  const status = records.read();
  return status < 0 ? status : deliver(emitRecord, out, cap);
}

function emitRecord(): void {
  put64(records.value);
}

// Pure: no import is called

export function key_plan(out: usize, cap: u32): i32 {
  areas.check(out, cap);
  keys.compose(keys.PLAN, 0, 0);
  return deliver(emitKey, out, cap);
}

export function key_done(name: usize, len: u32, out: usize, cap: u32): i32 {
  return planKey(keys.DONE, name, len, out, cap);
}

export function key_version(module: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(module, len, out, cap);
  if (len == 0 || len > MODULE_NAME_BYTES_MAX || !isUtf8(module, len)) {
    return error.fail(UPG_INVALID_NAMES, "a module name must be 1 to 140 bytes of UTF-8");
  }
  keys.compose(keys.VERSION, module, len);
  return deliver(emitKey, out, cap);
}

export function key_protocol(out: usize, cap: u32): i32 {
  areas.check(out, cap);
  keys.compose(keys.PROTOCOL, 0, 0);
  return deliver(emitKey, out, cap);
}

export function key_receipt(name: usize, len: u32, out: usize, cap: u32): i32 {
  return planKey(keys.RECEIPT, name, len, out, cap);
}

function planKey(prefix: u8, name: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(name, len, out, cap);
  const status = plan.checkName(name, len);
  if (status < 0) return status;
  keys.compose(prefix, name, len);
  return deliver(emitKey, out, cap);
}

function emitKey(): void {
  putBytes(keys.ptr(), keys.len());
}

/** The rules that need no state. */
export function plan_validate(ptr: usize, len: u32): i32 {
  areas.check(ptr, len);
  return takeValid(ptr, len);
}

function takeValid(ptr: usize, len: u32): i32 {
  const status = plan.decode(ptr, len);
  return status < 0 ? status : plan.validate();
}

/** protobuf -> { i64 height, i64 seconds, i32 nanos, u32 flags, u32 name_len, u32 info_len, name, info } */
export function plan_decode(bytes: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(bytes, len, out, cap);
  const status = plan.decode(bytes, len);
  return status < 0 ? status : deliver(plan.emitFields, out, cap);
}

export function plan_encode(fields: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(fields, len, out, cap);
  const status = plan.fromFields(fields, len);
  return status < 0 ? status : deliver(plan.emitProtobuf, out, cap);
}

/** The message operators search for. Decisions 2, 4, 5 take a plan's bytes, decision 6 the name of the last upgrade. */
export function halt_text(
  decision: i32,
  height: i64,
  appVersion: i64,
  subject: usize,
  len: u32,
  out: usize,
  cap: u32,
): i32 {
  areas.checkBoth(subject, len, out, cap);
  if (decision == machine.HALT_HANDLER_MISSING) {
    const status = plan.checkName(subject, len);
    if (status < 0) return status;
    sentences.setLast(appVersion, subject, len);
    return deliver(sentences.emitHandlerMissing, out, cap);
  }
  const isSkip = decision == machine.SKIP;
  const isNeeded = decision == machine.HALT_UPGRADE_NEEDED;
  if (!isSkip && !isNeeded && decision != machine.HALT_BINARY_TOO_EARLY) {
    return error.fail(UPG_INVALID_ARGUMENT, "halt_text: this decision has no sentence");
  }
  const status = takeValid(subject, len);
  if (status < 0) return status;
  if (isSkip) return deliver(sentences.emitSkipped, out, cap);
  return isNeeded ? deliver(sentences.emitNeeded, out, cap) : deliver(sentences.emitTooEarly, out, cap);
}

/** The bytes of upgrade-info.json; `height` is the block's. */
export function upgrade_info(height: i64, ptr: usize, len: u32, out: usize, cap: u32): i32 {
  areas.checkBoth(ptr, len, out, cap);
  const status = takeValid(ptr, len);
  if (status < 0) return status;
  if (height <= 0) return error.fail(UPG_INVALID_HEIGHT, "upgrade_info: height must be greater than 0");
  plan.setBlockHeight(height);
  return deliver(plan.emitUpgradeInfo, out, cap);
}

/** start + ceil((2 * (voting + deposit) + safety) / block), durations in nanoseconds. */
export function cancellable_height(start: i64, voting: i64, deposit: i64, safety: i64, block: i64): i64 {
  return estimate.cancellableHeight(start, voting, deposit, safety, block);
}
