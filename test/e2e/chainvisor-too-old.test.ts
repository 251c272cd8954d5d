/** The linked program is too old for the state, and no plan is ahead: every command names the program that leads out, and no circle. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { shellWord } from "../../host/base/text/shell-word.js";
import { build, guest } from "../guest/build.js";
import { chainvisorHere } from "../in-process.js";
import { DIST, NO_SERVERS, TestHome } from "./chaind.js";
import { BLOCK_TIME } from "./prepared-home.js";

vi.setConfig({ testTimeout: 240_000 });

const OLD = "export CHAIND_APP_VERSION=1\n";
const FAST = [...NO_SERVERS, "--logical-clock", "--block-time", BLOCK_TIME, "--max-blocks", "2"];

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
  expect((await home.startHere("--app-version", "1")).exit).toBe(10);
  expect((await home.startHere("--max-blocks", "3")).exit).toBe(0);
  place(join(home.path, "cosmovisor/genesis/bin/chaind"), OLD);
  return home;
}

/** The sidecar has switched to v2 at height 6, and the plan file is of another plan since. */
async function switched(): Promise<TestHome> {
  const home = await beyond();
  place(join(home.path, "cosmovisor/upgrades/v2/bin/chaind"), "");
  const plan = { name: "v2", time: "0001-01-01T00:00:00Z", height: 6, info: "" };
  writeFileSync(join(home.path, "cosmovisor/upgrades/v2/upgrade-info.json"), JSON.stringify(plan));
  writeFileSync(home.data("upgrade-info.json"), JSON.stringify({ ...plan, name: "v3", height: 8 }));
  return link(home, "upgrades/v2", "genesis");
}

function link(home: TestHome, current: string, previous?: string): TestHome {
  symlinkSync(current, join(home.path, "cosmovisor/current"));
  if (previous !== undefined) symlinkSync(previous, join(home.path, "cosmovisor/previous"));
  return home;
}

const currentOf = (home: TestHome) => readlinkSync(join(home.path, "cosmovisor/current"));

const environment = (home: TestHome) => ({
  ...{ DAEMON_NAME: "chaind", DAEMON_HOME: home.path, CHAINVISOR_STATUS_ADDRESS: "" },
  CHAINVISOR_RPC_ADDRESS: "http://127.0.0.1:1",
});

async function visor(home: TestHome, ...args: readonly string[]) {
  const { status, stdout, stderr } = await chainvisorHere(args, { env: environment(home) });
  return { status, stderr, json: stdout.startsWith("{") ? JSON.parse(stdout) : undefined };
}

/** `chainvisor run start`, in a process of its own. */
function visorRun(home: TestHome) {
  const options = { env: { ...process.env, ...environment(home) }, encoding: "utf8" } as const;
  return spawnSync(process.execPath, [join(DIST, "chainvisor.js"), "run", "start", ...FAST], options);
}

const wrongIn = async (home: TestHome) =>
  (await visor(home, "doctor", "-o", "json")).json.findings.filter(({ level }: { level: string }) => level === "wrong");
const nextOf = async (home: TestHome): Promise<string[]> => (await visor(home, "status", "-o", "json")).json.next;

test.each([
  ["no program for the plan", undefined, 12, / add-upgrade v2 PROGRAM$/],
  ["the plan's program is as old", `${OLD}export COPY=1\n`, 30, / add-upgrade v2 PROGRAM --force$/],
])(
  "%s → doctor: program wrong; status and both records name add-upgrade and no start alone; it leads out",
  async (_, found, exit, way) => {
    const home = await beyond();
    if (found) place(join(home.path, "cosmovisor/upgrades/v2/bin/chaind"), found);
    expect(await wrongIn(home)).toEqual([
      expect.objectContaining({
        what: "program",
        detail: expect.stringContaining("cannot run the state of this home: "),
        next: expect.stringMatching(way),
      }),
    ]);
    const run = visorRun(home);
    // 30: the `pre-upgrade` of the program that it goes forward to refuses.
    expect(run.status, run.stderr).toBe(exit);
    expect(home.haltRecord).toMatchObject({ code: "UPG_HALT_HANDLER_MISSING", commands: [] });
    const { next } = JSON.parse(readFileSync(join(home.path, "cosmovisor/failure.json"), "utf8"));
    const wayNow = / add-upgrade v2 PROGRAM( --force)?$/;
    const ways = [expect.stringMatching(wayNow), expect.stringMatching(/ run start /)];
    // After a refused switch it is `status` that finds what the plan lacks.
    expect(next).toEqual(exit === 12 ? ways : []);
    expect(await nextOf(home)).toEqual(ways);
    const program = place(join(home.path, "new/chaind"), "");
    expect((await visor(home, "add-upgrade", "v2", program, "--force")).status).toBe(0);
    expect([await wrongIn(home), await nextOf(home)]).toEqual([[], [expect.stringMatching(/ run start /)]]);
    const again = visorRun(home);
    expect(again.status, again.stderr).toBe(0);
    expect(currentOf(home)).toBe("upgrades/v2");
  },
);

