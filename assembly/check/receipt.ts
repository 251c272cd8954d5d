// Receipts of upgrades: protobuf `chain.upgrade.v1.Receipt`, and the flat form of docs/abi.md. Twin of host/upgrade/handler/receipt.ts.
import { isUtf8 } from "../shared/bytes";
import { UPG_INVALID_ARGUMENT, UPG_STORE_CORRUPT } from "./codes";
import { copy, endPart, endWriting, i32Of, i64Of, startWriting } from "./meter/writer";
import { beginField, bytesAlways, bytesField, numberField, setResult } from "./result";

const HASH_BYTES: u32 = 32;
const VARINT: u32 = 0;
const BYTES: u32 = 2;

let at: usize = 0;
let end: usize = 0;
let failed: bool = false;

function open(ptr: usize, to: usize): void {
  at = ptr;
  end = to;
}

function require(holds: bool): bool {
  if (!holds) failed = true;
  return holds && !failed;
}

/** What was read last. */
let textPtr: usize = 0;
let textLen: u32 = 0;

function u64Flat(): u64 {
  if (!require(end - at >= 8)) return 0;
  at += 8;
  return load<u64>(at - 8);
}

function u32Flat(): u32 {
  if (!require(end - at >= 4)) return 0;
  at += 4;
  return load<u32>(at - 4);
}

function textFlat(): void {
  textLen = u32Flat();
  textPtr = at;
  if (require(textLen <= <u32>(end - at))) at += textLen;
  else textLen = 0;
}

function nameFlat(field: u32): void {
  textFlat();
  require(isUtf8(textPtr, textLen));
  bytesField(field, textPtr, textLen);
}

function hashFlat(field: u32): void {
  textFlat();
  require(textLen == 0 || textLen == HASH_BYTES);
  bytesField(field, textPtr, textLen);
}

/** Flat → protobuf. Returns the length of the result, or -code. */
export function encodeReceipt(ptr: usize, len: u32): i32 {
  failed = false;
  open(ptr, ptr + len);
  const start = startWriting();
  const height = u64Flat();
  const gas = u64Flat();
  const abi = u32Flat();
  const stores = u32Flat();
  const checks = u32Flat();
  nameFlat(1);
  numberField(2, height);
  hashFlat(3);
  numberField(4, abi);
  nameFlat(5);
  numberField(6, gas);
  for (let i: u32 = 0; i < stores && !failed; i++) encodeStore();
  for (let i: u32 = 0; i < checks && !failed; i++) encodeCheck();
  require(at == end);
  return finish(start, UPG_INVALID_ARGUMENT);
}

function encodeCheck(): void {
  textFlat();
  require(isUtf8(textPtr, textLen));
  bytesAlways(8, textPtr, textLen);
}

function encodeStore(): void {
  const part = beginField(7);
  const written = u64Flat();
  const deleted = u64Flat();
  const bytes = u64Flat();
  nameFlat(1);
  numberField(2, written);
  numberField(3, deleted);
  numberField(4, bytes);
  hashFlat(5);
  hashFlat(6);
  hashFlat(7);
  endPart(part);
}

function finish(start: usize, code: i32): i32 {
  const length = endWriting(start);
  setResult(start, failed ? 0 : length);
  return failed ? -code : <i32>length;
}

/** Fields 1 to 8 of the message at hand: the value of a number; where bytes are, and how many; whether it was given. */
const FIELD_BYTES: u32 = 16;
const receiptFields: usize = memory.data(16 * 9, 8);
const storeFields: usize = memory.data(16 * 9, 8);

function varint(): u64 {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    if (!require(at < end)) return 0;
    const byte = <u64>load<u8>(at++);
    if (!require(shift < 63 || byte <= 1)) return 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  require(false);
  return 0;
}

/** Reads one field: its number; `wireType`, and its value or its bytes. */
let wireType: u32 = 0;
let wireValue: u64 = 0;

