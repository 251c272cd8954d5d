/**
 * Two queues in module gov's store: proposals whose deposit period ends, and those whose voting period ends. Keys begin
 * with the time, so a block looks only at what has ended: `01` (voting) or `02` (deposit) `| seconds since year 1,
 * 8 bytes | nanoseconds, 4 bytes | id, 8 bytes`; the value is the id. `04 | id` marks a proposal that is voted on, so
 * that a vote need not read the proposal.
 */
import { bigEndian64, concatBytes, prefixEnd } from "../bytes.js";
import { type Proposal, ProposalStatus } from "../gen/cosmos/gov/v1/gov_pb.js";
import { compareTimes, ZERO_TIME } from "../time.js";
import type { KVReader, KVStore, Timestamp } from "../types.js";

export type Queue = "voting" | "deposit";

const PREFIXES: Readonly<Record<Queue, Uint8Array>> = Object.freeze({
  voting: Uint8Array.of(0x01),
  deposit: Uint8Array.of(0x02),
});

function timeKey(queue: Queue, { seconds, nanos }: Timestamp): Uint8Array {
  const fraction = new Uint8Array(4);
  new DataView(fraction.buffer).setUint32(0, nanos);
  return concatBytes(PREFIXES[queue], bigEndian64(seconds - ZERO_TIME.seconds), fraction);
}

function entryKey(queue: Queue, time: Timestamp, id: bigint): Uint8Array {
  return concatBytes(timeKey(queue, time), bigEndian64(id));
}

export function enqueue(store: KVStore, queue: Queue, time: Timestamp, id: bigint): void {
  store.set(entryKey(queue, time, id), bigEndian64(id));
}

export function dequeue(store: KVStore, queue: Queue, time: Timestamp, id: bigint): void {
  store.delete(entryKey(queue, time, id));
}

/** Ids whose time is not after `now`, by time and then by id. */
export function endedBy(store: KVReader, queue: Queue, now: Timestamp): bigint[] {
  // One nanosecond on, so that what ends now is in the range.
  const end = timeKey(queue, { seconds: now.seconds, nanos: now.nanos + 1 });
  const range = { start: PREFIXES[queue], end };
  return [...store.iterate(range)].map(([, id]) => new DataView(id.buffer, id.byteOffset).getBigUint64(0));
}

/** When the next period ends, be it of a deposit or of a vote; undefined: none is running. */
export function nextEnd(store: KVReader): Timestamp | undefined {
  const [a, b] = [firstEnd(store, "deposit"), firstEnd(store, "voting")];
  return a && b ? (compareTimes(a, b) < 0 ? a : b) : (a ?? b);
}

function firstEnd(store: KVReader, queue: Queue): Timestamp | undefined {
  const prefix = PREFIXES[queue];
  for (const [key] of store.iterate({ start: prefix, end: prefixEnd(prefix) })) {
    const view = new DataView(key.buffer, key.byteOffset + prefix.length);
    return { seconds: view.getBigUint64(0) + ZERO_TIME.seconds, nanos: view.getUint32(8) };
  }
  return undefined;
}

const VOTED_ON_PREFIX = Uint8Array.of(0x04);
const MARK = Uint8Array.of(0x01);

const votedOnKey = (id: bigint) => concatBytes(VOTED_ON_PREFIX, bigEndian64(id));

/** Is the proposal in its voting period? */
export function isVotedOn(store: KVReader, id: bigint): boolean {
  return store.has(votedOnKey(id));
}

/** The voting period ends at `time`. */
export function enqueueVoting(store: KVStore, time: Timestamp, id: bigint): void {
  enqueue(store, "voting", time, id);
  store.set(votedOnKey(id), MARK);
}

/** Takes a proposal out of whichever queue it may be in. */
export function dequeueProposal(store: KVStore, { id, depositEndTime, votingEndTime }: Proposal): void {
  if (depositEndTime) dequeue(store, "deposit", depositEndTime, id);
  if (!votingEndTime) return;
  dequeue(store, "voting", votingEndTime, id);
  store.delete(votedOnKey(id));
}

/** Puts an imported proposal where its status says. */
export function enqueueProposal(store: KVStore, { id, status, depositEndTime, votingEndTime }: Proposal): void {
  if (status === ProposalStatus.DEPOSIT_PERIOD && depositEndTime) enqueue(store, "deposit", depositEndTime, id);
  if (status === ProposalStatus.VOTING_PERIOD && votingEndTime) enqueueVoting(store, votingEndTime, id);
}
