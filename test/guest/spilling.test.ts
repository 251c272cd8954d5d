/** What a handler writes must never hurt the node: memory, disk and what is left of a run that ended anyhow. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyNth } from "../sample.js";
import { bundleWorker, type Ended, FAIL, SCAN, SpillingRun, STORE_A, writer } from "./spilling.js";

/** Of one handler run, beside a process that has run none and the state's cache. */
const HOST_MEMORY_BYTES_MAX = 256 * 1_048_576;
const CACHE_BYTES = 32 * 1_048_576;
const SLOW = 240_000;

let worker: string;
let idle: number;
const runs: SpillingRun[] = [];
const begin = (folder?: string) => {
  const run = new SpillingRun(worker, folder);
  runs.push(run);
  return run;
};
const memoryOf = ({ peak }: Ended) => peak - idle - CACHE_BYTES;

beforeAll(async () => {
  worker = await bundleWorker();
  idle = (await begin().run({}, STORE_A)).peak;
});
afterAll(() => {
  for (const run of runs) run.remove();
  rmSync(dirname(worker), { recursive: true, force: true });
});

describe("host memory of a run and its commit", () => {
  for (const [what, parts] of everyNth(3, [
    ["10,000 keys of 64 KiB that begin alike", writer(10_000, 65_535, 1, { differAt: 65_531 })],
    ["10,000 keys of 64 KiB", writer(10_000, 65_535, 1)],
    ["640 values of 1 MiB", writer(640, 4, 1_048_576)],
    ["2,000,000 small pairs in scattered order", writer(2_000_000, 12, 40)],
    ["640 values of 1 MiB with a scan after each", writer(640, 4, 1_048_576, { each: SCAN })],
  ] as const)) {
    test(
      `${what} → at most 256 MiB beyond the cache`,
      async () => {
        const ended = await begin().run(parts, STORE_A);
        expect(ended).toMatchObject({ ended: "", left: 0 });
        expect(memoryOf(ended)).toBeLessThan(HOST_MEMORY_BYTES_MAX);
      },
      SLOW,
    );
  }

  test(
    "16 stores with 8 MiB each → the branches together stay in bounds",
    async () => {
      const names = Array.from({ length: 16 }, (_, i) => `s${String(i).padStart(2, "0")}`);
      const stores = names.map((name) => ({ name, access: "rw" }));
      const { run, memory } = writer(60_000, 12, 2_000);
      const spread = run?.replace("(call $set (i32.const 0)", "(call $set (i32.and (local.get $len) (i32.const 15))");
      const ended = await begin().run({ run: spread ?? "", memory: memory ?? "" }, { stores });
      expect(ended).toMatchObject({ ended: "", left: 0 });
      expect(memoryOf(ended)).toBeLessThan(HOST_MEMORY_BYTES_MAX);
    },
    SLOW,
  );
});

describe("disk", () => {
  test("a run that writes 100 MB and fails → the database has the size it had, nothing is left beside it", async () => {
    const home = begin();
    const before = await home.run({}, STORE_A);
    const failed = await home.run(writer(100, 4, 1_000_000, { after: FAIL }), STORE_A);
    expect(failed.ended).toMatch(/^UPG_MIGRATION_FAILED/);
    expect([failed.databaseBytes, failed.left]).toEqual([before.databaseBytes, 0]);
  });

  test("--handler-disk-max reached → UPG_STORE_FULL with what was used, the limit, the remedy; nothing committed", async () => {
    const home = begin();
    const before = await home.run({}, STORE_A);
    const bytesMax = 40_000_000;
    const full = await home.run(writer(100, 4, 1_000_000), STORE_A, { bytesMax });
    expect(full.ended).toMatch(/^UPG_STORE_FULL .*has taken \d+ bytes on disk, and 40000000 are allowed/);
    expect(full.ended).toContain("--handler-disk-max 80000000");
    expect([full.databaseBytes, full.left]).toEqual([before.databaseBytes, 0]);
    const { ended } = await home.run(writer(100, 4, 1_000_000), STORE_A);
    expect(ended).toBe("");
  });

  test("less free space than the reserve → UPG_STORE_FULL before the disk is full", async () => {
    const full = await begin().run(writer(100, 4, 1_000_000), STORE_A, { reserveBytes: 2 ** 50 });
    expect(full).toMatchObject({ left: 0, ended: expect.stringMatching(/^UPG_STORE_FULL .*Make space on this disk/) });
  });

  test("killed in the middle of a run → the next start removes what it left", async () => {
    const home = begin();
    const child = home.start(writer(1_000_000, 4, 1_000_000), STORE_A);
    while (home.spilled === 0) {
      expect(child.exitCode).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    expect(home.spilled).toBeGreaterThan(0);
    const next = await home.run({}, STORE_A);
    expect(next).toMatchObject({ ended: "", left: 0 });
  });
});
