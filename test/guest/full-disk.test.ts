/** A handler that fills a disk: the run ends with a clear code, and the same home goes on when there is space again. */
import { execFileSync } from "node:child_process";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mountDisk } from "../small-disk.js";
import { bundleWorker, SpillingRun, STORE_A, writer } from "./spilling.js";

const DISK_BYTES = 128 * 1_048_576;

const disk = mountDisk(DISK_BYTES);
let worker: string;
beforeAll(async () => {
  worker = await bundleWorker();
});
afterAll(() => {
  rmSync(dirname(worker), { recursive: true, force: true });
  if (!disk) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

const FILL = writer(1_000, 4, 1_000_000);
const free = () => {
  const { bavail, bsize } = statfsSync(disk ?? "");
  return bavail * bsize;
};

describe.skipIf(!disk)("a really full disk (skipped where no tmpfs can be mounted)", () => {
  test("a handler writes more than there is → UPG_STORE_FULL before it is full; the space is free again, the same home commits", async () => {
    const home = new SpillingRun(worker, disk);
    expect((await home.run({}, STORE_A)).ended).toBe("");
    const before = free();
    const full = await home.run(FILL, STORE_A);
    expect(full.ended).toMatch(/^UPG_STORE_FULL .*Nothing was committed/);
    expect(full.left).toBe(0);
    expect(before - free()).toBeLessThan(1_000_000);
    expect((await home.run(writer(20, 4, 1_000_000), STORE_A)).ended).toBe("");
    home.remove();
  });

  test("somebody else fills the disk to its last byte → UPG_STORE_FULL by the system's own word; opened on the full disk, and committed with space", async () => {
    const home = new SpillingRun(worker, disk);
    expect((await home.run({}, STORE_A)).ended).toBe("");
    const ballast = join(disk ?? "", "ballast");
    writeFileSync(ballast, new Uint8Array(free() - 20_000_000));
    const full = await home.run(FILL, STORE_A, { reserveBytes: -1e12 });
    expect(full.ended).toMatch(/^UPG_STORE_FULL .*no space is left/);
    expect(full.left).toBe(0);
    writeFileSync(join(disk ?? "", "rest"), new Uint8Array(free()));
    expect(free()).toBeLessThan(4_096);
    // The stores are opened; that the handler's file cannot be written again is no matter of theirs.
    expect((await home.again()).ended).toMatch(/^UPG_STORE_FULL/);
    rmSync(join(disk ?? "", "rest"));
    rmSync(ballast);
    expect((await home.run(writer(20, 4, 1_000_000), STORE_A)).ended).toBe("");
    home.remove();
  });
});
