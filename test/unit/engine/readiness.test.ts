/** Is the node's own handler ready? The judgement of its log, its metrics and its status. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { App } from "../../../host/chain/app.js";
import { Home } from "../../../host/engine/home/home.js";
import { readinessOf } from "../../../host/engine/home/readiness.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-readiness-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const HASH = "ab".repeat(32);
const plan = { name: "v2", height: 9n, info: "" };
const home = new Home(folder);

/** A node whose handler takes `bank` at some versions, over a state that has it at another. */
function appOf(from: readonly bigint[], stored: bigint, hash: string | undefined = HASH): App {
  const manifest = { name: "v2", versions: new Map([["bank", { from, to: 3n }]]) };
  const handler = { planName: "v2", wasm: hash === undefined ? undefined : { manifest, hash } };
  const found = { state: "ready", handler, isStaged: true, waits: true, problem: "", details: {} };
  const keeper = { findHandler: () => found, core: { versionMap: () => new Map([["bank", stored]]) } };
  return { keeper, multiStore: { names: ["upgrade"], store: () => undefined } } as unknown as App;
}

function rehearsed(exit: number, hash: string | undefined): void {
  const file = home.rehearsalFile("v2");
  mkdirSync(dirname(file), { recursive: true });
  const handler = hash === undefined ? null : { kind: "wasm", sha256: hash };
  writeFileSync(file, JSON.stringify({ exit, verdict: "would fail", message: `of ${hash}`, handler }));
}

describe("readinessOf()", () => {
  test("it takes the stored version → ready; another one → unfit, with the module and both versions", () => {
    expect(readinessOf(appOf([2n], 2n), home, plan)).toMatchObject({ state: "ready", problem: "" });
    expect(readinessOf(appOf([2n], 1n), home, plan)).toMatchObject({
      state: "unfit",
      problem: expect.stringContaining("bank is stored at 1, the handler takes 2"),
    });
  });

  test("its last rehearsal failed → unfit, with why; one of another file, one that applied, none → ready", () => {
    const state = (hash?: string) => readinessOf(appOf([2n], 2n, hash), home, plan);
    rehearsed(20, HASH);
    expect(state()).toMatchObject({ state: "unfit", problem: expect.stringContaining("would fail: of abab") });
    rehearsed(1, HASH);
    expect(state()).toMatchObject({ state: "unfit" });
    rehearsed(20, "cd".repeat(32));
    expect(state()).toMatchObject({ state: "ready" });
    rehearsed(0, HASH);
    expect(state()).toMatchObject({ state: "ready" });
    rmSync(home.rehearsalFile("v2"));
    expect(state()).toMatchObject({ state: "ready" });
  });
});
