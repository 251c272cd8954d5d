/** A reader who returns: what was verified is kept for the chain and the server, and goes on from there. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { openPage, textOn } from "./browser.js";
import { FORK, HONEST } from "./lies/chains.js";
import { hashOf, settled, typeTrust } from "./lies/lie.js";
import { type Lies, lyingSite, type Site } from "./lies/site.js";

const missing = prepareChromium();
const PROVEN = /proven from the block that you trust/;
let browser: Browser;
let site: Site;
/** Changed between two visits. */
const lies: { -readonly [Name in keyof Lies]: Lies[Name] } = {};

afterAll(async () => {
  await browser?.close();
  site?.close();
});

describe.skipIf(missing !== undefined)(`a kept block${missing ? ` (${missing})` : ""}`, () => {
  beforeAll(async () => {
    browser = await launchChromium();
    site = await lyingSite(HONEST, lies);
  });

  test("entered once → proven at the next visit, also without the address; a fork is refused; forgotten → amber", async () => {
    const opened = await openPage(browser, site.url);
    const { page } = opened;
    const verdict = () => textOn(page, "#verdict");
    const visit = async (url: string) => {
      await page.goto("about:blank");
      await page.goto(url);
      await settled(opened);
    };
    await settled(opened);
    expect(await verdict()).toContain("this source named itself");
    await typeTrust(opened, HONEST);
    await settled(opened);
    expect(await verdict()).toMatch(PROVEN);
    await visit(site.url);
    expect(await verdict()).toMatch(PROVEN);
    expect(await textOn(page, "#root")).toContain("Trust begins at block 3");
    await visit(`${site.url}#trust=3:${hashOf(HONEST, 3)}`);
    expect(await verdict()).toMatch(PROVEN);
    await visit(`${site.url}#trust=4:${hashOf(HONEST, 4)}`);
    expect(await verdict()).toContain("came with the link");
    lies.chain = FORK;
    await visit(site.url);
    expect(await verdict()).toMatch(/^Not checked: your trusted block, 3, has another hash here/);
    expect(await page.locator(".badge.proven").count()).toBe(0);
    delete lies.chain;
    // As long after the block that was entered as it is not believed any more, the newest one is.
    await page.evaluate(() => {
      for (const [key, value] of Object.entries(localStorage)) {
        const kept = JSON.parse(value);
        localStorage.setItem(key, JSON.stringify({ ...kept, first: { ...kept.first, time: 0 } }));
      }
    });
    await visit(site.url);
    expect(await textOn(page, "#root")).toContain("Trust begins at block 20");
    await page.evaluate(() => {
      for (const [key, value] of Object.entries(localStorage)) {
        const kept = JSON.parse(value);
        localStorage.setItem(key, JSON.stringify({ ...kept, last: { ...kept.last, time: 86_400_000 } }));
      }
    });
    await visit(site.url);
    expect(await verdict()).toContain("this source named itself");
    expect(await textOn(page, "#trust-kept")).toBe(
      "This browser keeps block 20 of 1970-01-02 for this chain. It is older than its trusting period of 14 days, so it is not used. Enter a newer block that you trust.",
    );
    await typeTrust(opened, HONEST);
    await settled(opened);
    expect(await page.locator("#trust-kept").isVisible()).toBe(false);
    await page.locator("#forget").click();
    await page.locator("#verdict", { hasText: "this source named itself" }).waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  test("a trusting period that is no number of days → an error beside the form; one of a day → kept with the block", async () => {
    const opened = await openPage(browser, site.url);
    await settled(opened);
    await opened.page.locator("#trust-days").fill("0");
    await typeTrust(opened, HONEST);
    expect(await textOn(opened.page, "#trust-error")).toBe("The trusting period is 1 to 365 days.");
    await opened.page.locator("#trust-days").fill("1");
    await typeTrust(opened, HONEST);
    await settled(opened);
    expect(await textOn(opened.page, "#verdict")).toMatch(PROVEN);
    expect(await opened.page.evaluate(() => Object.values(localStorage).join())).toContain('"days":1}');
  });
});
