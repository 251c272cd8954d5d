/** Handler files with bits flipped, bytes changed, lost and put in: in the file, in the metered module that it carries, or in both. */
import { concatBytes } from "../../../host/base/text/bytes.js";
import { withMetered } from "../../../host/upgrade/handler/metered-section.js";
import { corpus } from "../../guest/fuzz/corpus.js";
import { mutated } from "../../guest/fuzz/mutate.js";
import { Random } from "../../guest/random/random.js";

/** The same files for the same seed. */
export function mutatedFiles(count: number, seed: number): Uint8Array[] {
  const plain = corpus();
  const carrying = plain.map((file) => ({ file, whole: withMetered(file) }));
  return Array.from({ length: count }, (_, round) => {
    const random = new Random(seed + Math.imul(round, 0x9e3779b1));
    const { file, whole } = random.pick(carrying);
    const other = random.pick(plain);
    if (random.once(4)) return oneBit(file, random);
    if (random.once(3)) return mutated(file, random, other);
    if (random.once(2)) return mutated(whole, random, other);
    // The section is at the end: its own bytes change, and its length stays where it was.
    return concatBytes(file, mutated(whole.subarray(file.length), random, other));
  });
}

/** The change that is taken most often. */
function oneBit(file: Uint8Array, random: Random): Uint8Array {
  const changed = file.slice();
  const at = random.below(file.length);
  changed[at] = (file[at] ?? 0) ^ (1 << random.below(8));
  return changed;
}

/** Each as its length, a u32, and its bytes: what the hosts' programs read. */
export function packed(files: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...files.flatMap((file) => [new Uint8Array(Uint32Array.of(file.length).buffer), file]));
}
