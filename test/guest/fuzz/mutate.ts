/** Changes a file a little, at random: what a broken disk, a buggy compiler or somebody with bad intentions would do. */
import { concatBytes } from "../../../host/base/text/bytes.js";
import type { Random } from "../random/random.js";

const CHANGES_MAX = 4;
const CHUNK_BYTES_MAX = 64;
/** Bytes that mean much in this format: ends of LEBs, types, opcodes of control and of what is refused. */
const TELLING = [
  0x00, 0x01, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x3f, 0x40, 0x7c, 0x7e, 0x7f, 0x80, 0xfc, 0xfd, 0xff,
];

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

const changed = (bytes: Uint8Array, at: number, value: number) => {
  const copy = bytes.slice();
  if (copy.length > 0) copy[at] = value;
  return copy;
};
const chunk = (bytes: Uint8Array, random: Random) => {
  const at = random.below(bytes.length + 1);
  return { at, end: Math.min(bytes.length, at + 1 + random.below(CHUNK_BYTES_MAX)) };
};

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => {
    const at = random.below(Math.max(1, bytes.length));
    return changed(bytes, at, (bytes[at] ?? 0) ^ (1 << random.below(8)));
  },
  (bytes, random) => changed(bytes, random.below(Math.max(1, bytes.length)), random.below(256)),
  (bytes, random) => changed(bytes, random.below(Math.max(1, bytes.length)), random.pick(TELLING)),
  (bytes, random) => {
    const at = random.below(Math.max(1, bytes.length));
    return changed(bytes, at, ((bytes[at] ?? 0) + random.pick([1, 255])) & 255);
  },
  (bytes, random) => {
    const { at, end } = chunk(bytes, random);
    return concatBytes(bytes.subarray(0, at), bytes.subarray(end));
  },
  (bytes, random) => {
    const { at, end } = chunk(bytes, random);
    return concatBytes(bytes.subarray(0, end), bytes.subarray(at, end), bytes.subarray(end));
  },
  (bytes, random, other) => {
    const { at, end } = chunk(other, random);
    const to = random.below(bytes.length + 1);
    return concatBytes(bytes.subarray(0, to), other.subarray(at, end), bytes.subarray(to + end - at));
  },
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
];

/** Small changes are the likeliest: they are what gets past the first checks. */
export function mutated(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  let result = bytes;
  for (let i = 1 + random.below(CHANGES_MAX); i > 0; i--) {
    const mutation = MUTATIONS[random.once(3) ? random.below(MUTATIONS.length) : random.below(4)] as Mutation;
    result = mutation(result, random, other);
  }
  return result;
}