test("rollback --program-only to a program that is too old for the state → 30, no link changes; after the blocks are taken back it links", async () => {
  const home = await switched();
  const refused = await visor(home, "rollback", "--program-only");
  expect(refused.status, refused.stderr).toBe(30);
  expect(refused.stderr).toMatch(/genesis\/bin\/chaind cannot run the state of .* upgrade handler is missing for v2/);
  const way = `${shellWord(join(home.path, "cosmovisor/upgrades/v2/bin/chaind"))} rollback --to 5 --home ${shellWord(home.path)}`;
  expect(refused.stderr).toContain(way);
  expect([currentOf(home), readlinkSync(join(home.path, "cosmovisor/previous"))]).toEqual(["upgrades/v2", "genesis"]);
  const back = spawnSync("sh", ["-c", `${way} --yes`], { encoding: "utf8" });
  expect(back.status, back.stderr).toBe(0);
  const done = await visor(home, "rollback", "--program-only");
  expect(done.status, done.stderr).toBe(0);
  expect(currentOf(home)).toBe("genesis");
});

/** After the switch, linked to the program from before it again. */
async function linkedTooOld() {
  const home = await switched();
  rmSync(join(home.path, "cosmovisor/current"));
  link(home, "genesis");
  return home;
}

test("linked to a program that is too old, with the program of the last upgrade in its folder → the next start links that one", async () => {
  const home = await linkedTooOld();
  expect([await wrongIn(home), await nextOf(home)]).toEqual([[], [expect.stringMatching(/ run start$/)]]);
  const run = visorRun(home);
  expect(run.status, run.stderr).toBe(0);
  expect(currentOf(home)).toBe("upgrades/v2");
  // The upgrade is made: a backup now would be one of later blocks, for a program that is too old for them.
  expect(readdirSync(home.path).filter((name) => name.startsWith("data-backup"))).toEqual([]);
});

test("the same without that program and its plan file → add-upgrade, then the start, as status says", async () => {
  const home = await switched();
  rmSync(join(home.path, "cosmovisor"), { recursive: true });
  place(join(home.path, "cosmovisor/genesis/bin/chaind"), OLD);
  expect(visorRun(home).status).toBe(12);
  const ways = [expect.stringMatching(/ add-upgrade v2 PROGRAM$/), expect.stringMatching(/ run start /)];
  expect(await nextOf(home)).toEqual(ways);
  expect((await visor(home, "add-upgrade", "v2", place(join(home.path, "new/chaind"), ""))).status).toBe(0);
  const run = visorRun(home);
  expect(run.status, run.stderr).toBe(0);
  expect(currentOf(home)).toBe("upgrades/v2");
});

test("the same with a plan ahead → doctor and status name the start, which links the program, and no pre-upgrade of the old one", async () => {
  const home = await linkedTooOld();
  home.schedule({ name: "v3", height: 100n }, 12n, 2n);
  const [wrong, next] = [await wrongIn(home), await nextOf(home)];
  expect(wrong).toContainEqual(
    expect.objectContaining({ what: "program", next: expect.stringMatching(/ run start$/) }),
  );
  expect(JSON.stringify([wrong, next])).not.toContain("genesis/bin/chaind pre-upgrade");
  expect(next).toEqual([expect.stringMatching(/ run start$/)]);
});

test("the staged handler of a plan ahead does not fit → status names pre-upgrade and the handler's problem, not the program; --program-only links", async () => {
  const home = new TestHome().schedule({ name: "v3", height: 100n }, 3n, 2n);
  for (const folder of ["genesis", "upgrades/v2"]) place(join(home.path, "cosmovisor", folder, "bin/chaind"), "");
  link(home, "upgrades/v2", "genesis");
  mkdirSync(join(home.path, "handlers/staged"), { recursive: true });
  const wasm = build(guest(), { name: "v3", storeUpgrades: { added: ["gov"] } });
  writeFileSync(join(home.path, "handlers/staged/v3.wasm"), wasm);
  const { readiness } = (await visor(home, "status", "-o", "json")).json;
  expect(JSON.stringify(readiness)).not.toContain("cannot run the state of this home");
  expect(readiness).toContainEqual(
    expect.objectContaining({
      ...{ what: "pre-upgrade", state: "wrong" },
      detail: expect.stringMatching(
        /: the upgrade cannot be made there: the stores do not fit: .*UPG_STORE_UPGRADE\]$/,
      ),
    }),
  );
  const back = await visor(home, "rollback", "--program-only");
  expect(back.status, back.stderr).toBe(0);
});
