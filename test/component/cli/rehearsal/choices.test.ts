import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { notesChain } from "../../../../examples/notes-chain/chain.js";
import { toUpperHex, utf8 } from "../../../../host/base/text/bytes.js";
import { shellWord } from "../../../../host/base/text/shell-word.js";
import type { Chain, ChainUpgradeHandler } from "../../../../host/chain/app/chain.js";
import { defineChain, migrate } from "../../../../host/chain/app/define-chain.js";
import { readRehearsal } from "../../../../host/cli/client/tx/rehearsal-report.js";
import { initHome } from "../../../../host/cli/commands/init.js";
import { dumpSnapshot, exportSnapshot } from "../../../../host/cli/offline/snapshots.js";
import { rehearse } from "../../../../host/cli/rehearsal/rehearse.js";
import type { RehearseOptions } from "../../../../host/cli/rehearsal/rehearse-options.js";
import { parseAccepted } from "../../../../host/cli/rehearsal/report/checks.js";
import { keepReport } from "../../../../host/cli/rehearsal/report/keep-report.js";
import { textReport } from "../../../../host/cli/rehearsal/report/text.js";
import { logicalClock } from "../../../../host/node/embedded/clock.js";
import type { EmbeddedNode } from "../../../../host/node/embedded/embedded-node.js";
import { failedRehearsal } from "../../../../host/node/home/failed-rehearsal.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import { SNAPSHOT_FORMAT } from "../../../../host/node/snapshots/facts.js";
import { readdressed } from "../../../addresses.js";
import { DIST, TestHome } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, schedule, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-rehearse-choices-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const HANDLERS = join(DIST, "handlers");

const scheduled = (height: bigint, upTo: bigint) => new TestHome().schedule({ name: "v2", height }, upTo);
const run = (home: string, options: Partial<RehearseOptions> = {}, chain = exampleChain) =>
  rehearse(chain, { home, handlers: HANDLERS, log: () => undefined, ...options });
const file = (name: string, json: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(json));
  return path;
};

let homes = 0;
/** A chain of these upgrades, one block before its first. */
function begun(chain: Chain): {
  readonly path: string;
  readonly node: <T>(use: (node: EmbeddedNode) => T, appVersion?: bigint) => T;
  /** Rehearses with a handler of the program. */
  readonly rehearsed: (options?: Partial<RehearseOptions>) => ReturnType<typeof rehearse>;
} {
  const path = join(folder, `notes-${homes++}`);
  mkdirSync(path);
  const genesis = file(`genesis-${homes}.json`, JSON.parse(readdressed(genesisText(), chain.addresses)));
  initHome(chain, { home: path, genesis, keySeed: new Uint8Array(32).fill(1) });
  const node = <T>(use: (node: EmbeddedNode) => T, appVersion?: bigint): T => {
    const facts = { chain, home: path, clock: logicalClock(5_000_000_000n), log: () => undefined };
    const open = openNode({ ...facts, ...(appVersion === undefined ? {} : { appVersion }) });
    try {
      return use(open.node);
    } finally {
      open.close();
    }
  };
  node((each) => {
    schedule(each, { name: "v2", height: 5n });
    makeBlocksUpTo(each, 4n);
  }, 1n);
  return { path, node, rehearsed: (options) => run(path, { handlers: undefined, ...options }, chain) };
}

