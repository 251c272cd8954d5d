/** split-balances as fast as JavaScript does it: frames in, frames out, bytes read and written where they are. */
import { compareRanges, copyInto } from "../../host/base/text/bytes.js";
import type { KVReader, KVStore, MultiStore } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { FrameCursor, OP_PUT } from "../../host/state/branch/kv/frames.js";
import { ACCOUNT_PREFIX, BALANCE_PREFIX, COINS_TAG, SUPPLY_PREFIX } from "./accounts.js";

const CHUNK_BYTES = 65_536;
/** A chunk's accounts and balances are never longer than this together. */
const OUT_BYTES = 4 * CHUNK_BYTES;
/** Sums are kept in two halves of 15 digits. */
const HALF = 1e15;

/** Framed writes on their way to a store. */
class Output {
  readonly bytes = new Uint8Array(OUT_BYTES);
  at = 0;

  constructor(private readonly store: KVStore) {}

  /** Begins a pair and returns where its key goes. */
  begin(keyLen: number, valueLen: number): number {
    writeU32(this.bytes, this.at, ((OP_PUT << 30) | keyLen) >>> 0);
    writeU32(this.bytes, this.at + 4, valueLen);
    const key = this.at + 8;
    this.at = key + keyLen + valueLen;
    return key;
  }

  flush(): void {
    this.store.writeFrames(this.bytes.subarray(0, this.at));
    this.at = 0;
  }
}

class Sum {
  low = 0;
  high = 0;

  constructor(readonly denom: Uint8Array) {}

  add(bytes: Uint8Array, at: number, length: number, sign: number): void {
    const split = at + Math.max(0, length - 15);
    this.high += sign * digits(bytes, at, split);
    this.low += sign * digits(bytes, split, at + length);
    if (this.low >= HALF) {
      this.low -= HALF;
      this.high++;
    } else if (this.low < 0) {
      this.low += HALF;
      this.high--;
    }
  }
}

function digits(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = number * 10 + (bytes[i] as number) - 48;
  return number;
}

class Split {
  readonly #sums: Sum[] = [];
  readonly #auth: Output;
  readonly #bank: Output;
  #balances = 0;
  #position = 0;

  constructor(private readonly stores: MultiStore) {
    this.#auth = new Output(stores.store("auth"));
    this.#bank = new Output(stores.store("bank"));
  }

  run(base: KVReader): void {
    walk(
      base,
      ACCOUNT_PREFIX,
      (frame) => this.#splitAccount(frame),
      () => {
        this.#auth.flush();
        this.#bank.flush();
      },
    );
    for (const { denom, low, high } of this.#sums) {
      const value = new TextEncoder().encode(`${BigInt(high) * BigInt(HALF) + BigInt(low)}`);
      const key = this.#bank.begin(1 + denom.length, value.length);
      this.#bank.bytes[key] = SUPPLY_PREFIX;
      this.#bank.bytes.set(denom, key + 1);
      this.#bank.bytes.set(value, key + 1 + denom.length);
    }
    this.#bank.flush();
    this.#check();
  }

  #splitAccount({ bytes, keyAt, keyLen, valueAt, valueLen, next }: FrameCursor): void {
    const auth = this.#auth;
    const key = auth.begin(keyLen, valueLen);
    let to = copyInto(auth.bytes, key, bytes, keyAt, keyLen);
    for (let at = valueAt; at < next; at = this.#position) {
      const tag = this.#varint(bytes, at);
      const length = this.#varint(bytes, this.#position);
      if ((tag & 7) === 2) this.#position += length;
      if (tag === COINS_TAG) this.#writeBalance(bytes, keyAt + 1, keyLen - 1, this.#position - length, length);
      else to = copyInto(auth.bytes, to, bytes, at, this.#position - at);
    }
    writeU32(auth.bytes, key - 4, to - key - keyLen);
    auth.at = to;
  }

  /** Reads a number below 2^31 and moves after it. */
  #varint(bytes: Uint8Array, at: number): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    this.#position = at;
    return value;
  }

  /** A coin is its denomination and its amount, both shorter than 128 bytes. */
  #writeBalance(bytes: Uint8Array, address: number, addressLen: number, coin: number, coinLen: number): void {
    const denomLen = bytes[coin + 1] as number;
    const denom = coin + 2;
    const amount = denom + denomLen + 2;
    const amountLen = coin + coinLen - amount;
    const bank = this.#bank;
    const key = bank.begin(2 + addressLen + denomLen, amountLen);
    bank.bytes[key] = BALANCE_PREFIX;
    bank.bytes[key + 1] = addressLen;
    let to = copyInto(bank.bytes, key + 2, bytes, address, addressLen);
    to = copyInto(bank.bytes, to, bytes, denom, denomLen);
    copyInto(bank.bytes, to, bytes, amount, amountLen);
    this.#sumOf(bytes, denom, denomLen).add(bytes, amount, amountLen, 1);
    this.#balances++;
  }

  #sumOf(bytes: Uint8Array, at: number, length: number): Sum {
    for (const sum of this.#sums)
      if (compareRanges(bytes, at, length, sum.denom, 0, sum.denom.length) === 0) return sum;
    const sum = new Sum(bytes.slice(at, at + length));
    this.#sums.push(sum);
    return sum;
  }

  /** The sum of all balances is the supply, and there is one for each coin. */
  #check(): void {
    let seen = 0;
    walk(this.stores.store("bank"), BALANCE_PREFIX, ({ bytes, keyAt, valueAt, valueLen }) => {
      const denom = keyAt + 2 + (bytes[keyAt + 1] as number);
      this.#sumOf(bytes, denom, valueAt - denom).add(bytes, valueAt, valueLen, -1);
      seen++;
    });
    const isEmpty = this.#sums.every(({ low, high }) => low === 0 && high === 0);
    if (seen !== this.#balances || !isEmpty) throw new Error("the balances do not fit");
  }
}

/** Calls `pair` for each pair with a prefix of one byte, and `chunk` after each chunk. */
function walk(store: KVReader, prefix: number, pair: (frame: FrameCursor) => void, chunk?: () => void): void {
  const scan = store.scan({ start: Uint8Array.of(prefix), end: Uint8Array.of(prefix + 1) });
  const bytes = new Uint8Array(CHUNK_BYTES);
  const frame = new FrameCursor(bytes, 0);
  for (let filled = scan.read(bytes); filled > 0; filled = scan.read(bytes)) {
    frame.reset(bytes, 0, filled);
    while (frame.step()) pair(frame);
    chunk?.();
  }
}

export function bestJs(stores: MultiStore, base: MultiStore): void {
  new Split(stores).run(base.store("auth"));
}
