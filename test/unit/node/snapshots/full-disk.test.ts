/** Snapshots on a small disk that fills up while one is restored, taken or carried elsewhere. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  ResponseApplySnapshotChunk_Result as ApplyResult,
  RequestApplySnapshotChunkSchema,
  RequestOfferSnapshotSchema,
} from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { fromHex, toUpperHex } from "../../../../host/base/text/bytes.js";
import { AppPort } from "../../../../host/chain/app/app-port.js";
import { restoreSnapshot } from "../../../../host/cli/offline/restore-snapshot.js";
import { dumpSnapshot, exportSnapshot, listSnapshots, loadSnapshot } from "../../../../host/cli/offline/snapshots.js";
import { snapshotMessage } from "../../../../host/node/comet/messages.js";
import { StateSync } from "../../../../host/node/comet/state-sync.js";
import { OpenHome } from "../../../../host/node/open/open-home.js";
import { SnapshotFolder } from "../../../../host/node/snapshots/folder.js";
import { encodeAddress } from "../../../addresses.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";
import { mountDisk } from "../../../small-disk.js";

const DISK_BYTES = 48 * 1_048_576;
const ACCOUNTS = 12_000;
const silent = () => undefined;

const disk = mountDisk(DISK_BYTES);
const root = mkdtempSync(join(tmpdir(), "chain-upgrade-full-"));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  if (!disk) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

const ballast = join(disk ?? root, "ballast");
const empty = () => rmSync(ballast, { force: true });
afterEach(empty);

/** Leaves so many bytes free. */
function fill(left: number): void {
  const { bavail, bsize } = statfsSync(disk ?? "");
  writeFileSync(ballast, new Uint8Array(bavail * bsize - left));
}

function manyAccounts(): string {
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, { balances?: unknown[] }>;
  for (let at = 0; at < ACCOUNTS; at++) {
    const address = encodeAddress(sha256(Uint8Array.of(at & 255, at >> 8)).slice(0, 20));
    state["bank"]?.balances?.push({ address, coins: [{ denom: "ustake", amount: "1" }] });
  }
  return JSON.stringify(document);
}

function blocks(home: string, upTo: bigint): string {
  const held = OpenHome.holdForComet({ chain: exampleChain, home, log: silent });
  try {
    const { app, genesis, alongsideFirst } = held.openApp();
    const port = new AppPort({ app, genesis, ...(alongsideFirst ? { alongsideFirst } : {}) });
    while (app.lastCommitID.version < upTo) {
      const height = app.nextHeight;
      port.finalizeBlock({ height, time: { seconds: genesis.time.seconds + height, nanos: 0 } });
      port.commit();
    }
    return toUpperHex(app.lastCommitID.hash);
  } finally {
    held.close();
  }
}

describe.skipIf(!disk)("snapshots on a really full disk (skipped where no tmpfs can be mounted)", () => {
  const genesis = manyAccounts();
  const archive = join(root, "2.tar.gz");
  const source = join(root, "source");
  let appHash = "";
  beforeAll(async () => {
    makeHome(source, genesis);
    appHash = blocks(source, 2n);
    await exportSnapshot(source, 0n, silent);
    await dumpSnapshot(source, 2n, 3, archive);
  }, 60_000);

  const homes: string[] = [];
  async function joining(): Promise<string> {
    const home = join(disk ?? "", `home-${homes.length}`);
    homes.push(home);
    makeHome(home, genesis);
    await loadSnapshot(home, archive);
    return home;
  }

  test("in the middle of a restore → UPG_STORE_FULL, nothing counts; with room the same home restores, and has the state", async () => {
    const home = await joining();
    for (const left of [100_000, 1_200_000, 2_500_000, 4_000_000]) {
      fill(left);
      const restored = restoreSnapshot(exampleChain, home, { height: 2n, format: 3, appHash }, silent);
      await expect(restored, `${left} bytes free`).rejects.toMatchObject({
        code: "UPG_STORE_FULL",
        message: expect.stringContaining("make room and start again"),
      });
      empty();
    }
    expect(await restoreSnapshot(exampleChain, home, { height: 2n, format: 3, appHash }, silent)).toMatchObject({
      height: "2",
    });
    expect(blocks(home, 2n)).toBe(appHash);
    rmSync(home, { recursive: true });
  });

  test("while CometBFT's peers send one → the node ends by UPG_STORE_FULL; the next process is offered it again, and takes it", async () => {
    const home = await joining();
    const folder = new SnapshotFolder(join(home, "data/snapshots"));
    const [snapshot] = folder.list();
    const sync = async () => {
      const held = OpenHome.holdForComet({ chain: exampleChain, home, log: silent });
      try {
        const opened = held.openApp();
        const joins = new StateSync({ opened, engine: "cometbft", onRestored: silent, log: silent });
        if (!snapshot) throw new Error("no snapshot");
        const offer = create(RequestOfferSnapshotSchema, {
          snapshot: snapshotMessage(snapshot),
          appHash: fromHex(appHash.toLowerCase()),
        });
        await joins.answer({ case: "offerSnapshot", value: offer });
        for (let index = 0; index < snapshot.chunks; index++) {
          const chunk = (await folder.chunk(2n, 3, index)) ?? new Uint8Array();
          const value = create(RequestApplySnapshotChunkSchema, { index, chunk, sender: "peer" });
          const answer = await joins.answer({ case: "applySnapshotChunk", value });
          expect(answer).toMatchObject({ value: { result: ApplyResult.ACCEPT } });
        }
        return opened.app.lastCommitID.version;
      } finally {
        held.close();
      }
    };
    fill(1_200_000);
    await expect(sync()).rejects.toMatchObject({ code: "UPG_STORE_FULL" });
    empty();
    expect(await sync()).toBe(2n);
    expect(blocks(home, 2n)).toBe(appHash);
    rmSync(home, { recursive: true });
  });

  test("while one is taken, carried into a home, or written into a file → UPG_STORE_FULL, and nothing is left of it", async () => {
    const home = await joining();
    await restoreSnapshot(exampleChain, home, { height: 2n, format: 3, appHash }, silent);
    rmSync(join(home, "data/snapshots"), { recursive: true });
    const full = { code: "UPG_STORE_FULL" };
    fill(100_000);
    await expect(exportSnapshot(home, 0n, silent)).rejects.toMatchObject(full);
    await expect(loadSnapshot(home, archive)).rejects.toMatchObject(full);
    await expect(dumpSnapshot(source, 2n, 3, join(home, "one.tar.gz"))).rejects.toMatchObject(full);
    expect(listSnapshots(home)).toEqual([]);
    const left = [...readdirSync(home), ...readdirSync(join(home, "data/snapshots"))];
    expect(left.filter((name) => /gz|tmp|part|^\d/.test(name))).toEqual([]);
    empty();
    expect(await exportSnapshot(home, 0n, silent)).toMatchObject({ app_hash: appHash });
    rmSync(home, { recursive: true });
  });
});
