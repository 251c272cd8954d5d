/** What the current program reports by its `pre-upgrade`, and what the sidecar makes of it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunEnd } from "../../../../host/visor/decide/machine.js";
import type { Settings } from "../../../../host/visor/decide/settings.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { currentFits, requireFits, unfitIn } from "../../../../host/visor/stage/other-program.js";
import { comesTooEarly, genesisProblem, missingHandlerIn, probeProgram } from "../../../../host/visor/stage/probe.js";

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-fits-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const file = join(home, "cosmovisor/genesis/bin/n");
mkdirSync(join(file, ".."), { recursive: true });
writeFileSync(file, `#!${process.execPath}\n`, { mode: 0o755 });

const STOPPED: Partial<RunEnd> = { exit: null, signal: "SIGKILL", error: new Error("no end after 30000 ms") };

function options(end: Partial<RunEnd>, run = async () => ({ exit: 0, signal: null, stdout: "", stderr: "", ...end })) {
  const settings = { home, root: join(home, "cosmovisor"), name: "n" } as Settings;
  return {
    ...{ settings, home, isOurs: true, files: realMachine.files, processes: { run } },
    ...{ program: { name: "genesis", folder: "genesis", file }, env: {}, signal: new AbortController().signal },
  };
}

const fits = (end: Partial<RunEnd>) => currentFits(options(end), "start");
const required = (end: Partial<RunEnd>) => requireFits(options(end), "chaind rollback --to 5");

const STORES = Array.from({ length: 6 }, (_, at) => `store "${at}${"s".repeat(40)}" is stored and not mounted`);
const UNFIT = { exit: 30, stderr: `Error: the stores do not fit: ${STORES.join("; ")} [UPG_STORE_UPGRADE]\n` };

describe("requireFits()", () => {
  test("pre-upgrade does not end in time → refused, with the limit and the command that shows why", async () => {
    await expect(required(STOPPED)).rejects.toMatchObject({
      code: "UPG_STORE_VERSION_MISMATCH",
      message: `${file} did not report within 30 s whether it fits the state of ${home}. Nothing was changed. Find out why with \`${file} pre-upgrade --home ${home}\`, then try again`,
    });
  });

  test("the home is locked, the program cannot be run → refused, with the reason", async () => {
    const locked = { exit: 31, stderr: "Error: another process has it open [UPG_STORE_LOCKED]" };
    await expect(required(locked)).rejects.toThrow("home: pre-upgrade ended with 31".replace("home", home));
    const error = Object.assign(new Error("spawn"), { code: "EACCES" });
    await expect(required({ exit: null, error })).rejects.toThrow("cannot be run: permission denied");
  });

  test("the program fits, or lacks something else → nothing", async () => {
    await required({ stderr: "no plan is scheduled: this binary can go on" });
    await required({ exit: 30, stderr: "Error: app.toml has an unknown name [UPG_INVALID_CONFIG]" });
  });

  test("six stores do not fit, in a line that is cut → refused, with the command that takes the blocks back", async () => {
    await expect(required(UNFIT)).rejects.toThrow("`chaind rollback --to 5`");
  });
});

describe("a line of more than 300 characters", () => {
  test("six stores do not fit → the code is found after the cut, by status as well", async () => {
    const found = await fits(UNFIT);
    expect(found).toMatchObject({ fits: "no", row: { what: "program", state: "wrong" } });
    expect(found?.row?.detail).toMatch(/^.{300,450}… \[UPG_STORE_UPGRADE\]$/);
    expect(found && unfitIn(found.asked)).toMatchObject({ code: "UPG_STORE_UPGRADE" });
  });

  test("other words that are read in it → found", async () => {
    const long = "x".repeat(300);
    const rowOf = async (end: Partial<RunEnd>) => (await probeProgram(options(end)))[1];
    const early = await rowOf({ exit: 30, stderr: `Error: ${long} every binary comes too early (exit 11)` });
    expect(early && comesTooEarly(early)).toBe(true);
    const none = await rowOf({ stderr: `${long}: this binary can go on until then, not beyond: none` });
    expect([none?.state, missingHandlerIn(none?.detail ?? "")]).toEqual(["wrong", ""]);
  });

  test("a genesis document in a home with a long name → the problem", async () => {
    const message = `${"/h".repeat(200)}/config/genesis.json: no validator`;
    const found = await genesisProblem(options({ exit: 2, stderr: `Error: ${message} [UPG_INVALID_GENESIS]` }));
    expect(found).toMatch(/^(\/h)+\/?… \[UPG_INVALID_GENESIS\]$/);
  });
});

test("the program cannot be started → no report that it took too long; its own words are none either", async () => {
  const { run } = realMachine.processes;
  chmodSync(file, 0o644);
  const locked = { ...options({}), processes: { run } };
  expect(await currentFits(locked, "start")).toMatchObject({
    fits: "yes",
    asked: {
      what: "program",
      state: "wrong",
      detail: `${file} cannot be run: permission denied: it may not be executed, or its file system is mounted with noexec`,
    },
  });
  chmodSync(file, 0o755);
  expect(await fits({ exit: 31, stderr: "the other node did not end within 5 s" })).toMatchObject({ fits: "yes" });
});

test("the upgrade of a plan ahead cannot be made → the program fits the state; a line without the plan is about the state", async () => {
  const at = 'the plan "v2" is due at height 9, and the next block is 4: the upgrade cannot be made there';
  const stores = 'the stores do not fit: store "x" is stored and not mounted [UPG_STORE_UPGRADE]';
  expect(await fits({ exit: 30, stderr: `Error: ${at}: ${stores}` })).toMatchObject({ fits: "yes" });
  await required({ exit: 30, stderr: `Error: ${at}: ${stores}` });
  expect(await fits({ exit: 30, stderr: `Error: ${stores}` })).toMatchObject({ fits: "no" });
});

describe("the program of the last upgrade fits, and the current one does not", () => {
  const other = join(home, "cosmovisor/upgrades/v2/bin/n");
  const link = join(home, "cosmovisor/current");
  const MISSING = "upgrade handler is missing for v2 upgrade plan [UPG_HALT_HANDLER_MISSING]";
  const run = (message: string) => async (path: string) => {
    const isCurrent = path === file;
    return { exit: isCurrent ? 30 : 0, signal: null, stdout: "", stderr: isCurrent ? `Error: ${message}\n` : "" };
  };
  const found = (message: string, height = 10n) =>
    currentFits({ ...options({}), processes: { run: run(message) } }, "start", async () => ({
      ...{ name: "v2", height, info: "" },
    }));
  beforeAll(() => {
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, `#!${process.execPath}\n`, { mode: 0o755 });
    symlinkSync("genesis", link);
  });

  test("the current one exits because it is too old → the next start links the other", async () => {
    expect(await found(MISSING)).toMatchObject({
      fits: "through",
      row: { detail: expect.stringContaining(`. The next start links ${other}`), next: "start" },
    });
  });

  test.each([
    ["the state names an earlier upgrade than `current`", MISSING, 10n, 20],
    ["it exits with another status", "a store [UPG_STORE_UPGRADE]", 10n, 5],
  ])("%s → no start links the other, and the row has the command that does", async (_, message, height, linked) => {
    const plan = { name: message === MISSING ? "v3" : "v2", height: linked, info: "" };
    writeFileSync(join(home, "cosmovisor/genesis/upgrade-info.json"), JSON.stringify(plan));
    expect(await found(message, height)).toMatchObject({
      fits: "no",
      row: {
        detail: expect.stringContaining(`. ${other} can, and no start links it`),
        next: `ln -sfn upgrades/v2 ${link}`,
      },
    });
    rmSync(join(home, "cosmovisor/genesis/upgrade-info.json"));
  });
});