describe("rehearse() with a snapshot", () => {
  test("an archive of the height before, in the home that went on and in one that has only a genesis → the app hash of the real block", async () => {
    const home = scheduled(5n, 4n);
    await exportSnapshot(home.path, 4n, () => undefined);
    const archive = await dumpSnapshot(home.path, 4n, SNAPSHOT_FORMAT, join(folder, "4.tar.gz"));
    const real = withNode({ path: home.path, handlers: HANDLERS }, (node) => {
      node.makeBlock();
      const { hash } = node.app.lastCommitID;
      node.makeBlock();
      return toUpperHex(hash);
    });
    for (const { path } of [home, new TestHome()]) {
      const report = await run(path, { snapshot: archive });
      expect(report, report.message).toMatchObject({
        exit: 0,
        state: { kind: "snapshot", height: "4", is_exact: true },
      });
      expect(report.applied?.app_hash).toBe(real);
    }
  });

  test("a chunk that was changed, no file → UPG_INVALID_SNAPSHOT, UPG_STORE_IO; nothing is left in TMPDIR", async () => {
    const home = scheduled(5n, 4n);
    await exportSnapshot(home.path, 4n, () => undefined);
    const archive = await dumpSnapshot(home.path, 4n, SNAPSHOT_FORMAT, join(folder, "bad.tar.gz"));
    const bytes = readFileSync(archive);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(archive, bytes);
    await expect(run(home.path, { snapshot: archive })).rejects.toMatchObject({ code: "UPG_INVALID_SNAPSHOT" });
    await expect(run(home.path, { snapshot: join(folder, "none") })).rejects.toMatchObject({
      code: expect.stringMatching(/^UPG_/),
    });
  });
});

describe("the command to repeat a rehearsal", () => {
  test("has the flags that chose the plan, the state and the handlers; a handler that is to be corrected is FILE", async () => {
    const home = scheduled(5n, 4n);
    const plan = file("it's.json", { name: "v9", height: "40", info: "" });
    const options = { plan, at: 3n, time: { seconds: 1_900_000_000n, nanos: 0 }, isCopied: true };
    const { code, commands } = await run(home.path, options);
    expect(code).toBe("UPG_HALT_UPGRADE_NEEDED");
    const choice = `--plan ${shellWord(plan)} --at 3 --time 2030-03-17T17:46:40Z --handlers ${HANDLERS} --copy`;
    expect(commands).toEqual([`chaind upgrade rehearse --home ${home.path} ${choice} --handler FILE`]);
  });
});

describe("rehearse() with a plan's file", () => {
  test("the scheduled plan as a node writes it, as the query prints it → the scheduled one", async () => {
    const home = scheduled(5n, 4n);
    const { applied } = await run(home.path);
    for (const json of [{ name: "v2", height: 5 }, { plan: { name: "v2", height: "5", info: "" } }]) {
      const report = await run(home.path, { plan: file("plan.json", json) });
      expect(report.state).toMatchObject({ is_exact: true });
      expect(report.applied?.app_hash).toBe(applied?.app_hash);
    }
  });

  test("one that is not scheduled, later, with an info → put into the state, by its own height", async () => {
    const home = scheduled(5n, 4n);
    const plan = { name: "v2", height: "40", info: "see the release" };
    const report = await run(home.path, { plan: file("later.json", plan) });
    expect(report).toMatchObject({ exit: 0, plan, state: { is_exact: false, block_height: "40" } });
    expect(report.not_checked).toContain("plan");
  });

  test.each<[string, unknown]>([
    ["no plan", { height: 5 }],
    ["a height of letters", { name: "v2", height: "soon" }],
    ["a negative height", { name: "v2", height: -5 }],
    ["a number for an info", { name: "v2", height: 5, info: 7 }],
    ["null", null],
  ])("%s → UPG_INVALID_ARGUMENT", async (_, json) => {
    const { path } = scheduled(5n, 4n);
    await expect(run(path, { plan: file("wrong.json", json) })).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  });
});

