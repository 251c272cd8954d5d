import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Snapshot } from "../../../../host/base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import {
  ResponseApplySnapshotChunk_Result as ApplyResult,
  ResponseOfferSnapshot_Result as OfferResult,
} from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { type Call, snapshotMessage, snapshotOf } from "../../../../host/node/comet/messages.js";
import { SnapshotFolder } from "../../../../host/node/snapshots/folder.js";
import { takeSnapshot } from "../../../../host/node/snapshots/take.js";
import { auditState } from "../../../../host/state/store/versions/audit.js";
import { V1 } from "../../../example-chain.js";
import { Chain, type Process } from "../../../scenario/chain.js";
import { splitBalances } from "../../../scenario/versions.js";
import { keysOf } from "../../state/store/support.js";
import { CORE as core, Joining, NONE, type Taken } from "./joining-node.js";

const path = mkdtempSync(join(tmpdir(), "chain-upgrade-snapshots-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** Small enough that the state of the example chain has several. */
const CHUNK_BYTES = 150;

let folders = 0;

async function taken(chain: Chain, process: Process): Promise<Taken> {
  const folder = new SnapshotFolder(join(path, String(folders++)));
  const { version: height, hash: appHash } = process.app.lastCommitID;
  const options = { height, sha256, core, firstVersion: 1n, chunkBytes: CHUNK_BYTES };
  const snapshot = await takeSnapshot(chain.database, folder, options);
  const indexes = Array.from({ length: snapshot.chunks }, (_, index) => index);
  const chunks = await Promise.all(indexes.map(async (index) => (await folder.chunk(height, 3, index)) ?? NONE));
  return { process, appHash, snapshot, chunks };
}

/** The example chain some blocks after its upgrade. */
async function upgraded(): Promise<Taken> {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.untilHalt();
  const process = chain.start({ handlers: [splitBalances()] }).upTo(9n);
  return taken(chain, process);
}

describe("takeSnapshot()", () => {
  test("that fails, of a height that has a snapshot → the one from before stays, and nothing unfinished", async () => {
    const chain = new Chain();
    const { app } = chain.start().upTo(3n);
    const folder = new SnapshotFolder(join(path, String(folders++)));
    const options = { height: app.lastCommitID.version, sha256, core, firstVersion: 1n };
    const { hash } = await takeSnapshot(chain.database, folder, options);
    // No description has such a version: it fails when all chunks are written.
    await expect(takeSnapshot(chain.database, folder, { ...options, firstVersion: -1n })).rejects.toThrow();
    expect([...folder.list()].map((found) => toHex(found.hash))).toEqual([toHex(hash)]);
    expect(await folder.chunk(3n, 3, 0)).toBeDefined();
    expect(readdirSync(join(folder.path, "3"))).toEqual(["3"]);
  });
});

describe("state sync", () => {
  test("a snapshot after an upgrade → a new node has the same state, app version and app hashes, and goes on with the others", async () => {
    const all = await upgraded();
    expect(all.chunks.length).toBeGreaterThan(5);
    const node = new Joining();
    expect(await node.offer(all)).toBe(OfferResult.ACCEPT);
    expect(await node.applyAll(all.chunks)).toBe(ApplyResult.ACCEPT);
    expect(node.restored).toBe(1);
    expect(node.app.version.number).toBe(2n);
    expect(toHex(node.app.lastCommitID.hash)).toBe(toHex(all.appHash));
    expect(auditState(node.database, { sha256 }).versions).toBe(1);
    expect(node.database.get(Uint8Array.of(98, 103))).toBeDefined();
    for (let block = 0; block < 5; block++) {
      const made = all.process.block();
      const time = { seconds: 1_700_000_000n + 5n * made.height, nanos: 0 };
      expect(toHex(node.app.finalizeBlock({ height: made.height, time }).appHash)).toBe(toHex(made.appHash));
      node.app.commit();
    }
    expect(node.log.filter((line) => !line.startsWith("info "))).toEqual([]);
  });

  test("a plan that is due at the next height, and its handler here → the node goes through the upgrade with the others", async () => {
    const chain = new Chain();
    const process = chain.start({ versions: [V1] });
    process.schedule({ name: "v2", height: 4n });
    const before = await taken(chain, process.upTo(3n));
    const node = new Joining({ handlers: [splitBalances()] });
    expect(await node.offer(before)).toBe(OfferResult.ACCEPT);
    expect(await node.applyAll(before.chunks)).toBe(ApplyResult.ACCEPT);
    process.untilHalt();
    const made = chain.start({ handlers: [splitBalances()] }).block();
    const time = { seconds: 1_700_000_000n + 5n * made.height, nanos: 0 };
    expect(toHex(node.app.finalizeBlock({ height: 4n, time }).appHash)).toBe(toHex(made.appHash));
  });

  test("an old program, and the state of a new version → refused when it is offered, with the reason, and nothing is loaded", async () => {
    const node = new Joining({ versions: [V1] });
    expect(await node.offer(await upgraded())).toBe(OfferResult.REJECT);
    expect(node.log.join()).toContain('the program has no version of its last upgrade, "v2" at height 4');
    node.expectNothing();
  });

  test("a plan that is due and a program without its handler → refused when it is offered", async () => {
    const chain = new Chain();
    const process = chain.start({ versions: [V1] });
    process.schedule({ name: "v2", height: 4n });
    const node = new Joining({ versions: [V1] });
    expect(await node.offer(await taken(chain, process.upTo(3n)))).toBe(OfferResult.REJECT);
    expect(node.log.join()).toContain('the upgrade "v2" is due at height 4');
    node.expectNothing();
  });

  test("a description that hides the upgrade → refused by the state itself, before any of it counts", async () => {
    const all = await upgraded();
    const { facts, chunkHashes } = all.snapshot.metadata ?? {};
    if (!facts || !chunkHashes) throw new Error("no description");
    const { lastUpgrade: _, ...hidden } = facts;
    const node = new Joining({ versions: [V1] });
    const snapshot = {
      ...all.snapshot,
      metadata: { ...all.snapshot.metadata, chunkHashes, facts: hidden },
    } as Snapshot;
    expect(await node.offer({ ...all, snapshot })).toBe(OfferResult.ACCEPT);
    expect(await node.applyAll(all.chunks)).toBe(ApplyResult.REJECT_SNAPSHOT);
    node.expectNothing();
    const other = new Joining();
    expect(await other.offer(all)).toBe(OfferResult.ACCEPT);
  });

  test("a chunk with other bytes → asked for again, from somebody else; then the right one is taken", async () => {
    const all = await upgraded();
    const node = new Joining();
    await node.offer(all);
    const [first = NONE, ...rest] = all.chunks;
    const bad = Uint8Array.from(first);
    bad[10] = (bad[10] ?? 0) ^ 1;
    const answered = await node.apply(0, bad);
    expect(answered).toMatchObject({ result: ApplyResult.RETRY, refetchChunks: [0], rejectSenders: ["peer"] });
    expect((await node.apply(0, NONE)).result).toBe(ApplyResult.RETRY);
    expect(await node.applyAll([first, ...rest])).toBe(ApplyResult.ACCEPT);
    expect(node.restored).toBe(1);
  });

  test("chunks without an offer, out of order, after another offer → ABORT, nothing of the first offer counts", async () => {
    const all = await upgraded();
    const node = new Joining();
    expect((await node.apply(0, all.chunks[0] ?? NONE)).result).toBe(ApplyResult.ABORT);
    await node.offer(all);
    expect((await node.apply(1, all.chunks[1] ?? NONE)).result).toBe(ApplyResult.ABORT);
    await node.apply(0, all.chunks[0] ?? NONE);
    await node.offer(all);
    expect((await node.apply(1, all.chunks[1] ?? NONE)).result).toBe(ApplyResult.ABORT);
    expect(await node.applyAll(all.chunks)).toBe(ApplyResult.ACCEPT);
  });

  test("a chain that begins instead, and a node that has blocks → the snapshot is dropped, the offer aborted", async () => {
    const all = await upgraded();
    const node = new Joining();
    await node.offer(all);
    await node.apply(0, all.chunks[0] ?? NONE);
    await node.sync.answer({ case: "finalizeBlock", value: {} } as Call);
    expect(keysOf(node.database, "n")).toEqual([]);
    node.app.finalizeBlock({ height: 1n, time: { seconds: 1_700_000_000n, nanos: 0 } });
    node.app.commit();
    expect(await node.offer(all)).toBe(OfferResult.ABORT);
    expect(node.app.lastCommitID.version).toBe(1n);
  });

  test("another format, no description → REJECT_FORMAT, REJECT", async () => {
    const all = await upgraded();
    const node = new Joining();
    expect(await node.offer({ ...all, snapshot: { ...all.snapshot, format: 2 } })).toBe(OfferResult.REJECT_FORMAT);
    const message = { ...snapshotMessage(all.snapshot), metadata: Uint8Array.of(255) };
    expect(() => snapshotOf(message as Parameters<typeof snapshotOf>[0])).toThrow("cannot be decoded");
    expect(await node.offer({ ...all, appHash: new Uint8Array(32) })).toBe(OfferResult.REJECT);
  });

  test("100 bad snapshots, whose chunks are what they say → each refused, nothing of it stays, and a good one is taken after all", async () => {
    const all = await upgraded();
    const node = new Joining();
    const bytes = Buffer.concat(all.chunks);
    const wrong = fc.record({
      kind: fc.constantFrom("flip", "cut", "append", "swap", "drop"),
      at: fc.nat(bytes.length - 1),
      bit: fc.nat(7),
    });
    const seed = Number(process.env["FC_SEED"] ?? 41);
    for (const { kind, at, bit } of fc.sample(wrong, { numRuns: 100, seed })) {
      const stream = spoilt(kind, bytes, at, bit);
      if (stream.equals(bytes)) continue;
      const bad = described(all, stream);
      const offered = await node.offer(bad);
      const what = `${kind} at byte ${at}, bit ${bit}, seed ${seed}`;
      if (offered === OfferResult.ACCEPT) {
        // A stream of zlib may be followed by bytes that nobody reads.
        if (kind === "append") continue;
        expect(await node.applyAll(bad.chunks), what).toBe(ApplyResult.REJECT_SNAPSHOT);
      }
      node.expectNothing();
    }
    expect(await node.offer(all)).toBe(OfferResult.ACCEPT);
    expect(await node.applyAll(all.chunks)).toBe(ApplyResult.ACCEPT);
  });
});

function spoilt(kind: string, bytes: Buffer, at: number, bit: number): Buffer {
  if (kind === "cut") return bytes.subarray(0, at);
  if (kind === "append") return Buffer.concat([bytes, Buffer.alloc(bit + 1, bit)]);
  const middle = Math.min(at, bytes.length - CHUNK_BYTES);
  if (kind === "drop") return Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + bit + 1)]);
  if (kind === "swap") return Buffer.concat([bytes.subarray(middle), bytes.subarray(0, middle)]);
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
  return flipped;
}

/** A snapshot of these bytes that says the truth of them, and of the state what the good one says. */
function described({ snapshot, appHash }: Taken, stream: Buffer): Pick<Taken, "snapshot" | "appHash" | "chunks"> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < stream.length; at += CHUNK_BYTES) chunks.push(stream.subarray(at, at + CHUNK_BYTES));
  const metadata = { ...snapshot.metadata, chunkHashes: chunks.map((chunk) => sha256(chunk)) };
  const told = { ...snapshot, chunks: chunks.length, hash: sha256(stream), metadata };
  return { snapshot: told as Snapshot, appHash, chunks };
}
