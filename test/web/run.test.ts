/** "Run it here" in a real browser when it takes long, or when the server does: progress, Cancel, and limits. */
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { build, guest } from "../guest/build.js";
import { roundsPerSecond, slowHandler } from "../network/slow-handler.js";
import { openPage, textOn, verdictOf } from "./browser.js";
import { PageHome, untilHeight } from "./page-nodes.js";

const MINUTES = 120_000;
/** A run takes as long, so that it can be looked at and stopped. */
const RUN_SECONDS = 5;
const ACCOUNTS = 2_500;
const missing = prepareChromium();

describe.skipIf(missing !== undefined)(`a run in Chromium${missing ? ` (${missing})` : ""}`, () => {
  let browser: Browser;
  let home: PageHome;
  let url: string;
  beforeAll(async () => {
    browser = await launchChromium();
    home = new PageHome({ upgradeHeight: 8, blocks: 7, accounts: ACCOUNTS });
    const slow = home.addHandler(await slowHandler(Math.ceil((RUN_SECONDS * roundsPerSecond()) / ACCOUNTS)));
    url = await home.start("--block-time", "300ms", "--witness", ...slow);
    await home.says("witness of");
    await untilHeight(url, 10);
  }, MINUTES);
  afterAll(async () => {
    await browser?.close();
    await home?.stop();
    home?.remove();
  });

  /** A page with `change` in the way of the requests for a file. */
  async function opened(file: string, change: (route: Route) => Promise<void>): Promise<Page> {
    const { page } = await openPage(browser, "about:blank");
    await page.context().route(file, change);
    await page.goto(url);
    await verdictOf(page);
    return page;
  }
  const resultOf = async (page: Page, hasText: string | RegExp) => {
    await page.locator("#run-result", { hasText }).waitFor();
    return await textOn(page, "#run-result");
  };
  const whole = (body: Buffer) => (route: Route) =>
    route.request().method() === "HEAD" ? route.continue() : route.fulfill({ body });

  test(
    "it shows the stage, the gas and the pairs done; Cancel stops it in the handler, and it can begin again",
    async () => {
      const { page } = await openPage(browser, url);
      await verdictOf(page);
      await page.locator("#run").click();
      const progress = page.locator("#run-progress", { hasText: /Running the handler: [\d,]+ of [\d,]+ gas/ });
      await progress.waitFor();
      await page
        .locator("#run-progress", { hasText: /[1-9][\d,]* of 2,5\d\d pairs of store \w+, \d+ s so far/ })
        .waitFor();
      expect(await page.locator("#run-progress progress").getAttribute("value")).toMatch(/^\d{1,2}$/);
      await page.getByRole("button", { name: "Cancel the run" }).click();
      expect(await resultOf(page, "Cancelled")).toContain("the claims above do not rest on it");
      expect(await textOn(page, "#run-progress")).toBe("");
      expect(await page.locator("#run-cancel").isVisible()).toBe(false);
      await page.locator("#run").click();
      expect(await resultOf(page, "Run here in")).toContain("the whole app hash after block 8");
    },
    MINUTES,
  );

  test("another handler, which would run for ever → refused by its hash, before it runs", async () => {
    const endless = build(guest({ run: "(loop $l (br $l)) (i32.const 0)" }), { gasLimit: String(10n ** 12n) });
    const page = await opened("**/upgrade/v1/handler/*", whole(Buffer.from(endless)));
    await page.locator("#run").click();
    expect(await resultOf(page, "Refused")).toMatch(/it was not run[\s\S]*UPG_HANDLER_HASH/);
  });

  test("a witness that never comes → Cancel stops waiting; without it, the time limit of its size does", async () => {
    const held: Route[] = [];
    const page = await opened("**/upgrade/v1/witness/*", async (route) => {
      if (route.request().method() === "HEAD") await route.continue();
      else held.push(route);
    });
    await page.locator("#run").click();
    await page.locator("#run-progress", { hasText: "Fetching the witness: 0 B of" }).waitFor();
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await resultOf(page, "Cancelled");
    await page.clock.install();
    await page.locator("#run").click();
    await page.locator("#run-progress", { hasText: "Fetching the witness: 0 B of" }).waitFor();
    await page.clock.fastForward(60_000);
    expect(await resultOf(page, "Refused")).toMatch(/the server did not send it within \d\d s/);
    expect(held.length).toBe(2);
  });

  test("a witness larger than announced → refused; announced larger than a page holds → not offered", async () => {
    const page = await opened("**/upgrade/v1/witness/*", whole(Buffer.alloc(4_000_000)));
    await page.locator("#run").click();
    expect(await resultOf(page, "Refused")).toMatch(/larger than \d+ bytes/);
    const huge = await opened("**/upgrade/v1/witness/*", (route) =>
      route.fulfill({ headers: { "content-length": String(2 ** 40) } }),
    );
    await huge.locator("#run-cost", { hasText: "this page takes 128.0 MiB at most" }).waitFor();
    expect(await huge.locator("#run").isVisible()).toBe(false);
  });
});
