/** Ready means ready: what is staged would fail at the height → no status, metric or page says that it is ready. */
import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import type { Machine } from "../../../../host/visor/decide/machine.js";
import { isLacking, isReady, verdictOf } from "../../../../host/visor/decide/readiness.js";
import type { Settings } from "../../../../host/visor/decide/settings.js";
import type { Readiness } from "../../../../host/visor/decide/status.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { statusFromDisk } from "../../../../host/visor/run/without-sidecar/from-disk.js";
import { exitOf, lackingOf, statusOf } from "../../../../host/visor/run/without-sidecar/status-of.js";
import { earlyProblem } from "../../../../host/visor/stage/current-link.js";
import { stagePlan } from "../../../../host/visor/stage/stage-plan.js";
import { metricsText } from "../../../../host/visor/status/metrics-text.js";
import { missingOf, statusLines } from "../../../../host/visor/status/status-text.js";
import { build, guest } from "../../../guest/build.js";
import { DAEMON, planText, ScriptsHome } from "../scripts-home.js";

const MAKES = "this binary can take over at the height";

/** A home of this project's chains, before the plan v2. */
class Home extends ScriptsHome {
  constructor() {
    super();
    this.write("data/chain.mdb", "");
    this.write("data/upgrade-info.json", planText("v2", 40));
    this.node("genesis", 'console.log("this binary can go on until then, not beyond: no handler")');
  }

  node(folder: string, line: string): void {
    const text = `#!${process.execPath}\nif (process.argv[2] === "pre-upgrade") { ${line}; }\n`;
    this.write(`cosmovisor/${folder}/bin/${DAEMON}`, text, 0o755);
  }
}

async function readinessOf(
  home: Home,
  machine = realMachine,
  changes: Partial<Settings> = {},
): Promise<readonly Readiness[]> {
  const { readiness } = await stagePlan(stagingOf(home, machine, changes));
  return readiness;
}

function stagingOf(home: Home, machine = realMachine, changes: Partial<Settings> = {}) {
  return {
    settings: home.settings(changes),
    plan: { name: "v2", height: 40n, info: "" },
    ...{ machine, env: {}, signal: new AbortController().signal },
    ...{ log: () => undefined, onProgress: () => undefined },
  };
}

const metric = (status: Parameters<typeof metricsText>[0]["status"]) =>
  metricsText({
    ...{ status, totals: { downloadBytes: 0, backupBytes: 0 }, lastHaltSeconds: undefined },
    ...{ diskFree: [], now: 0 },
  });

