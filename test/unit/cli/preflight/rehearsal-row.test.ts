/** `upgrade preflight`: the row of the last rehearsal that the home has. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toUpperHex } from "../../../../host/base/text/bytes.js";
import { Home } from "../../../../host/node/home/home.js";
import { openShared } from "../../../../host/node/open/home-database.js";
import { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { rowsOf, scheduled } from "./homes.js";

function appHashAt(path: string, height: bigint): string {
  const { database, close } = openShared(new Home(path));
  try {
    return toUpperHex(new CommitMultiStore(database, { sha256 }).at(height).appHash);
  } finally {
    close();
  }
}

function report(path: string, change: object = {}): void {
  const file = new Home(path).rehearsalFile("v2");
  mkdirSync(dirname(file), { recursive: true });
  const applied = { app_hash: "AB".repeat(32), memory: { peak: "1048576" } };
  const whole = {
    ...{ exit: 0, verdict: "would apply", message: "", chain_id: "scenario-1", handler: null, applied },
    plan: { name: "v2", height: "9", info: "" },
    state: { height: "4", app_hash: appHashAt(path, 4n), block_height: "9" },
  };
  writeFileSync(file, JSON.stringify({ ...whole, ...change }));
}

describe("preflight() of a home with a rehearsal", () => {
  test("a rehearsal that would apply → ok with its app hash; would fail, or with findings → missing; of another file, or torn → warning", async () => {
    const path = scheduled();
    const row = async () => (await rowsOf(path)).get("rehearsal");
    report(path);
    expect(await row()).toMatchObject({ state: "ok", words: expect.stringContaining("AB".repeat(32)) });
    expect((await rowsOf(path)).get("memory")?.words).toContain("1 MiB was the peak of the rehearsal");
    report(path, { exit: 20, verdict: "would fail", message: "trap", applied: null });
    const again = `chaind upgrade rehearse --home ${path}`;
    const failed =
      "would fail on the state of block 4: trap. To fix it, correct the handler or the program, then rehearse again";
    expect(await row()).toMatchObject({ state: "missing", words: failed, next: again });
    const findings = [{ check: "supply", message: "less" }];
    report(path, { exit: 1, verdict: "would apply with findings", message: "of supply", findings });
    expect(await row()).toMatchObject({
      state: "missing",
      words: expect.stringContaining(
        "would apply with findings on the state of block 4: of supply. To fix it, read the",
      ),
      next: `${again} --accept supply`,
    });
    report(path, { findings });
    expect(await row()).toMatchObject({ state: "missing", words: expect.stringContaining("with findings of supply") });
    report(path, { findings, accepted: ["supply"] });
    expect(await row()).toMatchObject({ state: "ok" });
    report(path, { handler: { kind: "wasm", sha256: "11".repeat(32), file: "v2.wasm" } });
    expect(await row()).toMatchObject({ state: "warning", words: expect.stringContaining("of another file") });
    writeFileSync(new Home(path).rehearsalFile("v2"), '{"exit":');
    expect(await row()).toMatchObject({ state: "warning", words: expect.stringContaining("cannot be read") });
  });

  const other = (height: string, appHash = "00".repeat(32)) => ({
    state: { height, app_hash: appHash, block_height: "9" },
  });
  test.each<[string, object, string]>([
    ["another chain", { chain_id: "other-1" }, 'is of the chain "other-1", and this is "scenario-1"'],
    [
      "another plan",
      { plan: { name: "v3", height: "9", info: "" } },
      'is of the plan "v3", and the one that is scheduled is "v2"',
    ],
    [
      "another height",
      { plan: { name: "v2", height: "8", info: "" }, state: { ...other("4").state, block_height: "8" } },
      'a plan "v2" at height 8, and the one that is scheduled is at 9',
    ],
    ["another info", { plan: { name: "v2", height: "9", info: "{}" } }, 'a plan "v2" with other info'],
    ["a block that is not made yet", other("6"), "is on the state of block 6, and the last block is 5"],
    ["another state", other("4"), "is on another state of block 4: its app hash is 0000"],
    ["an app hash that is none", { applied: { app_hash: "00" } }, "cannot be read"],
    ["a verdict that is none", { verdict: null }, "cannot be read"],
    ["a verdict that its exit status denies", { verdict: "would fail" }, "cannot be read"],
    ["a block that is not the plan's", { state: { ...other("4").state, block_height: "-5" } }, "cannot be read"],
  ])("a rehearsal of %s → warning with the command, and no attestation of it", async (_, change, words) => {
    const path = scheduled();
    report(path, change);
    const rows = await rowsOf(path);
    expect(rows.get("rehearsal")).toMatchObject({
      state: "warning",
      words: expect.stringContaining(words),
      next: `chaind upgrade rehearse --home ${path}`,
    });
    expect(rows.get("attestation")?.next ?? "").not.toContain("--rehearsal");
    report(path, { ...change, exit: 20, verdict: "would fail" });
    if (!words.includes("cannot")) expect((await rowsOf(path)).get("rehearsal")?.state).toBe("warning");
  });
});
