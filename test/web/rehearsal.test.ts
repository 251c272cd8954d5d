/** The report of a rehearsal in Chromium: light and dark, small and wide, without a request, whatever the names in it are. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rehearse } from "../../host/cli/rehearsal/rehearse.js";
import { htmlReport } from "../../host/cli/rehearsal/report/html.js";
import type { Report } from "../../host/cli/rehearsal/report/report.js";
import { DIST, TestHome } from "../e2e/chaind.js";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { exampleChain } from "../example-chain.js";
import { openPage, textOn } from "./browser.js";
import { expectSound } from "./sound.js";

const missing = prepareChromium();
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-report-"));
const EVIL = `<img src=x onerror="document.title='run'">\u202e"'&`;

describe.skipIf(missing !== undefined)(`the report of a rehearsal in Chromium${missing ? ` (${missing})` : ""}`, () => {
  let browser: Browser;
  let report: Report;
  beforeAll(async () => {
    browser = await launchChromium();
    const { path } = new TestHome().schedule({ name: "v2", height: 5n }, 4n);
    const made = await rehearse(exampleChain, {
      home: path,
      handlers: join(DIST, "handlers"),
      gas: true,
      log: () => undefined,
    });
    report = { ...made, next: made.next.replaceAll(path, "node") };
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(shown: Report, viewport: { width: number; height: number }) {
    const file = join(folder, "report.html");
    writeFileSync(file, htmlReport(shown));
    return openPage(browser, pathToFileURL(file).href, viewport);
  }

  test("an upgrade that would apply → sound in light and dark, pictures with their figures, one request, no script", async () => {
    const { page, requests, complaints } = await open(report, { width: 960, height: 1_400 });
    await expectSound(page, "rehearsal");
    expect(await page.getByRole("img").count()).toBe(4);
    expect(await page.getByRole("img").first().getAttribute("aria-label")).toContain("bank: 0 → ");
    expect(await textOn(page, "header")).toContain("would apply");
    expect(await page.locator("script").count()).toBe(0);
    expect([requests.length, complaints]).toEqual([1, []]);
  });

  test("on a telephone, of an upgrade that would fail, with hostile names → sound, and they are text", async () => {
    const failed: Report = {
      ...{ ...report, applied: null, verdict: "would fail", exit: 20, code: "UPG_MIGRATION_FAILED", message: EVIL },
      plan: { name: EVIL, height: "5", info: EVIL },
      failure: { lines: [EVIL] },
      findings: [{ check: "queries", message: EVIL }],
    };
    const { page } = await open(failed, { width: 390, height: 844 });
    await expectSound(page);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toBe("run");
    expect(await textOn(page, "h1")).toContain("<img src=x onerror");
    expect(htmlReport(failed)).not.toContain("\u202e");
  });
});
