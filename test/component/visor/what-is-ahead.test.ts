/** Every command reports the same upgrade as the next one, and agrees on whether the node is ready for it. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";

import { TestHome } from "../../e2e/chaind.js";
import { chaindHere } from "../../in-process.js";
import { program, visor } from "./state-home.js";

afterEach(() => void vi.unstubAllEnvs());

const TAKES_OVER = "this binary can take over at the height";
const GOES_ON = "this binary can go on until then, not beyond: no handler";

/** `null`: no upgrade is ahead. */
type Ahead = { readonly plan: string; readonly isReady: boolean } | null;

interface PlanJson {
  readonly name: string;
  readonly height: string;
}

const nameOf = (plan: PlanJson) => `${plan.name} at ${plan.height}`;

/** What each command reports of the next upgrade. */
async function said(home: TestHome): Promise<Record<string, Ahead>> {
  const [status, plan, doctor, prepare] = [
    await visor(home, "status"),
    await visor(home, "plan"),
    await visor(home, "doctor"),
    await visor(home, "prepare"),
  ];
  const aheadOf = (found: PlanJson | null | undefined, { status: exit }: { status: number }): Ahead =>
    found ? { plan: nameOf(found), isReady: exit !== 30 } : null;
  const first = plan.json.plans[0];
  const findings: readonly { what: string; detail: string }[] = doctor.json.findings;
  const row = findings.find(({ what, detail }) => /^plan ./.test(what) && detail.startsWith("at height "));
  const ofDoctor = row && { name: row.what.slice(5), height: /\d+/.exec(row.detail)?.[0] ?? "" };
  expect([0, 3, 30], status.stderr).toContain(status.status);
  expect([0, 30], prepare.stderr).toContain(prepare.status);
  expect(first?.is_ready ?? true).toBe(plan.status !== 30);
  return {
    status: aheadOf(status.json.plan, status),
    plan: aheadOf(first, plan),
    doctor: aheadOf(ofDoctor, doctor),
    prepare: aheadOf(prepare.json.plan, prepare),
  };
}

const all = (ahead: Ahead) => ({ status: ahead, plan: ahead, doctor: ahead, prepare: ahead });

/** The plan of the chain, which `upgrade preflight` alone looks at; undefined: it exits with 3. */
async function preflightPlan(home: TestHome): Promise<string | undefined> {
  const args = ["upgrade", "preflight", "--home", home.path, "-o", "json"];
  const { status, stdout } = await chaindHere(args, { env: { DAEMON_NAME: "dummyd", UNSAFE_SKIP_BACKUP: "true" } });
  return status === 3 ? undefined : nameOf(JSON.parse(stdout).plan);
}