describe("rehearse() of a handler that is a function of the program", () => {
  test("migrations of modules → the app hash of the real block, at any time; no gas, no pin", async () => {
    const { node, rehearsed } = begun(notesChain);
    const report = await rehearsed({ runs: 6, isIdempotent: true, gas: true });
    expect(report, report.message).toMatchObject({
      exit: 0,
      handler: { kind: "typescript" },
      state: { is_exact: true },
    });
    expect(report.applied).toMatchObject({ gas: null, gas_profile: null, depends_on_time: false });
    expect(new Set(report.applied?.app_hashes.map((each) => each.app_hash)).size).toBe(1);
    expect(report.applied?.stores.find(({ name }) => name === "notes")).toMatchObject({ fate: "added" });
    expect(textReport(report)).toContain("handler: a function of this program");
    expect(report.checks.find(({ name }) => name === "idempotence")?.what).toContain("a function of the program");
    const made = node((each) => {
      each.makeBlock();
      return toUpperHex(each.app.lastCommitID.hash);
    });
    expect(report.applied?.app_hash).toBe(made);
  });

  test.each<[string, ChainUpgradeHandler, string]>([
    [
      "throws",
      () => {
        throw new RangeError("out of range");
      },
      "out of range",
    ],
    ["forgets a version", (_context, _plan, versions) => versions, "notes"],
  ])("one that %s → exit 20 with its words; the home stays as it was", async (_, handler, words) => {
    const chain = defineChain({
      ...{ name: "notesd", addressPrefix: "notes", modules: notesChain.modules },
      upgrades: [{ plan: "v2", handler, storeUpgrades: { added: ["notes"] } }],
    });
    const { node, rehearsed } = begun(chain);
    const report = await rehearsed();
    expect(report).toMatchObject({
      exit: 20,
      verdict: "would fail",
      message: expect.stringContaining(words),
      applied: null,
    });
    expect(node(({ app }) => app.lastCommitID.version, 1n)).toBe(4n);
  });
});

describe("a rehearsal with findings", () => {
  /** Leaves the time of the block in state. */
  const timed = () =>
    defineChain({
      ...{ name: "notesd", addressPrefix: "notes", modules: notesChain.modules },
      upgrades: [
        {
          plan: "v2",
          handler: (context, plan, versions, modules) => {
            const after = migrate(context, plan, versions, modules);
            context.store("notes").set(Uint8Array.of(0xff), utf8(String(context.time.nanos)));
            return after;
          },
          storeUpgrades: { added: ["notes"] },
        },
      ],
    });

  test("→ exit 1 with the checks in verdict and report, and what accepts them; accepted → exit 0, the findings stay", async () => {
    const { rehearsed } = begun(timed());
    const found = await rehearsed();
    expect(found, found.message).toMatchObject({
      ...{ exit: 1, verdict: "would apply with findings", code: "", accepted: [] },
      findings: [{ check: "time" }],
      applied: { app_hash: expect.stringMatching(/^[0-9A-F]{64}$/) },
    });
    expect(found.message).toContain("with findings of time");
    expect(found.commands).toEqual([expect.stringContaining("--accept time")]);
    expect(textReport(found)).toMatch(/^WOULD APPLY WITH FINDINGS \(exit 1\)/);
    const file = keepReport(found, false).file ?? "";
    expect(readRehearsal(file).openFindings).toEqual(["time"]);
    expect(failedRehearsal(file, undefined)).toContain("would apply with findings");

    const accepted = await rehearsed({ accepted: ["time", "supply"] });
    expect(accepted).toMatchObject({ exit: 0, verdict: "would apply", accepted: ["time", "supply"] });
    expect(accepted.findings).toMatchObject([{ check: "time" }]);
    expect(textReport(accepted)).toContain("finding (time, accepted): ");
    keepReport(accepted, false);
    expect(readRehearsal(file).openFindings).toEqual([]);
    expect(failedRehearsal(file, undefined)).toBeUndefined();
  });

  test("--accept of a check that ends the upgrade itself, or of none that there is → UPG_INVALID_ARGUMENT", () => {
    for (const text of ["disk", "supply,determinism", "all", ""]) {
      expect(() => parseAccepted(text)).toThrowError(/--accept: there is no check/);
    }
    expect(parseAccepted("supply, queries")).toEqual(["supply", "queries"]);
  });
});
