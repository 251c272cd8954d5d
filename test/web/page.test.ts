/** The page in a real browser, against real nodes before, in and after an upgrade. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { roundsPerSecond, slowHandler } from "../network/slow-handler.js";
import { violationsInBoth } from "./axe.js";
import { claimsOn, compared, openPage, textOn, untilMood, verdictOf } from "./browser.js";
import { otherSite } from "./other-site.js";
import { hashOf, PageHome, untilHeight } from "./page-nodes.js";
import { expectKept, savedPage } from "./saved-page.js";
import { expectSound } from "./sound.js";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 880, height: 1_000 };
const MINUTES = 120_000;
const missing = prepareChromium();

/** The block of the upgrade takes as long, so that the page can be looked at meanwhile. */
const MIGRATION_SECONDS = 5;
const ACCOUNTS = 2_500;
const FAR = { upgradeHeight: 5_000, blocks: 130 };
const NEAR = { upgradeHeight: 8, blocks: 7, accounts: ACCOUNTS };
const DONE = { upgradeHeight: 8, blocks: 7, accounts: 200 };
const LINGER = ["--app-version", "1", "--halt-linger", "1h"];

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-pages-"));
const homes: PageHome[] = [];
afterAll(async () => {
  await browser?.close();
  for (const home of homes) await home.stop();
  for (const home of homes) home.remove();
  rmSync(folder, { recursive: true, force: true });
});

function homeOf(prepared: ConstructorParameters<typeof PageHome>[0]): PageHome {
  const home = new PageHome(prepared);
  homes.push(home);
  return home;
}

