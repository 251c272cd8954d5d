/** A plan that a handler file, or the program that runs, can make needs no program; what is said where one of the two is missing. */
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isReady } from "../../../../host/visor/decide/readiness.js";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import type { Settings } from "../../../../host/visor/decide/settings.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { examine } from "../../../../host/visor/stage/doctor/doctor.js";
import { stagePlan } from "../../../../host/visor/stage/stage-plan.js";
import { build, guest } from "../../../guest/build.js";
import { DAEMON, type ScriptsHome } from "../scripts-home.js";
import { HANDLER, ourHome, PINNED, SHA256, sha256 } from "./handler-home.js";

const OTHER = Buffer.from(build(guest(), { name: "v3", gasLimit: "5000" }));

async function readinessOf(home: ScriptsHome, info: string, changes: Partial<Settings> = {}) {
  const { readiness } = await stagePlan({
    settings: home.settings(changes),
    plan: { name: "v3", height: 40n, info },
    ...{ machine: realMachine, env: {}, signal: new AbortController().signal },
    ...{ log: () => undefined, onProgress: () => undefined },
  });
  return readiness;
}

/** A Node program, as those of this project are installed. */
const nodeProgram = (home: ScriptsHome, words: string, folder = "current") =>
  home.write(
    `cosmovisor/${folder}/bin/${DAEMON}`,
    `#!${process.execPath}\nif (process.argv[2] === "pre-upgrade") console.log(${JSON.stringify(words)});\n`,
    0o755,
  );

const MAKES =
  'the plan "v3" is due at height 40, and the next block is 9: this binary can go on, and apply the upgrade at the height';
const MAKES_NOT =
  'the plan "v3" is due at height 40, and the next block is 9: this binary can go on until then, not beyond: no handler';

describe("a plan that pins nothing, in a home of this project's chains", () => {
  test.each(["v3.wasm", "any.wasm"])(
    "its handler is staged as %s → ready for stagePlan(), doctor and status",
    async (name) => {
      const home = ourHome();
      home.write("data/upgrade-info.json", JSON.stringify({ name: "v3", height: 40, info: "" }));
      const file = home.write(`handlers/staged/${name}`, HANDLER);
      const detail = `${file}, sha256 ${SHA256}, is staged for the plan, which pins none: no other program is needed`;
      expect((await readinessOf(home, ""))[0]).toMatchObject({ what: "program", state: "ready", detail });
      const read = readSettings({ DAEMON_HOME: home.path, DAEMON_NAME: DAEMON }, undefined);
      const found = examine({
        files: realMachine.files,
        read,
        platform: process.platform,
        arch: process.arch,
        units: [],
      });
      expect(found.find(({ what }) => what === "plan v3")).toMatchObject({
        level: "ok",
        detail: expect.stringContaining(detail),
      });
    },
  );

  test("a staged file is for another plan, or is no handler, whatever it is called → missing", async () => {
    const home = ourHome();
    for (const bytes of [build(guest(), { name: "v4" }), HANDLER.subarray(0, HANDLER.length >> 1)]) {
      home.write("handlers/staged/v3.wasm", Buffer.from(bytes));
      expect(await readinessOf(home, "")).toMatchObject([{ what: "program", state: "missing" }]);
    }
  });

  test("two different files are staged for it → stagePlan() and doctor name both and the folder; the same file twice → ready", async () => {
    const home = ourHome();
    nodeProgram(home, MAKES_NOT, "genesis");
    home.write("data/upgrade-info.json", JSON.stringify({ name: "v3", height: 40, info: "" }));
    const [a, b] = [home.write("handlers/staged/a.wasm", HANDLER), home.write("handlers/staged/b.wasm", OTHER)];
    const both = `two handlers for the plan "v3": ${a} (sha256 ${SHA256}) and ${b} (sha256 ${sha256(OTHER)})`;
    const next = `rm ${home.file("handlers/staged")}/FILE.wasm`;
    expect(await readinessOf(home, "")).toMatchObject([
      { what: "program", state: "missing", detail: expect.stringContaining(both), next },
    ]);
    expect(doctor(home)).toMatchObject([
      { level: "wrong", what: "plan v3", detail: expect.stringContaining(both), next },
    ]);
    home.write("handlers/staged/b.wasm", HANDLER);
    expect((await readinessOf(home, ""))[0]).toMatchObject({ what: "program", state: "ready" });
  });
});

