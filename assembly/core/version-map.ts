// VersionMap { repeated ModuleVersion { string name = 1; uint64 version = 2 } = 1 } and Names { repeated string = 1 }:
// strict readers over the caller's bytes, and the stored map under prefix 02.
import { compare, equal, isUtf8 } from "../shared/bytes";
import * as sink from "../shared/sink";
import * as wire from "../shared/wire";
import { UPG_INVALID_NAMES, UPG_INVALID_VERSION_MAP, UPG_MIGRATION_VERSION_MAP } from "./codes";
import * as error from "./error";
import * as keys from "./keys";
import * as kv from "./kv";
import { MODULE_NAME_BYTES_MAX, VERSION_MAP_MODULES_MAX } from "./limits";
import * as records from "./records";

// The entry that `nextEntry` found.
let namePtr: usize = 0;
let nameLen: u32 = 0;
let version: u64 = 0;
// Where the reader of entries is; kept here because looking up names uses the same wire reader in between.
let at: usize = 0;
let end: usize = 0;
let count: u32 = 0;

function openMap(ptr: usize, len: u32): void {
  at = ptr;
  end = ptr + len;
  count = 0;
  nameLen = 0;
}

function readEntry(): void {
  wire.seek(wire.spanPtr, wire.spanPtr + wire.spanLen);
  namePtr = 0;
  nameLen = 0;
  version = 0;
  while (wire.more()) {
    const tag = wire.readTag();
    if (tag == 0x0a) {
      wire.readBytes();
      namePtr = wire.spanPtr;
      nameLen = wire.spanLen;
    } else if (tag == 0x10) version = wire.readVarint();
    else wire.fail();
  }
}

/** 1: an entry is in hand; 0: no more; below 0: the map is malformed. */
function nextEntry(): i32 {
  if (at >= end) return 0;
  const lastPtr = namePtr;
  const lastLen = nameLen;
  wire.open(at, <u32>(end - at));
  if (wire.readTag() != 0x0a) wire.fail();
  wire.readBytes();
  at = wire.position();
  if (!wire.failed()) readEntry();
  if (wire.failed()) return error.fail(UPG_INVALID_VERSION_MAP, "version map: malformed protobuf or an unknown field");
  if (nameLen == 0 || nameLen > MODULE_NAME_BYTES_MAX || !isUtf8(namePtr, nameLen)) {
    return error.fail(UPG_INVALID_VERSION_MAP, "version map: a module name must be 1 to 140 bytes of UTF-8");
  }
  if (++count > VERSION_MAP_MODULES_MAX) {
    return error.fail(UPG_INVALID_VERSION_MAP, "version map: more than 1024 modules");
  }
  if (count > 1 && compare(lastPtr, lastLen, namePtr, nameLen) >= 0) {
    error.begin(UPG_INVALID_VERSION_MAP);
    error.text("version map: names must ascend strictly, at ");
    error.name(namePtr, nameLen);
    return error.end();
  }
  return 1;
}

/** Reads the whole map: 0, or what is wrong with it. */
export function checkMap(ptr: usize, len: u32): i32 {
  openMap(ptr, len);
  let status: i32;
  do status = nextEntry();
  while (status == 1);
  return status;
}

/** Reads the whole list of names: 0, or what is wrong with it. */
export function checkNames(ptr: usize, len: u32): i32 {
  wire.open(ptr, len);
  let lastPtr: usize = 0;
  let lastLen: u32 = 0;
  for (let names: u32 = 0; wire.more(); ) {
    if (++names > VERSION_MAP_MODULES_MAX) return error.fail(UPG_INVALID_NAMES, "removes: more than 1024 names");
    if (wire.readTag() != 0x0a) wire.fail();
    wire.readBytes();
    if (wire.spanLen == 0 || wire.spanLen > MODULE_NAME_BYTES_MAX || !isUtf8(wire.spanPtr, wire.spanLen)) wire.fail();
    if (wire.failed()) break;
    if (names > 1 && compare(lastPtr, lastLen, wire.spanPtr, wire.spanLen) >= 0) {
      error.begin(UPG_INVALID_NAMES);
      error.text("removes: names must ascend strictly, at ");
      error.name(wire.spanPtr, wire.spanLen);
      return error.end();
    }
    lastPtr = wire.spanPtr;
    lastLen = wire.spanLen;
  }
  return wire.failed() ? error.fail(UPG_INVALID_NAMES, "removes: not a list of names of 1 to 140 bytes of UTF-8") : 0;
}