function write(home: TestHome, file: string, content: object): void {
  const path = join(home.path, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
}

const queue = (home: TestHome, ...plans: readonly { name: string; height: number }[]) =>
  write(home, "cosmovisor/queue.json", { v: 1, plans });

/** Last block 3, no plan. */
async function plainHome(): Promise<TestHome> {
  const home = new TestHome();
  expect((await home.startHere("--max-blocks", "3")).exit).toBe(0);
  program(home, "genesis", GOES_ON);
  return home;
}

/** Last block 3, "v2" scheduled for 40. */
function scheduledHome(): TestHome {
  const home = new TestHome().schedule({ name: "v2", height: 40n }, 3n);
  program(home, "genesis", GOES_ON);
  return home;
}

/** "v5" was due at 4, nobody had it, and the node skipped it: `upgrade-info.json` still names it. */
async function skippedHome(): Promise<TestHome> {
  const home = new TestHome().schedule({ name: "v5", height: 4n }, 3n);
  expect((await home.startHere()).exit).toBe(10);
  expect((await home.startHere("--unsafe-skip-upgrades", "4", "--max-blocks", "2")).exit).toBe(0);
  program(home, "genesis", GOES_ON);
  return home;
}

/** Of another project: only files say something. */
function otherHome(): TestHome {
  const home = new TestHome();
  program(home, "genesis", "");
  return home;
}

describe("on a home whose node is stopped", () => {
  test("a plan that was skipped, in upgrade-info.json still → none is ahead", async () => {
    const home = await skippedHome();
    expect(await said(home)).toEqual(all(null));
    expect(await preflightPlan(home)).toBe(undefined);
    expect((await visor(home, "prepare")).stderr).not.toContain("UPG_");
  });

  test("no plan → none is ahead; a queued height below the last block → that one, which is due", async () => {
    const home = await plainHome();
    expect(await said(home)).toEqual(all(null));
    queue(home, { name: "v0.9", height: 2 });
    expect(await said(home)).toEqual(all({ plan: "v0.9 at 2", isReady: false }));
  });

  test("a plan in the state → not ready without its program, with the command; ready with it", async () => {
    const home = scheduledHome();
    expect(await said(home)).toEqual(all({ plan: "v2 at 40", isReady: false }));
    expect(await preflightPlan(home)).toBe("v2 at 40");
    expect((await visor(home, "status")).json).toMatchObject({ phase: "stopped", plan: { origin: "chain" } });
    for (const command of ["status", "plan", "doctor", "prepare"])
      expect(JSON.stringify((await visor(home, command)).json), command).toContain("add-upgrade v2");
    program(home, "upgrades/v2", TAKES_OVER);
    expect(await said(home)).toEqual(all({ plan: "v2 at 40", isReady: true }));
  });

  test("a queued height before the chain's → that one; after it → the chain's", async () => {
    const home = scheduledHome();
    program(home, "upgrades/v2", TAKES_OVER);
    queue(home, { name: "v1.5", height: 30 });
    expect(await said(home)).toEqual(all({ plan: "v1.5 at 30", isReady: false }));
    program(home, "upgrades/v1.5", GOES_ON);
    expect(await said(home)).toEqual(all({ plan: "v1.5 at 30", isReady: true }));
    queue(home, { name: "v3", height: 50 });
    expect(await said(home)).toEqual(all({ plan: "v2 at 40", isReady: true }));
  });

  test("a queued height alone → that one", async () => {
    const home = await plainHome();
    queue(home, { name: "v1.5", height: 30 });
    expect(await said(home)).toEqual(all({ plan: "v1.5 at 30", isReady: false }));
    program(home, "upgrades/v1.5", "no upgrade is scheduled: this binary can go on");
    expect(await said(home)).toEqual(all({ plan: "v1.5 at 30", isReady: true }));
  });

  test("settings that a relay overrides → they count, unless a relay was started last", async () => {
    vi.stubEnv("DAEMON_RESTART_AFTER_UPGRADE", "false");
    const home = scheduledHome();
    program(home, "upgrades/v2", TAKES_OVER);
    expect(await said(home)).toEqual(all({ plan: "v2 at 40", isReady: false }));
    const command = `chaind relay --home ${home.path} --`;
    write(home, "cosmovisor/last-start.json", { v: 1, args: ["start"], service: null, command });
    expect(await said(home)).toEqual(all({ plan: "v2 at 40", isReady: true }));
  });

  test("at the plan's height → the plan", async () => {
    const home = new TestHome().schedule({ name: "v5", height: 4n }, 3n);
    program(home, "genesis", GOES_ON);
    expect((await home.startHere()).exit).toBe(10);
    expect(await said(home)).toEqual(all({ plan: "v5 at 4", isReady: false }));
    program(home, "upgrades/v5", TAKES_OVER);
    expect(await said(home)).toEqual(all({ plan: "v5 at 4", isReady: true }));
  });

  test("a height that the node returned at → none is ahead", async () => {
    const home = await skippedHome();
    write(home, "cosmovisor/returned.json", { v: 1, heights: ["4"] });
    expect(await said(home)).toEqual(all(null));
  });
});

describe("on another project's home, whose node is stopped", () => {
  const file = "data/upgrade-info.json";
  const v2 = { name: "v2", height: 100, info: "" };

  test("upgrade-info.json → its plan, ready with its program", async () => {
    const home = otherHome();
    write(home, file, v2);
    expect(await said(home)).toEqual(all({ plan: "v2 at 100", isReady: false }));
    program(home, "upgrades/v2", "");
    expect(await said(home)).toEqual(all({ plan: "v2 at 100", isReady: true }));
  });

  test("a plan that was applied → none is ahead", async () => {
    const home = otherHome();
    write(home, file, v2);
    program(home, "upgrades/v2", "");
    write(home, "cosmovisor/upgrades/v2/upgrade-info.json", v2);
    symlinkSync("upgrades/v2", join(home.path, "cosmovisor/current"));
    expect(await said(home)).toEqual(all(null));
  });

  test("a plan whose height the node passed without it, or returned at → none is ahead", async () => {
    const home = otherHome();
    write(home, file, v2);
    write(home, "cosmovisor/passed.json", { v: 1, plans: [{ name: "v2", height: "100" }] });
    expect(await said(home)).toEqual(all(null));
    write(home, "cosmovisor/passed.json", { v: 1, plans: [] });
    write(home, "cosmovisor/returned.json", { v: 1, heights: ["100"] });
    expect(await said(home)).toEqual(all(null));
  });
});
