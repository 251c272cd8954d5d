/** Heights that an operator queued, beside the plan that the chain has scheduled: every command reports those that cannot both be. */
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestHome } from "../../e2e/chaind.js";
import { program, visor } from "./state-home.js";

const MAKES_LATER = "this binary can take over at the height; started before it, it comes too early and ends with 11";
const MAKES_NOT = "this binary can go on until then, not beyond: there is no handler";

/** The chain has scheduled "v2" for height 40, and its last block is 2. */
function scheduledHome(): TestHome {
  const home = new TestHome().schedule({ name: "v2", height: 40n }, 3n);
  program(home, "genesis", MAKES_NOT);
  program(home, "upgrades/v2", MAKES_LATER);
  return home;
}

const queue = (home: TestHome, name: string, height: number) =>
  writeFileSync(join(home.path, "cosmovisor/queue.json"), JSON.stringify({ v: 1, plans: [{ name, height }] }));

const exits = async (home: TestHome) => [(await visor(home, "status")).status, (await visor(home, "doctor")).status];

interface Row {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
  readonly next: string | null;
}

const lackingOf = async (home: TestHome): Promise<Row[]> =>
  (await visor(home, "status")).json.readiness.filter(({ state }: Row) => state !== "ready" && state !== "skipped");

describe("a queued height beside the chain's plan", () => {
  test.each([
    ["v2", 30, MAKES_LATER, /"v2" for height 40.*queued it for height 30/],
    ["V2", 50, MAKES_LATER, /"v2" for height 40.*queued it for height 50/],
    ["other", 40, MAKES_LATER, /queued "other" for the same height/],
    ["v3", 30, MAKES_LATER, /carries the chain's "v2".*before height 40.*exit 11/],
  ])(
    "%s at %i → not ready in status, plan and doctor, with the command that takes it back",
    async (name, height, says, why) => {
      const home = scheduledHome();
      const file = program(home, `upgrades/${name.toLowerCase()}`, says);
      queue(home, name, height);
      expect(await exits(home)).toEqual([30, 30]);
      const rows = await lackingOf(home);
      expect(rows).toMatchObject([{ what: "plan", state: "wrong", detail: expect.stringMatching(why) }]);
      expect(rows[0]?.next).toContain(`add-upgrade ${name} ${file} --upgrade-height 0 --force`);
      expect((await visor(home, "plan")).json.plans).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: "v2", height: "40" })]),
      );
      const back = await visor(home, "add-upgrade", name, file, "--upgrade-height", "0", "--force");
      expect([back.status, await exits(home)]).toEqual([0, [3, 0]]);
    },
  );

  test("an earlier version without the plan's handler → ready; the chain's own height, or a later plan → ready", async () => {
    const home = scheduledHome();
    for (const name of ["v1.5", "v3"]) program(home, `upgrades/${name}`, MAKES_NOT);
    for (const [name, height] of [
      ["v1.5", 30],
      ["v2", 40],
      ["v3", 50],
    ] as const) {
      queue(home, name, height);
      expect([name, ...(await exits(home))]).toEqual([name, 3, 0]);
    }
  });

  test("add-upgrade of a height that contradicts the chain's plan → refused, also with --force, and nothing is written", async () => {
    const home = scheduledHome();
    const file = program(home, "upgrades/v2", MAKES_LATER);
    for (const [name, height] of [
      ["v2", "30"],
      ["other", "40"],
    ] as const) {
      const { status, stderr } = await visor(home, "add-upgrade", name, file, "--upgrade-height", height, "--force");
      expect([name, status]).toEqual([name, 2]);
      expect(stderr).toMatch(/the chain has scheduled \\"v2\\" for height 40.*without --upgrade-height/);
    }
    expect(() => readFileSync(join(home.path, "cosmovisor/queue.json"))).toThrow(/ENOENT/);
    expect(() => readFileSync(join(home.path, "cosmovisor/upgrades/other/bin/dummyd"))).toThrow(/ENOENT/);
    expect((await visor(home, "add-upgrade", "v2", file, "--upgrade-height", "40", "--force")).status).toBe(0);
  });
});

test("the link leads to the program of a plan that the chain has scheduled for later → doctor names it, and the way back", async () => {
  const home = scheduledHome();
  const root = join(home.path, "cosmovisor");
  writeFileSync(join(root, "upgrades/v2/upgrade-info.json"), JSON.stringify({ name: "v2", height: 3, info: "" }));
  symlinkSync("upgrades/v2", join(root, "current"));
  symlinkSync("genesis", join(root, "previous"));
  const { status, json } = await visor(home, "doctor");
  expect(status).toBe(30);
  const findings = json.findings as readonly { what: string; level: string; detail: string; next: string | null }[];
  expect(findings.filter(({ level }) => level === "wrong")).toMatchObject([
    {
      what: "current",
      detail: expect.stringContaining("comes too early"),
      next: expect.stringMatching(/ rollback --program-only$/),
    },
  ]);
  expect(findings.some(({ detail }) => /no upgrade is ahead/.test(detail))).toBe(false);
  expect((await visor(home, "status")).json.plan).toMatchObject({ name: "v2", height: "40" });
  expect([(await visor(home, "status")).status, (await visor(home, "plan")).status]).toEqual([30, 30]);
});
