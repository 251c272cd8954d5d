// Sums by denomination, in 128 bits. A chain has few denominations, so a list is searched from its front.
import { failWith } from "../../../assembly/handler/failure";
import { add, divideByU64, fromU64, isLess, mul, sub, u128 } from "../../../assembly/shared/u128";

const DENOMS_MAX: u32 = 256;
const DENOM_BYTES_MAX: u32 = 128;
// An entry: u64 lo, u64 hi, u32 length, 4 bytes free, the denomination.
const ENTRY_BYTES: u32 = 24 + 128;
const DIGITS_MAX: u32 = 39;

const entries: usize = memory.data(256 * 152, 16);
let count: u32 = 0;

export function denoms(): u32 {
  return count;
}

/** Room that all supply records can take in a batch's output. */
export function bytesMax(): u32 {
  return DENOMS_MAX * (8 + 1 + DENOM_BYTES_MAX + DIGITS_MAX);
}

export function denomPtr(index: u32): usize {
  return entries + index * ENTRY_BYTES + 24;
}

export function denomLen(index: u32): u32 {
  return load<u32>(entries + index * ENTRY_BYTES, 16);
}

export function isSum(index: u32, lo: u64, hi: u64): bool {
  const entry = entries + index * ENTRY_BYTES;
  return load<u64>(entry) == lo && load<u64>(entry, 8) == hi;
}

function find(denom: usize, len: u32): usize {
  for (let i: u32 = 0; i < count; i++) {
    const entry = entries + i * ENTRY_BYTES;
    if (load<u32>(entry, 16) == len && memory.compare(entry + 24, denom, len) == 0) return entry;
  }
  if (count == DENOMS_MAX || len > DENOM_BYTES_MAX) failWith(3, "more denominations than this migration can sum");
  const entry = entries + count++ * ENTRY_BYTES;
  store<u64>(entry, 0);
  store<u64>(entry, 0, 8);
  store<u32>(entry, len, 16);
  memory.copy(entry + 24, denom, len);
  return entry;
}

// The amount that `parse` read.
export let amountLo: u64 = 0;
export let amountHi: u64 = 0;

/** Reads a decimal amount; fails on anything else, and beyond 128 bits. */
export function parse(ptr: usize, len: u32): void {
  if (len == 0 || len > DIGITS_MAX) failWith(2, "an amount is not a decimal number of at most 128 bits");
  amountLo = 0;
  amountHi = 0;
  for (let i: u32 = 0; i < len; i++) {
    const digit = <u64>load<u8>(ptr + i) - 48;
    if (digit > 9) failWith(2, "an amount is not a decimal number of at most 128 bits");
    if (i < 19) amountLo = amountLo * 10 + digit;
    else appendDigit(digit);
  }
}

/** Nineteen digits fit in 64 bits; the rest is rare and may allocate. */
function appendDigit(digit: u64): void {
  const before = new u128(amountLo, amountHi);
  const after = add(mul(before, fromU64(10)), fromU64(digit));
  if (amountHi >= 0x1999999999999999 && isLess(after, before)) failWith(2, "an amount has more than 128 bits");
  amountLo = after.lo;
  amountHi = after.hi;
}

/** Adds the amount that `parse` read to the sum of a denomination. */
export function addAmount(denom: usize, len: u32): void {
  const entry = find(denom, len);
  const lo = load<u64>(entry) + amountLo;
  const carry: u64 = lo < amountLo ? 1 : 0;
  const before = load<u64>(entry, 8);
  const hi = before + amountHi + carry;
  if (hi < before) failWith(3, "a supply has more than 128 bits");
  store<u64>(entry, lo);
  store<u64>(entry, hi, 8);
}

/** Takes the amount that `parse` read off a sum; false when the sum does not hold it. */
export function takeAmount(denom: usize, len: u32): bool {
  const entry = find(denom, len);
  const lo = load<u64>(entry);
  const hi = load<u64>(entry, 8);
  if (hi < amountHi || (hi == amountHi && lo < amountLo)) return false;
  store<u64>(entry, lo - amountLo);
  store<u64>(entry, hi - amountHi - (lo < amountLo ? 1 : 0), 8);
  return true;
}

const digits: usize = memory.data(40);

/** Writes the sum as decimal text; answers its length, the text stands at `decimalPtr()`. */
export function formatSum(index: u32): u32 {
  const entry = entries + index * ENTRY_BYTES;
  let rest = new u128(load<u64>(entry), load<u64>(entry, 8));
  let length: u32 = 0;
  do {
    const quotient = divideByU64(rest, 10);
    const digit = <u32>sub(rest, mul(quotient, fromU64(10))).lo;
    store<u8>(digits + 39 - length++, 48 + digit);
    rest = quotient;
  } while (rest.lo != 0 || rest.hi != 0);
  memory.copy(digits, digits + 40 - length, length);
  return length;
}

export function decimalPtr(): usize {
  return digits;
}
