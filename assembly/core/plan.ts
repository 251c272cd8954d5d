// The Plan record: protobuf bytes <-> fields, the rules that need no state, and its form as upgrade-info.json.
// The bytes equal those of the Cosmos SDK for the same plan: `time` is always written, its zero value being year 1.
import { isUtf8, utf8Length } from "../shared/bytes";
import * as sink from "../shared/sink";
import * as wire from "../shared/wire";
import {
  UPG_INVALID_PLAN_BYTES,
  UPG_INVALID_PLAN_DEPRECATED,
  UPG_INVALID_PLAN_HEIGHT,
  UPG_INVALID_PLAN_INFO,
  UPG_INVALID_PLAN_NAME,
} from "./codes";
import * as error from "./error";
import { PLAN_INFO_BYTES_MAX, PLAN_NAME_BYTES_MAX } from "./limits";

/** Seconds of 0001-01-01T00:00:00Z, the zero time of the Cosmos SDK. */
export const TIME_ZERO_SECONDS: i64 = -62_135_596_800;
/** Seconds of 9999-12-31T23:59:59Z. */
const TIME_MAX_SECONDS: i64 = 253_402_300_799;
const NANOS_MAX: i32 = 999_999_999;

const FLAG_CLIENT_STATE: u32 = 1;
const FIELDS_HEADER_BYTES: u32 = 32;

// The plan in hand: set by `decode` and `fromFields`, read by everything below.
export let namePtr: usize = 0;
export let nameLen: u32 = 0;
export let height: i64 = 0;
export let infoPtr: usize = 0;
export let infoLen: u32 = 0;
let seconds: i64 = TIME_ZERO_SECONDS;
let nanos: i32 = 0;
let hasClientState: bool = false;

function clear(): void {
  namePtr = infoPtr = 0;
  nameLen = infoLen = 0;
  height = 0;
  seconds = TIME_ZERO_SECONDS;
  nanos = 0;
  hasClientState = false;
}

function timeInRange(): bool {
  return seconds >= TIME_ZERO_SECONDS && seconds <= TIME_MAX_SECONDS && nanos >= 0 && nanos <= NANOS_MAX;
}

/** Timestamp { int64 seconds = 1; int32 nanos = 2 } in the span; present and empty is 1970. */
function decodeTime(): void {
  const at = wire.position();
  const end = wire.limit();
  wire.seek(wire.spanPtr, wire.spanPtr + wire.spanLen);
  seconds = 0;
  nanos = 0;
  while (wire.more()) {
    const tag = wire.readTag();
    if (tag == 0x08) seconds = <i64>wire.readVarint();
    else if (tag == 0x10) {
      const value = wire.readVarint();
      if (value > <u64>NANOS_MAX) wire.fail();
      nanos = <i32>value;
    } else wire.fail();
  }
  if (!timeInRange()) wire.fail();
  wire.seek(at, end);
}

/** Any { string type_url = 1; bytes value = 2 } in the span: only its form is checked. */
function decodeClientState(): void {
  const at = wire.position();
  const end = wire.limit();
  wire.seek(wire.spanPtr, wire.spanPtr + wire.spanLen);
  while (wire.more()) {
    const tag = wire.readTag();
    if (tag == 0x0a || tag == 0x12) wire.readBytes();
    else wire.fail();
  }
  hasClientState = true;
  wire.seek(at, end);
}

/** Takes a plan's protobuf bytes in hand. A repeated field: the last one counts. */
export function decode(ptr: usize, len: u32): i32 {
  clear();
  wire.open(ptr, len);
  while (wire.more()) {
    const at = wire.position();
    const tag = wire.readTag();
    if (tag == 0x18) height = <i64>wire.readVarint();
    else if (tag == 0x0a || tag == 0x12 || tag == 0x22 || tag == 0x2a) {
      wire.readBytes();
      if (tag == 0x0a) {
        namePtr = wire.spanPtr;
        nameLen = wire.spanLen;
      } else if (tag == 0x22) {
        infoPtr = wire.spanPtr;
        infoLen = wire.spanLen;
      } else if (tag == 0x12) decodeTime();
      else decodeClientState();
    } else wire.fail();
    if (wire.failed()) {
      error.begin(UPG_INVALID_PLAN_BYTES);
      error.text("not a Plan: malformed or unknown field, or time out of range, at byte ");
      error.unsigned(at - ptr);
      return error.end();
    }
  }
  return 0;
}

/** Takes a plan in hand from { i64 height, i64 seconds, i32 nanos, u32 flags, u32 nameLen, u32 infoLen, name, info }. */
export function fromFields(ptr: usize, len: u32): i32 {
  clear();
  if (len < FIELDS_HEADER_BYTES) return error.fail(UPG_INVALID_PLAN_BYTES, "plan fields: shorter than their header");
  const flags = load<u32>(ptr, 20);
  nameLen = load<u32>(ptr, 24);
  infoLen = load<u32>(ptr, 28);
  if (<u64>nameLen + <u64>infoLen + FIELDS_HEADER_BYTES != <u64>len || flags > FLAG_CLIENT_STATE) {
    return error.fail(UPG_INVALID_PLAN_BYTES, "plan fields: lengths do not add up, or an unknown flag");
  }
  height = load<i64>(ptr);
  seconds = load<i64>(ptr, 8);
  nanos = load<i32>(ptr, 16);
  namePtr = ptr + FIELDS_HEADER_BYTES;
  infoPtr = namePtr + nameLen;
  hasClientState = flags == FLAG_CLIENT_STATE;
  if (hasClientState) return failClientState();
  if (!timeInRange()) return error.fail(UPG_INVALID_PLAN_BYTES, "plan fields: time is outside the years 1 to 9999");
  return 0;
}