describe("a plan is ahead", () => {
  test("DAEMON_RESTART_AFTER_UPGRADE is false → not ready, with the command; where the plan needs no switch → nothing", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const found = await readinessOf(home, realMachine, { isRestartedAfterUpgrade: false });
    expect(isReady(found)).toBe(false);
    expect(found.filter(({ state }) => state === "wrong")).toEqual([
      {
        ...{ what: "sidecar", state: "wrong", next: "export DAEMON_RESTART_AFTER_UPGRADE=true" },
        detail: expect.stringContaining("so the upgrade's block is not made"),
      },
    ]);
    const other = new Home();
    other.node("genesis", `console.log("${MAKES}")`);
    const changes = { isRestartedAfterUpgrade: false };
    expect((await readinessOf(other, realMachine, changes)).filter(({ what }) => what === "sidecar")).toEqual([]);
  });

  test("its program is missing → status asks the current one once, and has what it says of itself in one row", async () => {
    const home = new Home();
    const late = { exit: null, signal: "SIGKILL", error: new Error("no end"), stdout: "", stderr: "" } as const;
    const asked: string[] = [];
    const run: Machine["processes"]["run"] = async (_, { args }) => {
      asked.push(args.join(" "));
      return late;
    };
    const machine = { ...realMachine, processes: { ...realMachine.processes, run } };
    const { readiness } = await statusFromDisk(home.settings(), machine);
    expect(asked).toEqual([`pre-upgrade --home ${home.path}`]);
    expect(readiness.filter(({ what }) => what === "pre-upgrade")).toEqual([
      expect.objectContaining({ state: "unknown", detail: expect.stringContaining("did not end within") }),
    ]);
  });

  test("its program takes over → ready, everywhere", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    expect(isReady(await readinessOf(home))).toBe(true);
    const status = await statusFromDisk(home.settings(), realMachine);
    expect([verdictOf(status), exitOf({ status })]).toEqual(["ready", 0]);
    expect(metric(status)).toContain('chain_upgrade_sidecar_ready{name="v2"} 1');
  });

  test("the plan's checksum is another program's → not ready; its own → ready; an archive's → skipped, with why", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const own = createHash("sha256")
      .update(home.read(`cosmovisor/upgrades/v2/bin/${DAEMON}`))
      .digest("hex");
    for (const [url, state, words] of [
      [`v2?checksum=sha256:${"ab".repeat(32)}`, "wrong", "another build, or not what was published"],
      [`v2?checksum=sha256:${own}`, "ready", "is the program that the plan names"],
      [`v2.tgz?checksum=sha256:${own}`, "skipped", "was not compared: the plan pins the archive"],
    ] as const) {
      const info = JSON.stringify({ binaries: { any: `https://example.com/${url}` } });
      home.write("data/upgrade-info.json", JSON.stringify({ name: "v2", height: 40, info }));
      const status = await statusFromDisk(home.settings(), realMachine);
      expect(status.readiness.find(({ what }) => what === "checksum")).toMatchObject({
        ...{ state, detail: expect.stringContaining(words) },
      });
      expect([verdictOf(status), exitOf({ status })]).toEqual(state === "wrong" ? ["not ready", 30] : ["ready", 0]);
    }
  });

  test.each(["switching", "migrating"] as const)(
    "%s → not ready, though all is in place: the block is not made",
    async (phase) => {
      const home = new Home();
      home.node("upgrades/v2", `console.log("${MAKES}")`);
      const found = await statusFromDisk(home.settings(), realMachine);
      expect(verdictOf(found)).toBe("ready");
      // A sidecar that has switched has no plan on its board.
      for (const plan of [found.plan, null]) {
        const status = { ...found, plan, phase, program: { name: "v2", file: "/v2", pid: 1 } };
        expect([verdictOf(status), exitOf({ status })]).toEqual(["not ready", 30]);
        expect(lackingOf({ status })).toMatchObject([
          { what: "program", state: "unknown", detail: expect.stringContaining("its block has not been made yet") },
        ]);
        expect(missingOf(status)).toEqual([]);
        // The alerts for what is missing before the height are not meant for a long migration.
        expect(metric(status)).not.toContain("chain_upgrade_sidecar_ready{");
      }
    },
  );

  test("no program, and an info without a download → missing, whether downloads are allowed or not", async () => {
    for (const isDownloadAllowed of [true, false]) {
      const [program] = await readinessOf(new Home(), realMachine, { isDownloadAllowed });
      expect(program).toMatchObject({
        what: "program",
        state: "missing",
        next: expect.stringContaining("add-upgrade"),
      });
      expect(program?.detail).toMatch(/is missing, .*: put the program there$/);
    }
  });

  test.each<[string, (home: Home) => void, string]>([
    [
      "another chain's program, whose pre-upgrade is unknown",
      (home) => home.node("upgrades/v2", 'console.error("Usage: simd"); process.exit(1)'),
      "Usage: simd",
    ],
    [
      "a program without the plan's handler",
      (home) => home.node("upgrades/v2", 'console.log("this binary can go on until then, not beyond: none")'),
      "not beyond",
    ],
    [
      "a copy of the program that runs",
      (home) =>
        home.write(`cosmovisor/upgrades/v2/bin/${DAEMON}`, home.read(`cosmovisor/genesis/bin/${DAEMON}`), 0o755),
      "is a copy of the program that runs now",
    ],
    ["a script that cannot be asked", (home) => home.program("upgrades/v2", "exit 0"), "cannot be asked"],
    [
      "a handler whose last rehearsal failed",
      (home) => {
        home.node("upgrades/v2", `console.log("${MAKES}")`);
        const bytes = build(guest(), { name: "v2" });
        home.write("handlers/staged/any.wasm", Buffer.from(bytes));
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        const report = { exit: 20, verdict: "would fail", message: "bank is short", handler: { kind: "wasm", sha256 } };
        home.write("data/rehearsals/v2.json", JSON.stringify(report));
      },
      "bank is short",
    ],
    [
      "a sidecar that ended by itself",
      (home) => {
        home.node("upgrades/v2", `console.log("${MAKES}")`);
        const record = { v: 1, time: "2026-01-01T00:00:00Z", exit: 1, message: "it crashed", next: [] };
        home.write("cosmovisor/failure.json", JSON.stringify(record));
      },
      "it crashed",
    ],
    [
      "a halt that no upgrade asked for",
      (home) => {
        home.node("upgrades/v2", `console.log("${MAKES}")`);
        const record = { v: 1, code: "UPG_STORE_FULL", message: "the disk is full", next: "make room", commands: [] };
        home.write("data/halt.json", JSON.stringify(record));
      },
      "the disk is full",
    ],
  ])("%s → not ready, 30, 0 in the metric, with the reason", async (_, prepare, words) => {
    const home = new Home();
    prepare(home);
    const status = await statusFromDisk(home.settings(), realMachine);
    expect([verdictOf(status), exitOf({ status })]).toEqual(["not ready", 30]);
    expect(metric(status)).toContain('chain_upgrade_sidecar_ready{name="v2"} 0');
    const shown = { status, silentSeconds: undefined, time: "" };
    expect(statusLines(shown).join("\n")).toContain(words);
  });

  test.each<[string, (home: Home) => Partial<Settings>, string]>([
    [
      "the link current leads nowhere",
      (home) => symlinkSync("upgrades/v1", home.file("cosmovisor/current")) ?? {},
      "current",
    ],
    ["the operator's script is missing", () => ({ customPreUpgrade: "before.sh" }), "script"],
  ])("%s → not ready", async (_, prepare, what) => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const readiness = await readinessOf(home, realMachine, prepare(home));
    expect(readiness.filter(({ state }) => state !== "ready").map((each) => each.what)).toEqual([what]);
  });

  test("data from before an upgrade under its program → the doctor's and preflight's finding, with the link to go back", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    home.write("cosmovisor/upgrades/v2/upgrade-info.json", planText("v2", 40));
    symlinkSync("upgrades/v2", home.file("cosmovisor/current"));
    const found = (reached: bigint | undefined) => earlyProblem(realMachine.files, home.settings(), reached);
    expect(found(10n)).toMatchObject({ what: "current", next: expect.stringMatching(/^ln -sfn genesis /) });
    symlinkSync("genesis", home.file("cosmovisor/previous"));
    expect(found(10n)).toMatchObject({ next: expect.stringMatching(/^chainvisor .* rollback --program-only$/) });
    expect([found(39n), found(40n), found(undefined)]).toEqual([undefined, undefined, undefined]);
    // The link was read first, and led to genesis: the sidecar has switched since then.
    expect(earlyProblem(realMachine.files, home.settings(), 10n, undefined, null)).toBeUndefined();
  });

  test("a restart delay of an hour → ready, with a warning that has the time", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const readiness = await readinessOf(home, realMachine, { restartDelay: 3_600_000 });
    expect(isReady(readiness)).toBe(true);
    const detail = expect.stringContaining("DAEMON_RESTART_DELAY is 3600 s");
    expect(readiness.filter(({ what }) => what === "plan")).toMatchObject([{ state: "skipped", detail }]);
  });

  test("a damaged record of returned heights → status is not ready, with the file", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const file = home.write("cosmovisor/returned.json", "junk");
    const status = await statusFromDisk(home.settings(), realMachine);
    expect([verdictOf(status), status.message]).toEqual([
      "not ready",
      expect.stringContaining(`${file} is no list of`),
    ]);
  });

  test("current linked by hand to the chain's plan before its height → wrong, with the link back; at the height → nothing", async () => {
    const home = new Home();
    for (const name of ["v1", "v2", "v9"]) home.node(`upgrades/${name}`, `console.log("${MAKES}")`);
    symlinkSync("upgrades/v2", home.file("cosmovisor/current"));
    const found = (reached: bigint, name = "v2") =>
      earlyProblem(realMachine.files, home.settings(), reached, { name, height: 40n });
    expect(found(10n)).toMatchObject({ what: "current", next: expect.stringMatching(/^ln -sfn genesis /) });
    // A switch before, which the data has passed; another, which it has not.
    home.write("cosmovisor/upgrades/v1/upgrade-info.json", planText("v1", 9));
    home.write("cosmovisor/upgrades/v9/upgrade-info.json", planText("v9", 90));
    symlinkSync("genesis", home.file("cosmovisor/previous"));
    expect(found(10n, "V2")).toMatchObject({ next: expect.stringMatching(/^ln -sfn upgrades\/v1 /) });
    expect([found(39n), found(40n), found(10n, "v3")]).toEqual([undefined, undefined, undefined]);
    const { readiness } = await stagePlan({ ...stagingOf(home), last: 10n });
    expect(readiness.filter(isLacking)).toMatchObject([{ what: "current", state: "wrong" }]);
    expect((await stagePlan({ ...stagingOf(home), last: 39n })).readiness.filter(isLacking)).toEqual([]);
  });

  test("a sidecar that runs and does not respond → 30, and lacking in every command", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const lock = HomeLock.acquire(home.file("cosmovisor/chainvisor.lock"));
    try {
      const found = await statusOf(home.settings(), realMachine);
      expect([found.silentPid, exitOf(found)]).toEqual([String(process.pid), 30]);
      expect(lackingOf(found)[0]).toMatchObject({
        what: "sidecar",
        detail: expect.stringContaining("does not respond"),
      });
    } finally {
      lock.release();
    }
  });

  test("less than the reserve is free → not ready, with the disk", async () => {
    const home = new Home();
    home.node("upgrades/v2", `console.log("${MAKES}")`);
    const files = { ...realMachine.files, freeBytes: () => 12_000_000 };
    const readiness = await readinessOf(home, { ...realMachine, files });
    expect(readiness).toContainEqual(expect.objectContaining({ what: "disk", state: "missing" }));
    expect(isReady(readiness)).toBe(false);
  });

  test("what is not known, and nothing at all → not ready", () => {
    const unknown: Readiness = { what: "program", state: "unknown", detail: "", next: null };
    expect([isReady([]), isReady([unknown]), isReady([{ ...unknown, state: "skipped" }])]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