describe("stagePlan() after a rehearsal that failed", () => {
  const WAYS = [
    ["pinned", PINNED, "handlers/staged/any.wasm"],
    ["unpinned", "", "handlers/staged/v3.wasm"],
    ["unpinned, under another name", "", "handlers/staged/any.wasm"],
    ["pinned, not staged", PINNED, "handlers/any.wasm"],
    ["unpinned, not staged", "", "handlers/any.wasm"],
  ] as const;

  /** As `upgrade rehearse` keeps it. */
  const report = (home: ScriptsHome, file: string, bytes: Uint8Array) =>
    home.write(
      "data/rehearsals/v3.json",
      JSON.stringify({
        ...{ exit: 20, verdict: "would fail", message: "no", home: home.path },
        handler: { kind: "wasm", sha256: sha256(bytes), file },
      }),
    );

  test.each(WAYS)("of the handler of the home (%s) → wrong; of another file → nothing", async (_, info, place) => {
    const home = ourHome();
    nodeProgram(home, MAKES, "genesis");
    const file = home.write(place, HANDLER);
    report(home, file, HANDLER);
    const failed = { what: "rehearsal", state: "wrong", detail: expect.stringContaining("would fail: no") };
    expect(await readinessOf(home, info)).toContainEqual(expect.objectContaining(failed));
    report(home, file, OTHER);
    expect((await readinessOf(home, info)).map(({ what }) => what)).not.toContain("rehearsal");
  });

  test("of a handler that the program brings → wrong; of a file that is staged no more → nothing", async () => {
    const home = ourHome();
    nodeProgram(home, MAKES);
    const own = "/opt/chaind/handlers/v3.wasm";
    report(home, own, HANDLER);
    expect((await readinessOf(home, "")).map(({ what }) => what)).toContain("rehearsal");
    report(home, home.file("handlers/staged/any.wasm"), HANDLER);
    expect((await readinessOf(home, "")).map(({ what }) => what)).not.toContain("rehearsal");
  });
});

describe("stagePlan() of a plan that pins a handler, in a home of this project's chains", () => {
  test.each([false, true])(
    "the file is staged → ready without a program (downloads allowed: %s)",
    async (isDownloadAllowed) => {
      const home = ourHome();
      nodeProgram(home, MAKES, "genesis");
      const file = home.write("handlers/staged/any.wasm", HANDLER);
      const readiness = await readinessOf(home, PINNED, { isDownloadAllowed });
      expect(readiness).toMatchObject([
        {
          what: "program",
          state: "ready",
          detail: `${file} is the handler that the plan pins: no other program is needed`,
        },
        { what: "pre-upgrade", state: "ready" },
        { what: "handler", state: "ready" },
      ]);
    },
  );

  test("the file is staged, and the program says that its block would refuse it → wrong; a script that cannot be asked → unknown", async () => {
    const home = ourHome();
    home.write("handlers/staged/any.wasm", HANDLER);
    expect(isReady(await readinessOf(home, PINNED))).toBe(false);
    nodeProgram(home, MAKES_NOT, "genesis");
    const readiness = await readinessOf(home, PINNED);
    expect(readiness).toContainEqual(expect.objectContaining({ what: "pre-upgrade", state: "wrong" }));
  });

  test.each([false, true])(
    "nothing is there → one thing is missing, with its command (downloads allowed: %s)",
    async (isDownloadAllowed) => {
      const home = ourHome();
      const readiness = await readinessOf(home, PINNED, { isDownloadAllowed });
      expect(readiness).toMatchObject([
        {
          what: "program",
          state: "skipped",
          detail: expect.stringContaining("the handler that the plan pins, sha256"),
        },
        {
          what: "handler",
          state: "missing",
          next: `mkdir -p ${home.file("handlers/staged")} && cp HANDLER.wasm ${home.file("handlers/staged")}/`,
        },
      ]);
    },
  );

  test("a home of another chain → the program is missing as ever", async () => {
    const home = ourHome();
    rmSync(home.file("data/chain.mdb"));
    home.write("handlers/staged/any.wasm", HANDLER);
    expect((await readinessOf(home, PINNED))[0]).toMatchObject({ what: "program", state: "missing" });
  });
});

