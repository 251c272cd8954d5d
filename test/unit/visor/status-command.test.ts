/** `chainvisor status` beside a sidecar that runs, and without one. */
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { VisorStatus } from "../../../host/visor/decide/status.js";
import { realMachine } from "../../../host/visor/run/real-machine.js";
import { statusCommand } from "../../../host/visor/run/without-sidecar/command.js";
import { statusOf } from "../../../host/visor/run/without-sidecar/status-of.js";
import { plan, useStatusHome } from "./status-home.js";

const bed = useStatusHome();
const { settingsOf } = bed;

describe("statusCommand()", () => {
  const run = async (change: { isWatching?: boolean } = {}) => {
    const written: VisorStatus[] = [];
    const texts: string[] = [];
    const print = (status: VisorStatus, text: string) => {
      written.push(status);
      texts.push(text);
    };
    const { signal } = new AbortController();
    const options = { settings: settingsOf(), machine: realMachine, isWatching: false, signal, print };
    return { exit: await statusCommand({ ...options, ...change }), written, texts };
  };

  it("a sidecar runs → its status, 0; failed → 30", async () => {
    bed.board.update({ phase: "running" });
    const { exit, written } = await run();
    expect([exit, written]).toMatchObject([0, [{ phase: "running" }]]);
    bed.board.update({ phase: "failed", message: "it crashed" });
    expect(await run()).toMatchObject({ exit: 30, texts: [expect.stringMatching(/it crashed/)] });
  });

  it("the plan's program is tried → status, and what doctor and preflight ask, wait for the result", async () => {
    const row = { what: "program", next: null } as const;
    bed.board.update({ phase: "waiting", plan, readiness: [{ ...row, state: "unknown", detail: "not tried yet" }] });
    const asked = Promise.all([run(), statusOf(settingsOf(), realMachine)]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    bed.board.update({ phase: "ready", readiness: [{ ...row, state: "ready", detail: "it runs" }] });
    const [{ exit, written }, { status }] = await asked;
    expect([exit, written.map(({ phase }) => phase), status.phase]).toEqual([0, ["ready"], "ready"]);
  });

  it("--watch → each change is written, and the end of the sidecar ends it with 3", async () => {
    const watching = run({ isWatching: true });
    for (const phase of ["running", "halted"] as const) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      bed.board.update({ phase });
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    await bed.server.close();
    const { exit, written } = await watching;
    expect(exit).toBe(3);
    expect(new Set(written.map(({ phase }) => phase))).toEqual(new Set(["starting", "running", "halted"]));
  });

  it("none runs → what is on disk, 3: no program; then one, with a plan whose program is missing, 30; nothing is written", async () => {
    await bed.server.close();
    expect(await run()).toMatchObject({ exit: 3 });
    const bin = join(bed.home, "cosmovisor/genesis/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "chaind"), "#!/bin/sh\n");
    chmodSync(join(bin, "chaind"), 0o644);
    writeFileSync(join(bed.home, "data/upgrade-info.json"), '{"name":"v2","height":1000}');
    const { exit, written } = await run();
    expect(exit).toBe(30);
    expect(written[0]).toMatchObject({
      program: { name: "genesis", pid: null },
      plan: { name: "v2", height: "1000" },
      readiness: [
        { what: "program", state: "missing", next: expect.stringContaining("add-upgrade v2 PROGRAM") },
        { what: "current", state: "wrong", detail: expect.stringContaining("may not be executed") },
        { what: "backup", state: "ready" },
      ],
    });
    expect(existsSync(join(bed.home, "cosmovisor/current"))).toBe(false);
    expect(statSync(join(bin, "chaind")).mode & 0o777).toBe(0o644);
  });
});
