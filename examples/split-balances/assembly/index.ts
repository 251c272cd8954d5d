// split-balances: the coins that accounts hold move into a store of their own, the step that the field made between
// its first and second generation of chains.
//
//   auth  01 | address          Account with coins        → Account without coins
//   bank  02 | len | address | denom                      → amount, decimal text
//   bank  00 | denom                                      → supply, decimal text
import * as batch from "../../../assembly/handler/batch";
import { failWith } from "../../../assembly/handler/failure";
import { store_scan } from "../../../assembly/handler/imports";
import { inputBuffer, outputBuffer, outputPtr } from "../../../assembly/handler/memory";
import * as wire from "../../../assembly/shared/wire";
import * as supply from "./supply";

const AUTH: u32 = 0;
const BANK: u32 = 1;
const FLAG_LAST: i32 = 1;

/** Account.coins: field 16, length-delimited. */
const COINS_TAG: u32 = (16 << 3) | 2;
const COIN_DENOM_TAG: u32 = (1 << 3) | 2;
const COIN_AMOUNT_TAG: u32 = (2 << 3) | 2;

/** Accounts seen, and balances written. */
let accounts: u64 = 0;
let balances: u64 = 0;

export function handler_abi_1(): void {
  // Marks the interface; never called.
}

export function handler_in(cap: i32): usize {
  return inputBuffer(cap);
}

export function handler_out(cap: i32): usize {
  return outputBuffer(cap);
}

/** Everything happens in the scan; the version map is what the manifest declares. */
export function handler_run(inLen: i32): i32 {
  return 0;
}

export function handler_batch(scan: i32, inLen: i32, flags: i32): i32 {
  batch.begin(inLen);
  // Behind the last account comes the supply: it must find room in the same answer.
  spare = (flags & FLAG_LAST) != 0 ? supply.bytesMax() : 0;
  let whole = true;
  while (whole && batch.next()) whole = splitAccount();
  if (whole && (flags & FLAG_LAST) != 0) writeSupply();
  return batch.end();
}

let spare: u32 = 0;

/** Room for an account without coins and all its balances: each is shorter than its coin and this much of key. */
const BALANCE_OVERHEAD: u32 = 8 + 2 + 32;

/** The account in hand; false when the output is full and it must come again. */
function splitAccount(): bool {
  const addressLen = batch.keyLen - 1;
  const coins = countCoins();
  const account = batch.putBytes(batch.keyLen, batch.valueLen);
  if (!batch.reserve(account + batch.valueLen + coins * (BALANCE_OVERHEAD + addressLen) + spare)) return false;
  writeAccount();
  writeBalances(addressLen);
  accounts += 1;
  return true;
}

function countCoins(): u32 {
  let coins: u32 = 0;
  wire.open(batch.valuePtr, batch.valueLen);
  while (wire.more()) {
    if (skipField() == COINS_TAG) coins += 1;
  }
  if (wire.failed()) failWith(1, "an account cannot be decoded");
  return coins;
}

/** Reads one field of an account and answers its tag; a length-delimited one's bytes are in the reader's span. */
function skipField(): u32 {
  const tag = wire.readTag();
  if ((tag & 7) == wire.VARINT) wire.readVarint();
  else if ((tag & 7) == wire.BYTES) wire.readBytes();
  else wire.fail();
  return tag;
}

/** The account as it was, field by field, without its coins. */
function writeAccount(): void {
  const kept = accountBytes();
  const key = batch.put(AUTH, batch.keyLen, kept);
  memory.copy(key, batch.keyPtr, batch.keyLen);
  let to = key + batch.keyLen;
  wire.open(batch.valuePtr, batch.valueLen);
  while (wire.more()) {
    const from = wire.position();
    if (skipField() == COINS_TAG) continue;
    const length = wire.position() - from;
    memory.copy(to, from, length);
    to += length;
  }
}

function accountBytes(): u32 {
  let kept: u32 = 0;
  wire.open(batch.valuePtr, batch.valueLen);
  while (wire.more()) {
    const from = wire.position();
    if (skipField() != COINS_TAG) kept += <u32>(wire.position() - from);
  }
  return kept;
}

function writeBalances(addressLen: u32): void {
  wire.open(batch.valuePtr, batch.valueLen);
  while (wire.more()) {
    if (skipField() != COINS_TAG) continue;
    const at = wire.position();
    const end = wire.limit();
    writeBalance(wire.spanPtr, wire.spanLen, addressLen);
    wire.open(at, <u32>(end - at));
  }
}

