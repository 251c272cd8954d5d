/** `npm start` and `chaind demo` as processes: the same story each time, on the small chain and on real state. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { COSMOSHUB_2, cosmoshub2Genesis } from "../cosmoshub-2.js";
import { DIST, run } from "./chaind.js";
import { CommandLine } from "./command-line.js";

type JsonEvent = Readonly<Record<string, unknown>>;

const mainJob = (...args: readonly string[]) => events("main-job.js", ["--json", ...args]);

async function events(script: string, args: readonly string[], env = {}): Promise<JsonEvent[]> {
  const end = await run(join(DIST, script), args, env).end;
  expect(end.exit, end.stderr).toBe(0);
  const lines = end.stdout.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as JsonEvent);
}

const named = (events: readonly JsonEvent[], name: string) => events.find(({ event }) => event === name) ?? {};

/** Without what a clock decides. */
const timeless = (events: readonly JsonEvent[]) => events.map((event) => ({ ...event, ms: 0 }));

describe("npm start", () => {
  test("→ the documented events in order; `chaind demo`, beside a home in the environment → the same but for ms, and that home stays as it is", async () => {
    const first = await mainJob();
    const names = first.map(({ event }) => event);
    expect(names).toEqual(["init", "scheduled", "halt", "start", "applied", "block", "block", "block", "done"]);
    expect(named(first, "scheduled")).toMatchObject({ proposal: "1", plan: { name: "v2" } });
    expect(named(first, "halt")).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED", exit: 10 });
    expect(named(first, "applied")).toMatchObject({ gas: expect.stringMatching(/^[1-9][0-9]{5,}$/) });
    expect(named(first, "done")).toMatchObject({ ok: true, skipped: [] });
    expect(named(first, "done")["supply"]).toEqual(named(first, "init")["supply"]);
    const line = new CommandLine();
    await line.json("init", "one");
    const before = readdirSync(line.home);
    expect(timeless(await events("chaind.js", ["demo", "-o", "json"], line.env))).toEqual(timeless(first));
    expect(readdirSync(line.home)).toEqual(before);
  }, 180_000);

  const onRealState = existsSync(COSMOSHUB_2) ? test : test.skip;
  onRealState(
    "--genesis cosmoshub-2 (needs its file in $CHAIN_DATA) → 1,027 accounts and balances, equal supply",
    async () => {
      const file = join(mkdtempSync(join(tmpdir(), "chain-upgrade-genesis-")), "genesis.json.gz");
      onTestFinished(() => rmSync(dirname(file), { recursive: true }));
      writeFileSync(file, gzipSync(cosmoshub2Genesis()));
      const events = await mainJob("--genesis", file);
      const [init, done] = [named(events, "init"), named(events, "done")];
      expect(init).toMatchObject({ accounts: "1027" });
      expect(named(events, "scheduled")).not.toHaveProperty("proposal");
      expect(done).toMatchObject({ ok: true, accounts: "1027", balances: "1027" });
      expect(done["supply"]).toEqual(init["supply"]);
      expect(Object.keys(init["supply"] as object).length).toBeGreaterThan(0);
    },
  );
});
