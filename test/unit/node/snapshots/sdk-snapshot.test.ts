import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { SnapshotSchema } from "../../../../host/base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { concatBytes, fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { encodeItems } from "../../../../host/node/snapshots/items.js";
import { SnapshotRestore } from "../../../../host/node/snapshots/restore.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { auditState } from "../../../../host/state/store/versions/audit.js";

/** Twelve versions of four stores, one of them empty, as the Cosmos SDK's own multistore gives them away. */
interface SdkSnapshot {
  readonly height: number;
  readonly app_hash: string;
  readonly stores: readonly { readonly name: string; readonly hash: string; readonly size: number }[];
  readonly stream: string;
}
const sdk = JSON.parse(readFileSync(join(import.meta.dirname, "sdk-snapshot.json"), "utf8")) as SdkSnapshot;

describe("a snapshot of the Cosmos SDK", () => {
  test("SnapshotRestore with its chunks → its app hash, a sound database; encodeItems() of that → its stream, byte for byte", async () => {
    const stream = fromHex(sdk.stream);
    const cut = [stream.subarray(0, 500), stream.subarray(500, 501), stream.subarray(501)];
    const stores = sdk.stores.map(({ name, hash, size }) => ({ name, hash: fromHex(hash), size: BigInt(size) }));
    const snapshot = create(SnapshotSchema, {
      ...{ height: BigInt(sdk.height), format: 3, chunks: 3, hash: createHash("sha256").update(stream).digest() },
      metadata: { chunkHashes: cut.map((chunk) => sha256(chunk)), facts: { stores } },
    });
    const database = new MemoryDatabase();
    const appHash = fromHex(sdk.app_hash);
    const restore = new SnapshotRestore(database, snapshot, { sha256, appHash, engine: "" });
    for (const chunk of cut) await restore.apply(chunk);
    const view = restore.finish();
    restore.commit([]);
    expect(toHex(view.computeAppHash())).toBe(sdk.app_hash);
    expect(auditState(database, { sha256 }).versions).toBe(1);
    const items = concatBytes(...encodeItems(view, () => undefined));
    expect(toHex(items)).toBe(toHex(inflateSync(stream)));
  });
});
