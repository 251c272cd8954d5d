// Amount: an unsigned number of 128 bits that is changed in place, so that sums over a million pairs take no memory.
// What would pass 128 bits, or fall below 0, ends the run; `tryAdd` and its like return false and change nothing.
import { Bytes } from "./bytes";
import { fail } from "./report";

const LOW: u64 = 0xffff_ffff;
const DIGITS_MAX: u32 = 39;
const OUT_OF_RANGE: i32 = -8;
const NO_AMOUNT: i32 = -9;
const digits: usize = memory.data(40);
const formatted = new Bytes();

export class Amount {
  /** From its lower and its upper 64 bits. */
  constructor(
    public lo: u64 = 0,
    public hi: u64 = 0,
  ) {}

  /** Makes it this number. */
  set(lo: u64, hi: u64 = 0): Amount {
    this.lo = lo;
    this.hi = hi;
    return this;
  }

  /** Is it 0? */
  get isZero(): bool {
    return (this.lo | this.hi) == 0;
  }

  /** Are they the same number? */
  equals(other: Amount): bool {
    return this.lo == other.lo && this.hi == other.hi;
  }

  /** Below zero when this is less, 0 when equal. */
  compare(other: Amount): i32 {
    if (this.hi != other.hi) return this.hi < other.hi ? -1 : 1;
    if (this.lo == other.lo) return 0;
    return this.lo < other.lo ? -1 : 1;
  }

  /** Adds in place. Ends the run (code -8) past 128 bits. */
  add(other: Amount): Amount {
    if (!this.tryAdd(other)) fail(OUT_OF_RANGE, "Amount.add: more than 128 bits");
    return this;
  }

  /** Subtracts in place. Ends the run (code -8) below 0. */
  sub(other: Amount): Amount {
    if (!this.trySub(other)) fail(OUT_OF_RANGE, "Amount.sub: below 0");
    return this;
  }

  /** Multiplies in place. Ends the run (code -8) past 128 bits. */
  mul(factor: u64): Amount {
    if (!this.tryMul(factor)) fail(OUT_OF_RANGE, "Amount.mul: more than 128 bits");
    return this;
  }

  /** Adds in place; false, and no change, past 128 bits. */
  tryAdd(other: Amount): bool {
    const lo = this.lo + other.lo;
    const carry = <u64>(lo < this.lo);
    const hi = this.hi + other.hi;
    if (hi < this.hi || hi + carry < hi) return false;
    this.lo = lo;
    this.hi = hi + carry;
    return true;
  }

  /** Subtracts in place; false, and no change, below 0. */
  trySub(other: Amount): bool {
    if (this.compare(other) < 0) return false;
    this.hi = this.hi - other.hi - <u64>(this.lo < other.lo);
    this.lo -= other.lo;
    return true;
  }

  /** Multiplies in place; false, and no change, past 128 bits. */
  tryMul(factor: u64): bool {
    const low = wide(this.lo, factor);
    const carry = wideHigh;
    const high = wide(this.hi, factor);
    if (wideHigh != 0 || high + carry < high) return false;
    this.lo = low;
    this.hi = high + carry;
    return true;
  }

  /** Divides in place and returns what is left over. A divisor of 0 traps; it must be below 2^63. */
  div(divisor: u64): u64 {
    assert(divisor != 0 && divisor >> 63 == 0, "Amount.div: divisor out of range");
    let rest: u64 = this.hi % divisor;
    this.hi /= divisor;
    let quotient: u64 = 0;
    if (divisor <= LOW) {
      const upper = (rest << 32) | (this.lo >> 32);
      const lower = ((upper % divisor) << 32) | (this.lo & LOW);
      quotient = ((upper / divisor) << 32) | (lower / divisor);
      rest = lower % divisor;
    } else {
      for (let bit: i32 = 63; bit >= 0; bit--) {
        rest = (rest << 1) | ((this.lo >> <u64>bit) & 1);
        quotient <<= 1;
        if (rest >= divisor) {
          rest -= divisor;
          quotient |= 1;
        }
      }
    }
    this.lo = quotient;
    return rest;
  }

  /** Reads decimal text. Ends the run (code -9) when it is anything else, or passes 128 bits. */
  parse(text: Bytes): Amount {
    if (!this.tryParse(text)) fail(NO_AMOUNT, "Amount.parse: not a decimal number of at most 128 bits");
    return this;
  }

  /** Reads decimal text; false, and no change, when it is anything else or passes 128 bits. */
  tryParse(text: Bytes): bool {
    const length = text.length;
    if (length == 0 || length > DIGITS_MAX) return false;
    let value: u64 = 0;
    const short = min<u32>(length, 19);
    for (let i: u32 = 0; i < short; i++) {
      const digit = <u64>load<u8>(text.ptr + i) - 48;
      if (digit > 9) return false;
      value = value * 10 + digit;
    }
    return length == short ? this.setLow(value) : this.parseRest(text, value);
  }

  private setLow(value: u64): bool {
    this.lo = value;
    this.hi = 0;
    return true;
  }

  private parseRest(text: Bytes, value: u64): bool {
    let lo = value;
    let hi: u64 = 0;
    for (let i: u32 = 19; i < text.length; i++) {
      const digit = <u64>load<u8>(text.ptr + i) - 48;
      if (digit > 9 || hi > 0x1999_9999_9999_9999) return false;
      const low = wide(lo, 10);
      const high = hi * 10 + wideHigh;
      lo = low + digit;
      const carry = <u64>(lo < low);
      if (high < wideHigh || high + carry < high) return false;
      hi = high + carry;
    }
    this.lo = lo;
    this.hi = hi;
    return true;
  }

  /** Decimal text, good until the next amount is formatted. */
  format(): Bytes {
    let at: u32 = 40;
    let lo = this.lo;
    let hi = this.hi;
    while (hi != 0) {
      const a = hi / 10;
      const b = ((hi % 10) << 32) | (lo >> 32);
      const c = ((b % 10) << 32) | (lo & LOW);
      store<u8>(digits + --at, 48 + <u32>(c % 10));
      hi = a;
      lo = ((b / 10) << 32) | (c / 10);
    }
    do {
      store<u8>(digits + --at, 48 + <u32>(lo % 10));
      lo /= 10;
    } while (lo != 0);
    return formatted.point(digits + at, 40 - at);
  }
}

/** Upper half of the last product. */
let wideHigh: u64 = 0;

/** Lower half of a product of 128 bits. */
function wide(a: u64, b: u64): u64 {
  const low = (a & LOW) * (b & LOW);
  const middle = (a >> 32) * (b & LOW) + (low >> 32);
  const other = (a & LOW) * (b >> 32) + (middle & LOW);
  wideHigh = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
  return (other << 32) | (low & LOW);
}
