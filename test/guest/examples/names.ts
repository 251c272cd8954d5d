/** Pairs that `re-key` migrates, for its properties. */
import fc from "fast-check";
import { bytes, type Scene } from "../../../host/upgrade/test-kit/index.js";

/** Names by owner: of lengths that make batches end anywhere, one of them longer than a batch's output. */
export const names = fc.uniqueArray(
  fc.tuple(
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.nat(300_000).map((length) => new Uint8Array(length).fill(7)),
    ),
  ),
  { selector: ([owner]) => owner.join(), maxLength: 12 },
);

export const namesScene = (pairs: readonly (readonly [Uint8Array, Uint8Array])[]): Scene => ({
  stores: { names: pairs.map(([owner, name]) => [bytes(0x01, owner), name] as const) },
});