describe("stagePlan() and the program that runs", () => {
  test("it says that it can apply the upgrade → ready; that it cannot → missing, with the one command", async () => {
    const home = ourHome();
    nodeProgram(home, MAKES);
    const [ready] = await readinessOf(home, "");
    expect(ready).toMatchObject({
      what: "program",
      state: "ready",
      detail: expect.stringContaining("no other program is needed"),
    });
    nodeProgram(home, MAKES_NOT);
    const [missing] = await readinessOf(home, "");
    expect(missing).toMatchObject({
      state: "missing",
      next: `chainvisor --home ${home.path} --name ${DAEMON} add-upgrade v3 PROGRAM`,
    });
  });

  test("a shell's script → never asked", async () => {
    const home = ourHome();
    home.program("current", 'echo asked >> "$OUT"');
    expect((await readinessOf(home, ""))[0]).toMatchObject({ state: "missing" });
    expect(home.out).toBe("");
  });
});

/** What the doctor says of plans. */
function doctor(home: ScriptsHome, found: Pick<Parameters<typeof examine>[0], "sidecar" | "scheduled"> = {}) {
  const read = readSettings({ DAEMON_HOME: home.path, DAEMON_NAME: DAEMON }, undefined);
  const { files } = realMachine;
  const findings = examine({ files, read, platform: "linux", arch: "x64", units: [], ...found });
  return findings.filter(({ what }) => what.startsWith("plan"));
}

describe("examine()", () => {
  test("a plan that pins a handler → wrong with the command that stages it; staged → ok", () => {
    const home = ourHome();
    home.write("data/upgrade-info.json", JSON.stringify({ name: "v3", height: 40, info: PINNED }));
    const folder = home.file("handlers/staged");
    expect(doctor(home)).toMatchObject([
      { level: "wrong", what: "plan v3", next: `mkdir -p ${folder} && cp HANDLER.wasm ${folder}/` },
    ]);
    home.write("handlers/staged/v3.wasm", HANDLER);
    expect(doctor(home)).toMatchObject([
      { level: "ok", detail: expect.stringContaining("no other program is needed") },
    ]);
  });

  test("no plan in the files → says that only the node knows; a sidecar's plan → looked at; what it found ready → ok", () => {
    const home = ourHome();
    expect(doctor(home)[0]?.detail).toContain("what the chain has scheduled only the node knows");
    expect(doctor(home, { sidecar: {} })[0]?.detail).toBe(
      "no upgrade is ahead, by the files and by the sidecar that runs",
    );
    const plan = { name: "v3", height: 40n, info: "" };
    const scheduled = { plan, origin: "chain" as const, readiness: [] };
    expect(doctor(home, { scheduled })).toMatchObject([{ level: "wrong", what: "plan v3" }]);
    const readiness = [{ what: "program", state: "ready", detail: "it has it", next: null }] as const;
    expect(doctor(home, { scheduled: { ...scheduled, readiness } })).toMatchObject([
      { level: "ok", detail: "at height 40: it has it" },
    ]);
  });
});
