/** Handlers made at random from a seed: calls of every import with arguments mostly good, loops, growth, and ends of every kind. */
import { concatBytes } from "../../../host/base/text/bytes.js";
import { data, type GuestParts, IN, type ManifestSource, OUT } from "../build.js";
import { IMPORTS, STORES } from "../running.js";
import { Random } from "./random.js";

export interface RandomGuest {
  readonly parts: GuestParts;
  readonly manifest: ManifestSource;
}

/** Where its keys lie, as bytes that make many of them alike. */
const KEYS = { at: 16, bytes: 64 };
const ROOM = 2_048;
const OPS = 8_192;
const KEY_BYTES = [0x01, 0x01, 0x02, 0xff, 0xff, 0x03];
const STATEMENTS_MAX = 8;
const DEPTH_MAX = 3;

export function randomGuest(seed: number): RandomGuest {
  const random = new Random(seed);
  const text = new GuestText(random);
  const batch = random.once(2) ? text.batch() : undefined;
  const parts = {
    imports: IMPORTS,
    run: `(local $i i32) ${text.statements(0)} (i32.const ${random.once(12) ? -7 : 0})`,
    ...(batch === undefined ? {} : { batch }),
    ...(random.once(3) ? { check: `(local $i i32) ${text.statements(DEPTH_MAX)} (i32.const 0)` } : {}),
    ...(random.once(3) ? { err: `(i32.const ${OPS})` } : {}),
    more: `${RECURSION} ${text.data()}`,
  };
  const scans = batch === undefined ? [] : [{ store: "read" }, { store: "part", prefix: "01" }];
  return { parts, manifest: { stores: STORES, scans } };
}

const RECURSION = `(func $deep (param i32) (result i32)
  (if (result i32) (local.get 0) (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1))))) (else (i32.const 0))))`;

class GuestText {
  readonly #ops: Uint8Array;

  constructor(private readonly random: Random) {
    this.#ops = concatBytes(...Array.from({ length: random.below(12) }, () => this.#frame()));
  }

  data(): string {
    const keys = Uint8Array.from({ length: KEYS.bytes }, () => this.random.pick(KEY_BYTES));
    return [data(KEYS.at, keys), data(OPS, this.#ops), data(OUT + 4, this.#ops)].join(" ");
  }

  statements(depth: number): string {
    return Array.from({ length: 1 + this.random.below(STATEMENTS_MAX) }, () => this.#statement(depth)).join("\n");
  }

  /** Consumes all of the batch, or its first frame. */
  batch(): string {
    const word = (at: number) => `(i32.load (i32.const ${at}))`;
    const first = `(i32.add (i32.const 8) (i32.add ${word(IN)} ${word(IN + 4)}))`;
    const isFirst = this.random.once(3) ? "(i32.gt_u (local.get $len) (i32.const 0))" : "(i32.const 0)";
    const consumed = `(select ${first} (local.get $len) ${isFirst})`;
    return `(local $i i32) (i32.store (i32.const ${OUT}) ${consumed}) (i32.const ${4 + this.#someOps()})`;
  }

  #statement(depth: number): string {
    const { random } = this;
    if (depth < DEPTH_MAX && random.once(5)) return this.#loop(depth);
    if (random.once(30)) return this.#end();
    return `(i32.store (i32.const ${ROOM + 4 * random.below(64)}) ${this.#value()})`;
  }

  #loop(depth: number): string {
    const count = 1 + this.random.below(9);
    const step = "(local.set $i (i32.add (local.get $i) (i32.const 1)))";
    // Loops inside count on from there: the outer one ends with them.
    const again = `(br_if 0 (i32.lt_u (local.get $i) (i32.const ${count})))`;
    return `(local.set $i (i32.const 0)) (loop ${this.statements(depth + 1)} ${step} ${again})`;
  }

  #value(): string {
    const { random } = this;
    switch (random.below(9)) {
      case 0:
        return `(call $get ${this.#store()} ${this.#key()} ${this.#room()})`;
      case 1:
        return `(call $delete ${this.#store()} ${this.#key()})`;
      case 2:
        return `(call $write (i32.const ${OPS}) (i32.const ${this.#someOps()}))`;
      case 3:
        return `(call $scan ${this.#store()} ${this.#key()} ${random.once(3) ? this.#key() : "(i32.const 0) (i32.const 0)"} ${this.#room()})`;
      case 4:
        return `(call $log (i32.const ${random.below(5)}) ${this.#key()}) (i32.const 1)`;
      case 5:
        return "(call $progress (i64.const 1) (i64.extend_i32_u (local.get $i))) (i32.const 2)";
      case 6:
        return random.once(4) ? "(memory.grow (i32.const 1))" : `(call $deep (i32.const ${random.below(40)}))`;
      default:
        return `(call $set ${this.#store()} ${this.#key()} ${this.#room()})`;
    }
  }

  #end(): string {
    const { random } = this;
    const ends = [
      "unreachable",
      `(call $fail (i32.const ${random.below(9)}) ${this.#key()})`,
      "(drop (i32.div_u (i32.const 1) (i32.const 0)))",
      "(drop (call $deep (i32.const 1000000)))",
      "(loop (br 0))",
    ];
    return random.pick(ends);
  }

  #store(): string {
    return `(i32.const ${this.random.once(40) ? this.random.below(6) : this.random.pick([0, 0, 0, 0, 0, 0, 2, 3])})`;
  }

  #key(): string {
    const { random } = this;
    const length = random.once(40) ? random.pick([0, 70_000]) : 1 + random.below(4);
    return `(i32.const ${KEYS.at + random.below(KEYS.bytes - 4)}) (i32.const ${length})`;
  }

  #room(): string {
    const { random } = this;
    const length = random.once(40) ? random.pick([1_500, 5_000_000]) : random.below(80);
    return `(i32.const ${ROOM + random.below(256)}) (i32.const ${length})`;
  }

  #frame(): Uint8Array {
    const { random } = this;
    const isDelete = random.once(3);
    const key = Uint8Array.from({ length: 1 + random.below(3) }, () => random.pick(KEY_BYTES));
    const store = random.once(30) ? 1 : 0;
    const head = new DataView(new ArrayBuffer(isDelete ? 4 : 8));
    head.setUint32(0, ((isDelete ? 1 << 30 : 0) | (store << 24) | key.length) >>> 0, true);
    if (isDelete) return concatBytes(new Uint8Array(head.buffer), key);
    const value = Uint8Array.from({ length: random.below(20) }, () => random.below(256));
    head.setUint32(4, value.length, true);
    return concatBytes(new Uint8Array(head.buffer), key, value);
  }

  /** All of them, or cut anywhere. */
  #someOps(): number {
    return this.random.once(10) ? this.random.below(this.#ops.length + 1) : this.#ops.length;
  }
}
