/**
 * Two queues in module gov's store: proposals whose deposit period ends, and those whose voting period ends. Keys begin
 * with the time, so a block looks only at what has ended: `01` (voting) or `02` (deposit) `| seconds since year 1,
 * 8 bytes | nanoseconds, 4 bytes | id, 8 bytes`; the value is the id. `04 | id` marks a proposal that is voted on, so
 * that a vote need not read the proposal.
 */

import { type Proposal, ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { bigEndian64, concatBytes, equalBytes, prefixEnd } from "../../../base/text/bytes.js";
import { compareTimes, ZERO_TIME } from "../../../base/time/time.js";
import type { KVReader, KVStore, Timestamp } from "../../../base/types/types.js";
import { readProposal } from "./records.js";

export type Queue = "voting" | "deposit";

/** First bytes of the keys. */
export const QUEUE_PREFIXES = Object.freeze({ voting: 0x01, deposit: 0x02, votedOn: 0x04 });
const PREFIXES: Readonly<Record<Queue, Uint8Array>> = Object.freeze({
  voting: Uint8Array.of(QUEUE_PREFIXES.voting),
  deposit: Uint8Array.of(QUEUE_PREFIXES.deposit),
});
const ID_BYTES = 8;
const ENTRY_BYTES = 21;

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

/** The keys of entries whose time is not after `now`, by time and then by id. */
export function endedBy(store: KVReader, queue: Queue, now: Timestamp): Uint8Array[] {
  // One nanosecond on, so that what ends now is in the range.
  const end = timeKey(queue, { seconds: now.seconds, nanos: now.nanos + 1 });
  return [...store.iterate({ start: PREFIXES[queue], end })].map(([key]) => key.slice());
}

interface QueueEntry {
  readonly time: Timestamp;
  readonly id: bigint;
}

/** What a key of a queue says; undefined: it has not the length of one. */
function readEntry(key: Uint8Array): QueueEntry | undefined {
  if (key.length !== ENTRY_BYTES) return undefined;
  const view = new DataView(key.buffer, key.byteOffset);
  const time = { seconds: view.getBigUint64(1) + ZERO_TIME.seconds, nanos: view.getUint32(9) };
  return { time, id: view.getBigUint64(ENTRY_BYTES - ID_BYTES) };
}

/** The proposal that an entry names, when it is in that queue until that time; undefined: the entry is an orphan. */
export function queuedProposal(store: KVReader, key: Uint8Array): Proposal | undefined {
  const entry = readEntry(key);
  const proposal = entry && readProposal(store, entry.id);
  const end = proposal && endOf(proposal);
  const isQueued = end && equalBytes(key, entryKey(end.queue, end.time, proposal.id));
  return isQueued ? proposal : undefined;
}

/** Reports whether an open proposal is in its queue, and marked while it is voted on, and any other is not marked. */
export function isQueuedOnce(store: KVReader, proposal: Proposal): boolean {
  const end = endOf(proposal);
  const isMarked = isVotedOn(store, proposal.id);
  if (!end) return !isMarked;
  return isMarked === (end.queue === "voting") && store.has(entryKey(end.queue, end.time, proposal.id));
}

/** Where a proposal waits, by its status; undefined: it is closed, or does not say when its period ends. */
function endOf({
  status,
  depositEndTime,
  votingEndTime,
}: Proposal): { readonly queue: Queue; readonly time: Timestamp } | undefined {
  if (status === ProposalStatus.DEPOSIT_PERIOD) return depositEndTime && { queue: "deposit", time: depositEndTime };
  if (status === ProposalStatus.VOTING_PERIOD) return votingEndTime && { queue: "voting", time: votingEndTime };
  return undefined;
}

/** When the next period ends, be it of a deposit or of a vote; undefined: none is running. */
export function nextEnd(store: KVReader): Timestamp | undefined {
  const [a, b] = [firstEnd(store, "deposit"), firstEnd(store, "voting")];
  return a && b ? (compareTimes(a, b) < 0 ? a : b) : (a ?? b);
}

function firstEnd(store: KVReader, queue: Queue): Timestamp | undefined {
  const prefix = PREFIXES[queue];
  for (const [key] of store.iterate({ start: prefix, end: prefixEnd(prefix) })) {
    const entry = readEntry(key);
    if (entry) return entry.time;
  }
  return undefined;
}

const VOTED_ON_PREFIX = Uint8Array.of(QUEUE_PREFIXES.votedOn);
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
export function enqueueProposal(store: KVStore, proposal: Proposal): void {
  const end = endOf(proposal);
  if (end?.queue === "deposit") enqueue(store, "deposit", end.time, proposal.id);
  if (end?.queue === "voting") enqueueVoting(store, end.time, proposal.id);
}
