import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import type { KeyValue } from "../../../../host/base/types/types.js";
import { ScanBatches } from "../../../../host/upgrade/handler/run/batches.js";
import { ArrayStore, pairFrame } from "../../../guest/memory-stores.js";

interface Seen {
  readonly bytes: number;
  readonly isLast: boolean;
}

/** Pairs whose frames have the given lengths: 8 bytes of header, 4 of key. */
function pairs(frameBytes: readonly number[]): KeyValue[] {
  return frameBytes.map((bytes, index) => {
    const key = Uint8Array.of(index >>> 24, index >>> 16, index >>> 8, index);
    return [key, new Uint8Array(bytes - 12).fill(index)];
  });
}

/** Runs a scan to its end; `consume` says how many bytes of a batch are taken. */
function drain(scan: ScanBatches, consume: (batch: Uint8Array) => number, each?: (batch: Uint8Array) => void): Seen[] {
  const seen: Seen[] = [];
  do {
    scan.pack();
    const batch = scan.bytes.slice(scan.start, scan.end);
    seen.push({ bytes: batch.length, isLast: scan.isLast });
    each?.(batch);
    expect(scan.consume(consume(batch))).toBe(true);
  } while (!scan.isDone);
  return seen;
}

const all = (batch: Uint8Array) => batch.length;
const firstFrame = (batch: Uint8Array) => {
  const view = new DataView(batch.buffer);
  return 8 + view.getUint32(0, true) + view.getUint32(4, true);
};
const last = (bytes: number): Seen => ({ bytes, isLast: true });
const more = (bytes: number): Seen => ({ bytes, isLast: false });

/** The rule of docs/abi.md, said once more and slowly. */
function expectedBatches(frames: readonly number[], limit: number, framesTaken: (count: number) => number): Seen[] {
  const seen: Seen[] = [];
  let next = 0;
  do {
    let count = 0;
    let bytes = 0;
    while (next + count < frames.length && (count === 0 || bytes + (frames[next + count] ?? 0) <= limit)) {
      bytes += frames[next + count] ?? 0;
      count++;
    }
    seen.push({ bytes, isLast: next + count === frames.length });
    next += count === 0 ? 0 : framesTaken(count);
  } while (next < frames.length);
  return seen;
}

describe("ScanBatches", () => {
  test.each<[string, number[], Seen[]]>([
    ["no pair: one empty batch, the last", [], [last(0)]],
    ["all fits exactly", [40, 60], [last(100)]],
    ["one byte too many", [40, 61], [more(40), last(61)]],
    ["a larger frame alone", [20, 101, 20, 20], [more(20), more(101), last(40)]],
    ["a larger frame at the end", [20, 5_000], [more(20), last(5_000)]],
    ["only larger frames", [101, 300, 4_000], [more(101), more(300), last(4_000)]],
    ["as many as fit, not evenly", [50, 30, 30, 70, 12, 12], [more(80), more(100), last(24)]],
  ])("pack() into batches of 100 bytes: %s", (_, frames, expected) => {
    expect(drain(new ScanBatches(new ArrayStore(pairs(frames)).scan(), 100), all)).toEqual(expected);
  });

  test("pack() packs afresh after what was consumed, and says last again for what is pushed again", () => {
    const scan = new ScanBatches(new ArrayStore(pairs([40, 40, 40, 40])).scan(), 100);
    expect(drain(scan, firstFrame)).toEqual([more(80), more(80), last(80), last(40)]);
  });

  test("consume() takes whole frames of the batch and nothing else", () => {
    const scan = new ScanBatches(new ArrayStore(pairs([40, 50, 60])).scan(), 100);
    scan.pack();
    for (const bytes of [1, 39, 41, 91, 150, 0xffff_ffff]) expect(scan.consume(bytes)).toBe(false);
    expect(scan.consume(40)).toBe(true);
    scan.pack();
    expect(scan.bytes.subarray(scan.start, scan.end)).toHaveLength(50);
  });

  test("every frame comes once and in order, by the rule, whatever is consumed", () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 12, max: 60 }), fc.integer({ min: 12, max: 700 })), {
      maxLength: 60,
    });
    const limits = fc.constantFrom(1, 12, 50, 100, 1_000);
    fc.assert(
      fc.property(sizes, limits, fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }), (frames, limit, appetite) => {
        let turn = 0;
        const taken = (count: number) => 1 + ((appetite[turn++ % appetite.length] ?? 0) % count);
        const expected = expectedBatches(frames, limit, taken);
        turn = 0;
        const source = pairs(frames);
        const consumed: Uint8Array[] = [];
        const seen = drain(new ScanBatches(new ArrayStore(source).scan(), limit), (batch) => {
          let count = 0;
          for (let at = 0; at < batch.length; at += firstFrame(batch.slice(at))) count++;
          let bytes = 0;
          for (let n = count === 0 ? 0 : taken(count); n > 0; n--) bytes += firstFrame(batch.slice(bytes));
          consumed.push(batch.slice(0, bytes));
          return bytes;
        });
        expect(seen).toEqual(expected);
        expect(concatBytes(...consumed)).toEqual(concatBytes(...source.map(([key, value]) => pairFrame(key, value))));
      }),
      { numRuns: 300 },
    );
  });
});