function readField(): u32 {
  const tag = varint();
  if (!require(tag >= 8 && tag <= 0xffff_ffff)) return 0;
  wireType = <u32>tag & 7;
  if (!require(wireType == VARINT || wireType == BYTES)) return 0;
  wireValue = varint();
  if (wireType != BYTES || !require(wireValue <= <u64>(end - at))) return <u32>tag >> 3;
  textPtr = at;
  textLen = <u32>wireValue;
  at += textLen;
  return <u32>tag >> 3;
}

/** Keeps a single field of the right type. */
function keep(fields: usize, field: u32, type: u32): void {
  const row = fields + field * FIELD_BYTES;
  if (!require(wireType == type && load<u32>(row, 12) == 0)) return;
  store<u32>(row, 1, 12);
  if (type == VARINT) store<u64>(row, wireValue);
  else {
    store<usize>(row, textPtr);
    store<u32>(row, textLen, 8);
  }
}

function numberOf(fields: usize, field: u32): u64 {
  return load<u64>(fields + field * FIELD_BYTES);
}

function textOut(ptr: usize, len: u32): void {
  i32Of(len);
  copy(ptr, ptr + len);
}

function nameOut(fields: usize, field: u32): void {
  const row = fields + field * FIELD_BYTES;
  if (require(isUtf8(load<usize>(row), load<u32>(row, 8)))) textOut(load<usize>(row), load<u32>(row, 8));
}

function hashOut(fields: usize, field: u32): void {
  const row = fields + field * FIELD_BYTES;
  const length = load<u32>(row, 8);
  if (require(length == 0 || length == HASH_BYTES)) textOut(load<usize>(row), length);
}

/** Protobuf → flat. Returns the length of the result, or -code. */
export function decodeReceipt(ptr: usize, len: u32): i32 {
  failed = false;
  memory.fill(receiptFields, 0, 9 * FIELD_BYTES);
  let stores: u32 = 0;
  let checks: u32 = 0;
  for (open(ptr, ptr + len); at < end && !failed; ) {
    const field = readField();
    if (!require(field >= 1 && field <= 8)) break;
    if (field == 7 || field == 8) {
      require(wireType == BYTES);
      if (field == 7) stores++;
      else checks++;
    } else keep(receiptFields, field, field == 2 || field == 4 || field == 6 ? VARINT : BYTES);
  }
  require(numberOf(receiptFields, 4) <= 0xffff_ffff);
  const start = startWriting();
  if (!failed) writeFlat(ptr, len, stores, checks);
  return finish(start, UPG_STORE_CORRUPT);
}

function writeFlat(ptr: usize, len: u32, stores: u32, checks: u32): void {
  i64Of(numberOf(receiptFields, 2));
  i64Of(numberOf(receiptFields, 6));
  i32Of(<u32>numberOf(receiptFields, 4));
  i32Of(stores);
  i32Of(checks);
  nameOut(receiptFields, 1);
  hashOut(receiptFields, 3);
  nameOut(receiptFields, 5);
  for (open(ptr, ptr + len); at < end && !failed; ) {
    if (readField() != 7) continue;
    const next = at;
    decodeStore(textPtr, textLen);
    open(next, ptr + len);
  }
  for (open(ptr, ptr + len); at < end && !failed; ) {
    if (readField() == 8 && require(isUtf8(textPtr, textLen))) textOut(textPtr, textLen);
  }
}

function decodeStore(ptr: usize, len: u32): void {
  memory.fill(storeFields, 0, 9 * FIELD_BYTES);
  for (open(ptr, ptr + len); at < end && !failed; ) {
    const field = readField();
    if (require(field >= 1 && field <= 7)) keep(storeFields, field, field >= 2 && field <= 4 ? VARINT : BYTES);
  }
  if (failed) return;
  i64Of(numberOf(storeFields, 2));
  i64Of(numberOf(storeFields, 3));
  i64Of(numberOf(storeFields, 4));
  nameOut(storeFields, 1);
  hashOut(storeFields, 5);
  hashOut(storeFields, 6);
  hashOut(storeFields, 7);
}