function namesHas(names: usize, namesLen: u32, name: usize, len: u32): bool {
  wire.open(names, namesLen);
  while (wire.more()) {
    wire.readTag();
    wire.readBytes();
    if (equal(wire.spanPtr, wire.spanLen, name, len)) return true;
  }
  return false;
}

function refuse(name: usize, len: u32, why: string): i32 {
  error.begin(UPG_MIGRATION_VERSION_MAP);
  error.text("module ");
  error.name(name, len);
  error.text(why);
  return error.end();
}

/**
 * May `map` replace the stored one? A module that vanishes must be in `removes`, one in `removes` must be gone, and no
 * version goes down. Both maps ascend, so one pass over the two is enough.
 */
export function checkReplacement(map: usize, mapLen: u32, removes: usize, removesLen: u32): i32 {
  openMap(map, mapLen);
  records.rewind(keys.VERSION);
  let stored = records.step();
  let entry = nextEntry();
  while (stored == 1 || entry == 1) {
    if (stored < 0) return stored;
    const order = entry == 0 ? -1 : stored == 0 ? 1 : compare(records.namePtr, records.nameLen, namePtr, nameLen);
    if (order < 0 && !namesHas(removes, removesLen, records.namePtr, records.nameLen)) {
      return refuse(records.namePtr, records.nameLen, " vanishes from the version map and is not in removes"); // Specification 2.30.
    }
    if (order >= 0 && namesHas(removes, removesLen, namePtr, nameLen)) {
      return refuse(namePtr, nameLen, " is in removes and in the version map"); // Specification 2.31.
    }
    if (order == 0 && version < records.value) {
      return refuse(namePtr, nameLen, " goes down to a lower consensus version"); // Specification 2.32.
    }
    if (order <= 0) stored = records.step();
    if (order >= 0) entry = nextEntry();
  }
  return stored;
}

/** Makes `map` (checked) the stored map: what it lacks is deleted, what it has is written. */
export function replace(map: usize, mapLen: u32): void {
  openMap(map, mapLen);
  records.rewind(keys.VERSION);
  let stored = records.step();
  let entry = nextEntry();
  while (stored == 1 || entry == 1) {
    const order = entry == 0 ? -1 : stored == 0 ? 1 : compare(records.namePtr, records.nameLen, namePtr, nameLen);
    if (order < 0) {
      keys.compose(keys.VERSION, records.namePtr, records.nameLen);
      kv.remove(keys.ptr(), keys.len());
    } else {
      keys.compose(keys.VERSION, namePtr, nameLen);
      records.write(version);
    }
    if (order <= 0) stored = records.step();
    if (order >= 0) entry = nextEntry();
  }
}

/** Walks the stored map once: 0, or what is corrupt in it. */
export function checkStored(): i32 {
  records.rewind(keys.VERSION);
  let status: i32;
  do status = records.step();
  while (status == 1);
  return status;
}

/** The stored map (checked) as protobuf. */
export function emitStored(): void {
  records.rewind(keys.VERSION);
  while (records.step() == 1) {
    const versionLen = records.value != 0 ? 1 + wire.varintLength(records.value) : 0;
    wire.putTag(1, wire.BYTES);
    wire.putVarint(1 + wire.varintLength(records.nameLen) + records.nameLen + versionLen);
    wire.putField(1, records.namePtr, records.nameLen);
    if (records.value != 0) {
      wire.putTag(2, wire.VARINT);
      wire.putVarint(records.value);
    }
  }
}
