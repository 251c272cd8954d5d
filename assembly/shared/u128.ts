// The only file that knows as-bignum. Of version 0.3.1 only addition, subtraction, multiplication, left shift and
// comparison are sound; its division is wrong or hangs for large divisors, so division is written out here.
import { u128 } from "as-bignum/assembly/integer/u128";

export { u128 };

export function fromU64(value: u64): u128 {
  return new u128(value);
}

export function add(a: u128, b: u128): u128 {
  return u128.add(a, b);
}

export function sub(a: u128, b: u128): u128 {
  return u128.sub(a, b);
}

export function mul(a: u128, b: u128): u128 {
  return u128.mul(a, b);
}

export function isLess(a: u128, b: u128): bool {
  return u128.lt(a, b);
}

/** What the last division left over. */
let remainder: u64 = 0;

/** Quotient of a 128-bit dividend and a divisor below 2^63, by long division; a divisor of 0 traps. */
export function divideByU64(dividend: u128, divisor: u64): u128 {
  assert(divisor != 0 && divisor >> 63 == 0, "divisor out of range");
  let hi: u64 = 0;
  let lo: u64 = 0;
  let rest: u64 = 0; // stays below the divisor, so doubling it cannot overflow
  for (let bit = 127; bit >= 0; bit--) {
    const word = bit >= 64 ? dividend.hi : dividend.lo;
    rest = (rest << 1) | ((word >> <u64>(bit & 63)) & 1);
    hi = (hi << 1) | (lo >> 63);
    lo <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      lo |= 1;
    }
  }
  remainder = rest;
  return new u128(lo, hi);
}

/** Quotient rounded up. */
export function divideUpByU64(dividend: u128, divisor: u64): u128 {
  const quotient = divideByU64(dividend, divisor);
  return remainder == 0 ? quotient : add(quotient, fromU64(1));
}