describe.skipIf(missing !== undefined)(`the page in Chromium${missing ? ` (${missing})` : ""}`, () => {
  let far: string;
  let near: PageHome;
  let nearUrl: string;
  let slow: readonly string[];

  beforeAll(async () => {
    browser = await launchChromium([], ["--host-resolver-rules=MAP node.test 127.0.0.1"]);
    const home = homeOf(FAR);
    near = homeOf(NEAR);
    [far, nearUrl] = await Promise.all([home.start("--app-version", "1"), near.start(...LINGER)]);
  }, MINUTES);

  describe("before an upgrade", () => {
    test("waiting → the time to go with ±, the plan and its proposal; claims are amber by the server's own hash", async () => {
      const { page, requests, complaints } = await openPage(browser, far, DESKTOP);
      expect(await verdictOf(page)).toContain("from a block that this source named itself");
      await untilMood(page, "waiting");
      const now = await textOn(page, "#now");
      expect(now).toMatch(
        /^\? Reported by 127\.0\.0\.1:\d+, not verified\nUpgrade v2 at height 5,000[\s\S]*in \d+ h[\s\S]* ± [\s\S]*s a block[\s\S]*Proposal\n1: t/,
      );
      expect(await page.locator("#now time").first().getAttribute("datetime")).toMatch(/^P\d+DT\d+H\d+M\d+S$/);
      const claims = await claimsOn(page);
      expect(claims).toContainEqual(expect.stringMatching(/^! Rests on this server: Upgrade "v2" is scheduled/));
      expect(claims).toContainEqual(expect.stringMatching(/^! Rests on this server: Versions of all modules/));
      await expectSound(page, "waiting");
      expect(requests.filter((url) => !url.startsWith(far) && !url.startsWith("blob:"))).toEqual([]);
      expect(complaints).toEqual([]);
    });

    test("keyboard alone: a height and hash of the reader's own → proven; a wrong hash → refused, nothing is claimed", async () => {
      const { page } = await openPage(browser, far);
      await verdictOf(page);
      const hash = await hashOf(far, 100);
      await tabTo(page, "trust-height");
      await page.keyboard.type("100");
      await page.keyboard.press("Tab");
      await page.keyboard.type(hash);
      await page.keyboard.press("Enter");
      expect(await verdictOf(page, /proven from the block that you trust/)).toMatch(/[1-9] claims proven/);
      expect((await claimsOn(page)).every((claim) => claim.startsWith("✓ Proven"))).toBe(true);
      expect(page.url()).toContain(`#trust=100:${hash}`);
      await page.locator("#trust-hash").fill("00".repeat(32));
      await page.keyboard.press("Enter");
      expect(await verdictOf(page, /^Not checked/)).toBe(
        "Not checked: your trusted block, 100, has another hash here.",
      );
      expect(await claimsOn(page)).toEqual([]);
      expect(await textOn(page, "#claims")).toMatch(
        /! Not checked[\s\S]*UPG_PROOF_TRUST[\s\S]*Compare height and hash/,
      );
      expect(await page.locator("#save").isDisabled()).toBe(true);
      await page.locator("#trust-hash").fill("12");
      await page.keyboard.press("Enter");
      expect(await textOn(page, "#trust-error")).toBe("The hash of a block is 64 hex digits.");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("trust-hash");
    });

    test("a phone, and the chain's clock as it goes on → nothing moves, the status is said once", async () => {
      const { page } = await openPage(browser, far, PHONE);
      await verdictOf(page);
      await page.evaluate(() => {
        const heard = { count: 0 };
        Object.assign(globalThis, { heard });
        const observer = new MutationObserver(() => heard.count++);
        observer.observe(document.getElementById("verdict") as Node, { childList: true, subtree: true });
      });
      await page.waitForTimeout(2_200);
      expect(await page.evaluate(() => (globalThis as unknown as { heard: { count: number } }).heard.count)).toBe(0);
      await expectSound(page, "waiting-phone");
    });

    test("a trusted block that came with a link → amber, the whole hash to compare; the button or the keyboard makes it the reader's", async () => {
      const hash = await hashOf(far, 100);
      const { page } = await openPage(browser, `${far}#trust=100:${hash}`);
      expect(await verdictOf(page)).toBe("Checked: consistent, but only from a block that came with the link.");
      expect((await claimsOn(page)).every((claim) => claim.startsWith("! Rests on this link"))).toBe(true);
      expect(await textOn(page, "#root")).toContain(hash);
      expect(await page.locator("#trust-hash").inputValue()).toBe("");
      await expectSound(page);
      expect(await compared(page)).toMatch(/[1-9] claims proven/);
      expect((await claimsOn(page)).every((claim) => claim.startsWith("✓ Proven"))).toBe(true);
      await page.goto(`${far}#trust=101:${await hashOf(far, 101)}`);
      await verdictOf(page, /came with the link/);
      await page.locator("#trust-height").fill("101");
      await page.locator("#trust-hash").fill(await hashOf(far, 101));
      await page.keyboard.press("Enter");
      expect(await verdictOf(page, /proven from/)).toMatch(/[1-9] claims proven/);
    });

    test("tampered value of a proof → refused on the page", async () => {
      const { page } = await openPage(browser, "about:blank");
      await page.context().route("**/rpc/abci_query*", async (route) => {
        const response = await route.fetch();
        const text = (await response.text()).replace(
          /"value":"(.)/,
          (_, first) => `"value":"${first === "A" ? "B" : "A"}`,
        );
        await route.fulfill({ response, body: text });
      });
      await page.goto(far);
      expect(await verdictOf(page)).toMatch(/^Refused/);
      expect(await claimsOn(page)).toEqual([]);
      expect(await textOn(page, "#claims")).toContain("UPG_PROOF_");
      expect(await textOn(page, "#now")).toMatch(/^Not believed/);
      expect(await textOn(page, "#now")).not.toContain("v2");
    });

    test("an origin without WebCrypto → the same claims, by noble", async () => {
      const { page } = await openPage(browser, far.replace("127.0.0.1", "node.test"));
      expect(await page.evaluate(() => [isSecureContext, globalThis.crypto?.subtle === undefined])).toEqual([
        false,
        true,
      ]);
      await verdictOf(page);
      await page.goto(`${page.url()}#trust=100:${await hashOf(far, 100)}`);
      await verdictOf(page, /came with the link/);
      expect(await compared(page)).toContain("Checked");
    });

    test("another site: by one script tag, and as a folder with ?rpc= → the same claims", async () => {
      const site = await otherSite({
        "/": `<!doctype html><title>t</title><p>x</p><script src="${far}embed.js"></script>`,
      });
      try {
        const { page } = await openPage(browser, site.url);
        const frame = page.frameLocator("iframe");
        await frame
          .getByRole("status")
          .filter({ hasText: /^Checked/ })
          .first()
          .waitFor();
        await page.waitForFunction(() => (document.querySelector("iframe")?.clientHeight ?? 0) > 700);
        const query = `?rpc=${encodeURIComponent(`${far}rpc/`)}`;
        const { page: alone } = await openPage(browser, `${site.url}page/index.html${query}`);
        expect(await verdictOf(alone)).toContain("Checked");
        await untilMood(alone, "waiting");
        expect(await textOn(alone, "#now")).toMatch(/Upgrade v2 at height 5,000[\s\S]*over the last 20/);
      } finally {
        site.close();
      }
    });
  });

  describe("after an upgrade", () => {
    let url: string;
    beforeAll(async () => {
      const home = homeOf(DONE);
      url = await home.start("--block-time", "200ms", "--witness");
      await home.says("witness of");
      await untilHeight(url, 11);
    }, MINUTES);

    test("run it here → its size first; the whole app hash comes out equal; a file runs it again without a network", async () => {
      const { page, requests } = await openPage(browser, `${url}#trust=3:${await hashOf(url, 3)}`, DESKTOP);
      await verdictOf(page);
      await compared(page);
      await page.locator("#run").waitFor();
      expect(await textOn(page, "#run-cost")).toMatch(
        /fetches \d+ KiB \(witness \d+ KiB, handler \d+ KiB, program \d+ KiB\)/,
      );
      expect(requests.filter((each) => /\/run-|\/witness\/|\/handler\//.test(each)).length).toBe(2);
      await page.locator("#run").click();
      await page.locator("#run-result", { hasText: "Run here in" }).waitFor();
      expect(await textOn(page, "#run-result")).toMatch(
        /✓ Proven Run here in [\d.]+ s: the whole app hash after block 8/,
      );
      expect(await violationsInBoth(page)).toEqual([]);
      const file = await savedPage(page, folder);
      const opened = await openPage(browser, `${pathToFileURL(file).href}#trust=3:${await hashOf(url, 3)}`);
      await verdictOf(opened.page);
      await compared(opened.page);
      await opened.page.locator("#run").click();
      await opened.page.locator("#run-result", { hasText: "Run here in" }).waitFor();
      expect(opened.requests.filter((each) => !/^(?:file|blob):/.test(each))).toEqual([]);
      expect(opened.complaints).toEqual([]);
    });

    test("run it here, trust begins after the upgrade → an earlier block is asked for; the claims stay", async () => {
      const { page } = await openPage(browser, `${url}#trust=9:${await hashOf(url, 9)}`);
      await verdictOf(page);
      await page.locator("#run").click();
      await page.locator("#run-result", { hasText: "enter an earlier block that you trust: 8 at most" }).waitFor();
      expect(await textOn(page, "#run-result")).not.toContain("Refused");
      expect(await claimsOn(page)).not.toEqual([]);
    });

    test.each([
      ["witness", /UPG_WITNESS_/],
      ["handler", /UPG_(?:HANDLER|WITNESS)_/],
    ])("run it here with a changed %s → refused with its code", async (what, code) => {
      const { page } = await openPage(browser, "about:blank");
      await page.context().route(`**/upgrade/v1/${what}/*`, async (route) => {
        if (route.request().method() === "HEAD") return route.continue();
        const response = await route.fetch();
        const body = await response.body();
        const at = Math.floor(body.length / 2);
        body[at] = (body[at] ?? 0) ^ 1;
        await route.fulfill({ response, body });
      });
      await page.goto(url);
      await page.locator("#run").click();
      await page.locator("#run-result", { hasText: "Refused" }).waitFor();
      expect(await textOn(page, "#run-result")).toMatch(code);
    });
  });

  describe("at an upgrade", () => {
    beforeAll(async () => {
      slow = near.addHandler(await slowHandler(Math.ceil((MIGRATION_SECONDS * roundsPerSecond()) / ACCOUNTS)));
    }, MINUTES);

    test("halted → the record in words with its commands", async () => {
      const { page } = await openPage(browser, nearUrl, DESKTOP);
      await verdictOf(page);
      await untilMood(page, "failed");
      const now = await textOn(page, "#now");
      expect(now).toMatch(/halted before block 8, as planned[\s\S]*UPGRADE "v2" NEEDED[\s\S]*UPG_HALT_UPGRADE_NEEDED/);
      expect(now).toContain("chaind start --home <home>");
      expect(await page.content()).not.toContain(near.path);
      await expectSound(page, "failed");
    });

    test(
      "migrating → how far it is; then done: receipt and versions before and after, which a file keeps",
      async () => {
        await near.stop();
        const url = await near.start("--block-time", "1s", ...slow);
        await near.says("applying upgrade");
        const { page, requests } = await openPage(browser, url, DESKTOP);
        await untilMood(page, "migrating");
        await verdictOf(page);
        await page.locator("#now", { hasText: /[1-9],\d{3} of 2,5\d\d/ }).waitFor();
        expect(await textOn(page, "#now")).toContain("Upgrade v2 is under way");
        await expectSound(page, "migrating");
        await untilHeight(url, 10);
        const { page: after } = await openPage(browser, `${url}#trust=3:${await hashOf(url, 3)}`, DESKTOP);
        await untilMood(after, "done");
        await verdictOf(after);
        expect(await compared(after)).toMatch(/[1-9] claims proven/);
        expect(await textOn(after, "#receipt")).toMatch(/v2, in block 8[\s\S]*bank/);
        expect(await textOn(after, "#versions")).toMatch(/auth\s+1\s+2/);
        expect(await claimsOn(after)).toContainEqual(expect.stringMatching(/^✓ Proven: No upgrade is scheduled/));
        await expectSound(after, "done");
        await untilMood(page, "done");
        expect(requests.filter((each) => !each.startsWith(url) && !each.startsWith("blob:"))).toEqual([]);
        await expectKept(browser, after, folder);
      },
      MINUTES,
    );
  });
});

async function tabTo(page: Page, id: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.id)) === id) return;
  }
  throw new Error(`no way to ${id} by the keyboard`);
}