function writeBalance(coin: usize, coinLen: u32, addressLen: u32): void {
  let denom: usize = 0;
  let denomLen: u32 = 0;
  let amount: usize = 0;
  let amountLen: u32 = 0;
  wire.open(coin, coinLen);
  while (wire.more()) {
    const tag = wire.readTag();
    wire.readBytes();
    if (tag == COIN_DENOM_TAG) {
      denom = wire.spanPtr;
      denomLen = wire.spanLen;
    } else if (tag == COIN_AMOUNT_TAG) {
      amount = wire.spanPtr;
      amountLen = wire.spanLen;
    } else wire.fail();
  }
  if (wire.failed() || denomLen == 0) failWith(1, "a coin cannot be decoded");
  supply.parse(amount, amountLen);
  supply.addAmount(denom, denomLen);
  const key = batch.put(BANK, 2 + addressLen + denomLen, amountLen);
  store<u8>(key, 0x02);
  store<u8>(key, addressLen, 1);
  memory.copy(key + 2, batch.keyPtr + 1, addressLen);
  memory.copy(key + 2 + addressLen, denom, denomLen);
  memory.copy(key + 2 + addressLen + denomLen, amount, amountLen);
  balances += 1;
}

function writeSupply(): void {
  for (let i: u32 = 0, n = supply.denoms(); i < n; i++) {
    const length = supply.formatSum(i);
    const denomLen = supply.denomLen(i);
    const key = batch.put(BANK, 1 + denomLen, length);
    store<u8>(key, 0x00);
    memory.copy(key + 1, supply.denomPtr(i), denomLen);
    memory.copy(key + 1 + denomLen, supply.decimalPtr(), length);
  }
}

// Invariants

const CHUNK_BYTES: u32 = 65_536;
const chunk: usize = memory.data(CHUNK_BYTES, 16);
const cursor: usize = memory.data(512);
const stop: usize = memory.data(1);

/** The sum of all balances is the supply, and there is one balance for each coin that an account held. */
export function handler_check(inLen: i32): i32 {
  const isComplete = countBalances() == balances;
  const isSupply = sumsMatch();
  let at = outputPtr();
  at = writeResult(at, "supply", isSupply);
  at = writeResult(at, "balances", isComplete);
  return <i32>(at - outputPtr());
}

let summed: bool = true;

/** Walks the balances: each is taken off the sums, which are nothing at the end when all is well. */
function countBalances(): u64 {
  let seen: u64 = 0;
  store<u8>(cursor, 0x02);
  store<u8>(stop, 0x03);
  let cursorLen: u32 = 1;
  for (;;) {
    const filled = store_scan(BANK, cursor, cursorLen, stop, 1, chunk, CHUNK_BYTES);
    if (filled <= 0 || <u32>filled > CHUNK_BYTES) break;
    let at = chunk;
    while (at < chunk + filled) {
      const keyLen = load<u32>(at);
      const valueLen = load<u32>(at, 4);
      const key = at + 8;
      const ownerLen = <u32>load<u8>(key, 1);
      supply.parse(key + keyLen, valueLen);
      if (!supply.takeAmount(key + 2 + ownerLen, keyLen - 2 - ownerLen)) summed = false;
      seen += 1;
      memory.copy(cursor, key, keyLen);
      store<u8>(cursor + keyLen, 0);
      cursorLen = keyLen + 1;
      at = key + keyLen + valueLen;
    }
  }
  return seen;
}

function sumsMatch(): bool {
  for (let i: u32 = 0, n = supply.denoms(); i < n; i++) if (!supply.isSum(i, 0, 0)) return false;
  return summed;
}

/** CheckResult { string name = 1; bool ok = 2 } inside CheckResults.results = 1. */
function writeResult(at: usize, name: string, ok: bool): usize {
  const length = name.length;
  store<u8>(at, 0x0a);
  store<u8>(at, 2 + length + (ok ? 2 : 0), 1);
  store<u8>(at, 0x0a, 2);
  store<u8>(at, length, 3);
  at += 4;
  for (let i = 0; i < length; i++) store<u8>(at++, name.charCodeAt(i));
  if (ok) {
    store<u8>(at++, 0x10);
    store<u8>(at++, 1);
  }
  return at;
}
