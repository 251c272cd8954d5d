/** The linked program is too old for the state, and no plan is ahead: every command names the program that leads out, and no circle. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { shellWord } from "../../host/shell-word.js";
import { DIST, NO_DOORS, TestHome } from "./chaind.js";
import { BLOCK_TIME } from "./prepared-home.js";

vi.setConfig({ testTimeout: 240_000 });

const OLD = "export CHAIND_APP_VERSION=1\n";
const FAST = [...NO_DOORS, "--logical-clock", "--block-time", BLOCK_TIME, "--max-blocks", "2"];

function place(file: string, environment: string): string {
  mkdirSync(dirname(file), { recursive: true });
  const chaind = shellWord(join(DIST, "chaind.js"));
  writeFileSync(file, `#!/bin/sh\n${environment}exec ${shellWord(process.execPath)} ${chaind} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Both versions ran by hand, the new one beyond the height; `current` is of the old one. */
async function beyond(): Promise<TestHome> {
  const home = new TestHome().schedule({ name: "v2", height: 6n }, 3n);
  expect((await home.start("--app-version", "1").end).exit).toBe(10);
  expect((await home.start("--max-blocks", "3").end).exit).toBe(0);
  place(join(home.path, "cosmovisor/genesis/bin/chaind"), OLD);
  return home;
}

function visor(home: TestHome, ...args: readonly string[]) {
  const env = { ...process.env, DAEMON_NAME: "chaind", DAEMON_HOME: home.path, CHAINVISOR_STATUS_ADDRESS: "" };
  const options = { env: { ...env, CHAINVISOR_RPC_ADDRESS: "http://127.0.0.1:1" }, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(DIST, "chainvisor.js"), ...args], options);
  return { status, stderr, json: stdout.startsWith("{") ? JSON.parse(stdout) : undefined };
}

const wrongIn = (home: TestHome) =>
  visor(home, "doctor", "-o", "json").json.findings.filter(({ level }: { level: string }) => level === "wrong");
const nextOf = (home: TestHome): string[] => visor(home, "status", "-o", "json").json.next;

test.each([
  ["no program for the plan", undefined, 12, / add-upgrade v2 <program>$/],
  ["the plan's program is as old", `${OLD}export COPY=1\n`, 30, / add-upgrade v2 <program> --force$/],
])(
  "%s → doctor: program wrong; status and both records name add-upgrade and no start alone; it leads out",
  async (_, found, exit, way) => {
    const home = await beyond();
    if (found) place(join(home.path, "cosmovisor/upgrades/v2/bin/chaind"), found);
    expect(wrongIn(home)).toEqual([
      expect.objectContaining({
        what: "program",
        detail: expect.stringContaining("cannot run the state of this home: "),
        next: expect.stringMatching(way),
      }),
    ]);
    const run = visor(home, "run", "start", ...FAST);
    // 30: the `pre-upgrade` of the program that it goes forward to refuses.
    expect(run.status, run.stderr).toBe(exit);
    expect(home.haltRecord).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING", commands: [] });
    const { next } = JSON.parse(readFileSync(join(home.path, "cosmovisor/failure.json"), "utf8"));
    const wayNow = / add-upgrade v2 <program>( --force)?$/;
    const ways = [expect.stringMatching(wayNow), expect.stringMatching(/ run start /)];
    // After a refused switch it is `status` that finds what the plan lacks.
    expect(next).toEqual(exit === 12 ? ways : []);
    expect(nextOf(home)).toEqual(ways);
    const program = place(join(home.path, "new/chaind"), "");
    expect(visor(home, "add-upgrade", "v2", program, "--force").status).toBe(0);
    expect([wrongIn(home), nextOf(home)]).toEqual([[], [expect.stringMatching(/ run start /)]]);
    const again = visor(home, "run", "start", ...FAST);
    expect(again.status, again.stderr).toBe(0);
    expect(readlinkSync(join(home.path, "cosmovisor/current"))).toBe("upgrades/v2");
  },
);
