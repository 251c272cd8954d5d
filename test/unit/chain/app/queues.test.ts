/** The two queues of governance: what has ended, by time and id, and nothing else is read. */
import { expect, test } from "vitest";
import { addPeriod } from "../../../../host/chain/modules/gov/periods.js";
import {
  dequeue,
  endedBy as endedKeys,
  enqueue,
  enqueueVoting,
  isVotedOn,
} from "../../../../host/chain/modules/gov/queues.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";

/** The ids that the keys end with. */
const endedBy = (...given: Parameters<typeof endedKeys>) =>
  endedKeys(...given).map((key) => new DataView(key.buffer, key.byteOffset).getBigUint64(key.length - 8));

const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });

test("endedBy() → what ends now or before, by time and then by id", () => {
  const store = new MemoryKVStore();
  enqueue(store, "voting", at(20n), 3n);
  enqueue(store, "voting", at(10n, 999_999_999), 9n);
  enqueue(store, "voting", at(10n), 7n);
  enqueue(store, "voting", at(10n), 4n);
  enqueue(store, "voting", at(-5n), 8n);
  enqueue(store, "deposit", at(0n), 1n);
  expect(endedBy(store, "voting", at(-6n))).toEqual([]);
  expect(endedBy(store, "voting", at(10n))).toEqual([8n, 4n, 7n]);
  expect(endedBy(store, "voting", at(10n, 999_999_998))).toEqual([8n, 4n, 7n]);
  expect(endedBy(store, "voting", at(10n, 999_999_999))).toEqual([8n, 4n, 7n, 9n]);
  expect(endedBy(store, "voting", at(1_000n))).toEqual([8n, 4n, 7n, 9n, 3n]);
  dequeue(store, "voting", at(10n), 4n);
  expect(endedBy(store, "voting", at(10n))).toEqual([8n, 7n]);
  expect(endedBy(store, "deposit", at(10n))).toEqual([1n]);
});

test("isVotedOn() → from the start of the vote on", () => {
  const store = new MemoryKVStore();
  enqueueVoting(store, at(10n), 5n);
  expect([isVotedOn(store, 5n), isVotedOn(store, 6n)]).toEqual([true, false]);
});

test("addPeriod() → nanoseconds carry into seconds, both ways", () => {
  const period = (seconds: bigint, nanos: number) => ({
    $typeName: "google.protobuf.Duration" as const,
    seconds,
    nanos,
  });
  expect(addPeriod(at(1n, 600_000_000), period(2n, 500_000_000))).toMatchObject(at(4n, 100_000_000));
  expect(addPeriod(at(1n), undefined)).toMatchObject(at(1n));
});
