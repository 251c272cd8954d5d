/** What the sidecar serves to browsers: its own page, with and without scripts, and the verification page while the node is silent. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Settings } from "../../host/visor/decide/settings.js";
import { Board } from "../../host/visor/status/board.js";
import { openStatus, type StatusServer } from "../../host/visor/status/server.js";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { statusMachine } from "../unit/visor/status-machine.js";
import { violationsInBoth } from "./axe.js";
import { openPage, textOn, untilMood } from "./browser.js";
import { expectSound } from "./sound.js";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 880, height: 700 };
const missing = prepareChromium();
const home = mkdtempSync(join(tmpdir(), "chain-upgrade-supervisor-"));
const plan = { name: "v2", height: "7368420", info: "", origin: "chain" } as const;

let browser: Browser;
let board: Board;
let server: StatusServer;

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(missing !== undefined)(`the sidecar in Chromium${missing ? ` (${missing})` : ""}`, () => {
  const url = (path: string) => `http://${server.address}${path}`;

  beforeAll(async () => {
    browser = await launchChromium();
    board = new Board(statusMachine.clock);
    mkdirSync(join(home, "cosmovisor"));
    const settings = {
      ...{ home, root: join(home, "cosmovisor"), backupDir: home },
      ...{ statusAddress: "127.0.0.1:0", rpcAddress: "http://127.0.0.1:1" },
    } as Settings;
    const args = ["start", "--api.address", "tcp://127.0.0.1:1"];
    server = await openStatus({ board, settings, machine: statusMachine, args, log: () => undefined });
  }, 60_000);

  test("/supervisor → what is missing and the next command, sound in light and dark; a change is put in place", async () => {
    board.update({
      ...{ phase: "waiting", plan, message: "The program of the next version is missing." },
      program: { name: "genesis", file: "/var/lib/chain/cosmovisor/genesis/bin/chaind", pid: 4711 },
      height: { value: "7364100", source: "rpc" },
      readiness: [
        { what: "program", state: "missing", detail: "upgrades/v2/bin/chaind", next: "chainvisor prepare" },
        { what: "disk", state: "ready", detail: "212 GiB are free, 31 GiB are needed", next: null },
      ],
      next: ["chainvisor prepare"],
    });
    const { page, complaints } = await openPage(browser, url("/supervisor"), DESKTOP);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("something is missing");
    expect(await textOn(page, "table")).toMatch(/program\s+✗ missing/);
    await expectSound(page, "supervisor");
    board.update({
      phase: "migrating",
      message: "",
      next: [],
      progress: { what: "trees bank", done: "500", total: "2000" },
    });
    await page.getByRole("progressbar", { name: /trees bank: 500 of 2000/ }).waitFor({ timeout: 10_000 });
    expect(await textOn(page, "#now")).toContain("makes the upgrade's block");
    expect(await violationsInBoth(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("/supervisor without scripts, on a phone → the same, loaded again by itself unless it is asked to be still", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE });
    const page = await context.newPage();
    await page.goto(url("/supervisor"));
    board.update({ phase: "running", plan: null, progress: null, readiness: [] });
    await page.getByText("no upgrade is known").waitFor({ timeout: 20_000 });
    await page.getByRole("link", { name: "Do not load again by itself" }).click();
    expect(page.url()).toContain("still");
    expect(await page.content()).not.toContain("http-equiv");
    await context.close();
  });

  test("/ while the node is silent → the verification page shows what the sidecar knows", async () => {
    board.update({ phase: "migrating", plan, height: { value: "7368419", source: "store" } });
    const { page, complaints } = await openPage(browser, url("/"), DESKTOP);
    await untilMood(page, "migrating");
    expect(await textOn(page, "#now")).toMatch(/Upgrade v2 is under way[\s\S]*7,368,419/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
