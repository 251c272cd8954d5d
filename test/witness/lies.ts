/** Lying servers: whatever a witness says, an answer from it is the tree's, or there is none. */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import { CacheKVStore } from "../../host/state/branch/kv/cache-kv.js";
import { decodeWitness } from "../../host/state/witness/decode.js";
import { nextTree } from "../../host/state/witness/next-tree.js";
import type { Witness, WitnessStore } from "../../host/state/witness/types.js";
import { choices, hasher, sha256 } from "../unit/state/commitment/support.js";
import { LIES, type Lie, lieAbout } from "./liar.js";
import { MAX_BYTES, makeRound, type Round } from "./rounds.js";
import { type Choose, type Operation, perform, randomOperation, readerOf } from "./small-tree.js";

const PROBES = 12;

export interface LieCounts {
  lies: number;
  /** By code: refused while it was decoded. */
  refused: Record<string, number>;
  /** Witnesses that could be decoded: nodes that hash to the root. */
  decoded: number;
  /** Answers of these that are the tree's; how often the witness did not have what was asked for. */
  answers: number;
  hidden: number;
  /** Next roots that are the tree's; others, which no header has. */
  roots: number;
  otherRoots: number;
  /** Milliseconds. */
  slowest: number;
}

function newCounts(): LieCounts {
  return { lies: 0, refused: {}, decoded: 0, answers: 0, hidden: 0, roots: 0, otherRoots: 0, slowest: 0 };
}

/** @throws Error at the first answer that is believed and wrong, and at the first error that has no code of a witness */
export function lies(count: number, seed: number, progress: (done: number) => void = () => undefined): LieCounts {
  const counts = newCounts();
  for (let round = 0; counts.lies < count; round++) {
    const honest = makeRound(seed + round);
    const choose = choices(seed + round);
    for (const lie of LIES) {
      const begun = performance.now();
      tell(honest, lie, choose, counts, `seed ${seed + round}, ${lie}`);
      counts.slowest = Math.max(counts.slowest, performance.now() - begun);
      progress(counts.lies);
      if (counts.lies === count) break;
    }
  }
  return counts;
}

function tell(honest: Round, lie: Lie, choose: Choose, counts: LieCounts, what: string): void {
  counts.lies++;
  const bytes = lieAbout(lie, honest.bytes, honest.contents, honest.tree, choose);
  const witness = decoded(bytes, honest.witness.appHash, counts, what);
  if (!witness) return;
  counts.decoded++;
  const store = witness.stores.find(({ name }) => name === "bank");
  if (!store?.isOpen) return;
  replayBlock(honest, store, counts, what);
  probe(honest, store, choose, counts, what);
}

function decoded(bytes: Uint8Array, appHash: Uint8Array, counts: LieCounts, what: string): Witness | undefined {
  try {
    return decodeWitness(bytes, { sha256, maxBytes: MAX_BYTES, appHash });
  } catch (error) {
    if (!isUpgradeError(error) || !error.code.startsWith("UPG_WITNESS_")) throw foreign(what, error);
    counts.refused[error.code] = (counts.refused[error.code] ?? 0) + 1;
    return undefined;
  }
}

/** What `ask` returns; undefined when the witness does not have it. */
function asked<T>(ask: () => T, counts: LieCounts, what: string): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (!isUpgradeError(error) || error.code !== "UPG_WITNESS_HIDDEN") throw foreign(what, error);
    counts.hidden++;
    return undefined;
  }
}

function foreign(what: string, cause: unknown): Error {
  return new Error(`${what}: an error of another kind`, { cause });
}

function requireTrue(found: string, truth: string | undefined, operation: Operation, counts: LieCounts, what: string) {
  if (found !== truth) throw new Error(`${what}: believed ${JSON.stringify(operation)}\n${found}\n${truth}`);
  counts.answers++;
}

/** The block again, up to the first part that is hidden. */
function replayBlock(honest: Round, store: WitnessStore, counts: LieCounts, what: string): void {
  const reader = readerOf(store);
  const branch = new CacheKVStore(reader);
  for (const [at, operation] of honest.operations.entries()) {
    const found = asked(() => perform(branch, reader, operation), counts, what);
    if (found === undefined) return;
    requireTrue(found, honest.truth.answers[at], operation, counts, what);
  }
  const next = asked(
    () => nextTree(store, branch.pending(), { hasher, version: honest.version + 1 }).root,
    counts,
    what,
  );
  if (!next) return;
  const isTrue = `${toHex(next.hash)} ${next.size} ${next.height}` === honest.truth.root;
  if (isTrue) counts.roots++;
  // A hash that a header has leaves nothing to lie about.
  else if (honest.truth.root.startsWith(toHex(next.hash))) throw new Error(`${what}: the right hash of another tree`);
  else counts.otherRoots++;
}

/** Reads that the block did not make: of what the witness has by chance, nothing is wrong. */
function probe(honest: Round, store: WitnessStore, choose: Choose, counts: LieCounts, what: string): void {
  const [reader, whole] = [readerOf(store), readerOf(honest.tree)];
  for (let i = 0; i < PROBES; i++) {
    const operation = randomOperation(choose, honest.spread);
    if (operation.kind === "set" || operation.kind.startsWith("delete")) continue;
    const found = asked(() => perform(new CacheKVStore(reader), reader, operation), counts, what);
    if (found === undefined) continue;
    requireTrue(found, perform(new CacheKVStore(whole), whole, operation), operation, counts, what);
  }
}
