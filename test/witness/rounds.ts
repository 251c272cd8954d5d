/** One round: a random tree and block; recorded, encoded, decoded, and the block again on the witness alone. */
import { toHex } from "../../host/base/text/bytes.js";
import { decodeWitness } from "../../host/state/witness/decode.js";
import { encodeWitness } from "../../host/state/witness/encode.js";
import { recordStore } from "../../host/state/witness/record.js";
import type { TreeAt, Witness, WitnessContents } from "../../host/state/witness/types.js";
import { choices, sha256 } from "../unit/state/commitment/support.js";
import { block, type Operation, type Outcome, randomOperation, randomTree, readerOf } from "./small-tree.js";

export const MAX_BYTES = 16 * 1_048_576;

export interface Round {
  readonly tree: TreeAt;
  readonly version: number;
  /** Of lengths of keys. */
  readonly spread: number;
  readonly operations: readonly Operation[];
  /** On the whole tree. */
  readonly truth: Outcome;
  readonly contents: WitnessContents;
  readonly bytes: Uint8Array;
  readonly witness: Witness;
}

export function makeRound(seed: number): Round {
  const choose = choices(seed);
  const spread = 2 + choose(5);
  const { tree, version } = randomTree(choose, spread);
  const operations = Array.from({ length: choose(1 + choose(30)) }, () => randomOperation(choose, spread));
  const truth = block(tree, readerOf(tree), operations, version + 1);
  const recorder = recordStore(tree.source, tree.root);
  const recorded = block(recorder, recorder.reader, operations, version + 1);
  requireEqual(recorded, truth, `seed ${seed}, while recording`);
  const store = { name: "bank", hash: tree.root.hash, tree: recorder.finish() };
  const closed = { name: "auth", hash: sha256(Uint8Array.of(1)), tree: undefined };
  const contents = { chainId: "test-1", plan: "v2", height: BigInt(version + 1), stores: [closed, store], others: [] };
  const bytes = encodeWitness(contents, sha256);
  return {
    tree,
    version,
    spread,
    operations,
    truth,
    contents,
    bytes,
    witness: decodeWitness(bytes, { sha256, maxBytes: MAX_BYTES }),
  };
}

/** The block again, on what the witness has. */
function replay({ witness, operations, version }: Pick<Round, "witness" | "operations" | "version">): Outcome {
  const store = witness.stores.find(({ name }) => name === "bank");
  if (!store) throw new Error("the witness has no such store");
  return block(store, readerOf(store), operations, version + 1);
}

function requireEqual(found: Outcome, truth: Outcome, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(truth)];
  if (a !== b) throw new Error(`${what}: another outcome\n${a}\n${b}`);
}

export interface Counts {
  rounds: number;
  operations: number;
  openLeaves: number;
  stubs: number;
  treeLeaves: number;
}

export function rounds(count: number, seed: number, progress: (done: number) => void = () => undefined): Counts {
  const counts: Counts = { rounds: 0, operations: 0, openLeaves: 0, stubs: 0, treeLeaves: 0 };
  for (let i = 0; i < count; i++) {
    const round = makeRound(seed + i);
    requireEqual(replay(round), round.truth, `seed ${seed + i}`);
    const again = encodeWitness(round.contents, sha256);
    if (toHex(again) !== toHex(round.bytes)) throw new Error(`seed ${seed + i}: other bytes`);
    counts.rounds++;
    counts.operations += round.operations.length;
    counts.openLeaves += round.witness.stores[1]?.leaves ?? 0;
    counts.stubs += round.witness.stores[1]?.stubs ?? 0;
    counts.treeLeaves += round.tree.root.size;
    progress(counts.rounds);
  }
  return counts;
}