export function emitFields(): void {
  sink.put64(height);
  sink.put64(seconds);
  sink.put32(nanos);
  sink.put32(hasClientState ? FLAG_CLIENT_STATE : 0);
  sink.put32(nameLen);
  sink.put32(infoLen);
  sink.putBytes(namePtr, nameLen);
  sink.putBytes(infoPtr, infoLen);
}

export function emitProtobuf(): void {
  if (nameLen > 0) wire.putField(1, namePtr, nameLen);
  wire.putTag(2, wire.BYTES);
  wire.putVarint((seconds != 0 ? 1 + wire.varintLength(seconds) : 0) + (nanos != 0 ? 1 + wire.varintLength(nanos) : 0));
  if (seconds != 0) {
    wire.putTag(1, wire.VARINT);
    wire.putVarint(seconds);
  }
  if (nanos != 0) {
    wire.putTag(2, wire.VARINT);
    wire.putVarint(nanos);
  }
  if (height != 0) {
    wire.putTag(3, wire.VARINT);
    wire.putVarint(height);
  }
  if (infoLen > 0) wire.putField(4, infoPtr, infoLen);
}

function failClientState(): i32 {
  return error.fail(
    UPG_INVALID_PLAN_DEPRECATED,
    "upgrade logic for IBC has been moved to the IBC module: invalid request",
  );
}

/** U+0000–1F and U+007F–9F; the text is UTF-8. */
function hasControl(ptr: usize, len: u32): bool {
  for (const end = ptr + len; ptr < end; ptr++) {
    const byte = <u32>load<u8>(ptr);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && <u32>load<u8>(ptr, 1) < 0xa0) return true;
  }
  return false;
}

function failTooLong(code: i32, what: string, size: u32, limit: u32): i32 {
  error.begin(code);
  error.text(what);
  error.text(" expected at most ");
  error.unsigned(limit);
  error.text(" bytes, got ");
  error.unsigned(size);
  error.text(": invalid request");
  return error.end();
}

/** 0, or what is wrong with it as the name of a plan. */
export function checkName(ptr: usize, len: u32): i32 {
  if (len == 0) return error.fail(UPG_INVALID_PLAN_NAME, "name cannot be empty: invalid request");
  if (len > PLAN_NAME_BYTES_MAX) return failTooLong(UPG_INVALID_PLAN_NAME, "name", len, PLAN_NAME_BYTES_MAX);
  if (!isUtf8(ptr, len)) return error.fail(UPG_INVALID_PLAN_NAME, "name is not UTF-8: invalid request");
  if (hasControl(ptr, len)) {
    return error.fail(UPG_INVALID_PLAN_NAME, "name cannot hold control characters: invalid request");
  }
  return 0;
}

function checkInfo(): i32 {
  if (infoLen > PLAN_INFO_BYTES_MAX) return failTooLong(UPG_INVALID_PLAN_INFO, "info", infoLen, PLAN_INFO_BYTES_MAX);
  if (!isUtf8(infoPtr, infoLen)) return error.fail(UPG_INVALID_PLAN_INFO, "info is not UTF-8: invalid request");
  return 0;
}

/** The rules that need no state, for the plan in hand. The first that fails is the answer. */
export function validate(): i32 {
  if (seconds != TIME_ZERO_SECONDS || nanos != 0) {
    return error.fail(
      UPG_INVALID_PLAN_DEPRECATED,
      "time-based upgrades have been deprecated in the SDK: invalid request",
    );
  }
  if (hasClientState) return failClientState();
  let status = checkName(namePtr, nameLen);
  if (status == 0) status = checkInfo();
  if (status == 0 && height <= 0) {
    status = error.fail(UPG_INVALID_PLAN_HEIGHT, "height must be greater than 0: invalid request");
  }
  return status;
}

/** One character of a JSON string, escaped as the Cosmos SDK's encoder escapes; returns its length in bytes. */
function emitJsonCharacter(ptr: usize, len: u32): u32 {
  const byte = <u32>load<u8>(ptr);
  const size = utf8Length(ptr, len);
  if (byte == 0x22 || byte == 0x5c) {
    sink.put8(0x5c), sink.put8(byte);
  } else if (byte == 0x08) sink.putText("\\b");
  else if (byte == 0x09) sink.putText("\\t");
  else if (byte == 0x0a) sink.putText("\\n");
  else if (byte == 0x0c) sink.putText("\\f");
  else if (byte == 0x0d) sink.putText("\\r");
  else if (byte < 0x20 || byte == 0x26 || byte == 0x3c || byte == 0x3e) {
    sink.putText("\\u00"), sink.putHexByte(byte);
  } else if (size == 3 && (load<u32>(ptr) & 0xfeffff) == 0xa880e2) {
    sink.putText(load<u8>(ptr, 2) == 0xa8 ? "\\u2028" : "\\u2029");
  } else sink.putBytes(ptr, size);
  return size;
}

function emitJsonString(ptr: usize, len: u32): void {
  sink.put8(0x22);
  for (let i: u32 = 0; i < len; ) i += emitJsonCharacter(ptr + i, len - i);
  sink.put8(0x22);
}

let blockHeight: i64 = 0;

/** Height that `emitUpgradeInfo` writes: the block's, which may lie past the plan's. */
export function setBlockHeight(value: i64): void {
  blockHeight = value;
}

/** upgrade-info.json of the (valid) plan in hand. */
export function emitUpgradeInfo(): void {
  sink.putText('{"name":');
  emitJsonString(namePtr, nameLen);
  sink.putText(',"time":"0001-01-01T00:00:00Z","height":');
  sink.putDecimal(blockHeight);
  if (infoLen > 0) {
    sink.putText(',"info":');
    emitJsonString(infoPtr, infoLen);
  }
  sink.put8(0x7d);
}
