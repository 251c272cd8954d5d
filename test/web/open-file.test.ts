/** Files that a reader opens in the page: pages that others saved, and evidence of the command line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIST } from "../e2e/chaind.js";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { claimsOn, type OpenPage, openPage, textOn } from "./browser.js";
import { FORK, HONEST } from "./lies/chains.js";
import { evidenceOf } from "./lies/files.js";
import { settled, typeTrust } from "./lies/lie.js";
import { lyingSite, type Site } from "./lies/site.js";

const missing = prepareChromium();
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-open-"));
let browser: Browser;
let site: Site;

afterAll(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** A page as a stranger saves it, with a script of the stranger's. */
function strangersPage(json: string): string {
  return readFileSync(join(DIST, "web/index.html"), "utf8")
    .replace('id="saved">null', () => `id="saved">${json.replaceAll("<", "\\u003c")}`)
    .replace(/content="default-src[^"]*"/, "")
    .replace("</body>", "<script>globalThis.pwned = 1; document.title = 'LIE'</script></body>");
}

describe.skipIf(missing !== undefined)(`files opened in the page${missing ? ` (${missing})` : ""}`, () => {
  beforeAll(async () => {
    browser = await launchChromium();
    site = await lyingSite(HONEST);
  });

  async function opened(): Promise<OpenPage> {
    const page = await openPage(browser, site.url);
    await settled(page);
    return page;
  }

  async function choose(opened: OpenPage, file: string): Promise<void> {
    await opened.page.locator("#open").setInputFiles(file);
    await settled(opened);
  }

  test("a saved page of a stranger, and evidence in JSON → the same claims by this page's code; no script of it runs, no server is asked", async () => {
    const json = JSON.stringify(await evidenceOf(HONEST));
    const page = await opened();
    for (const file of [fileOf("saved.html", strangersPage(json)), fileOf("evidence.json", json)]) {
      await choose(page, file);
      expect(await textOn(page.page, "#source")).toMatch(/^Opened file: \S+; no server is asked about it$/);
      await typeTrust(page, HONEST);
      await settled(page);
      expect(await textOn(page.page, "#verdict")).toMatch(/^Checked: 7 claims proven from the block that you trust/);
      expect(await claimsOn(page.page)).toContain(
        '✓ Proven: Upgrade "v3" is scheduled for block 50 in the state after block 19.',
      );
    }
    expect(await page.page.evaluate(() => "pwned" in globalThis)).toBe(false);
    expect(page.complaints).toEqual([]);
    const before = site.asked.length;
    // Longer than the page waits between two requests.
    await page.page.waitForTimeout(5_500);
    expect(site.asked.length).toBe(before);
    await page.page.locator("#close").click();
    await page.page.locator("#source", { hasText: /^Source: / }).waitFor();
  });

  test("a fork in a file that is dropped on the page → refused from the reader's block; amber without one", async () => {
    const page = await opened();
    const json = JSON.stringify(await evidenceOf(FORK));
    await page.page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "fork\u202e.json"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, json);
    await settled(page);
    expect(await textOn(page.page, "#source")).toContain("fork\\u202e.json");
    expect(await textOn(page.page, "#verdict")).toContain("this source named itself");
    expect(await page.page.locator(".badge.proven").count()).toBe(0);
    await typeTrust(page, HONEST);
    await settled(page);
    expect(await textOn(page.page, "#verdict")).toMatch(/^Not checked: your trusted block, 3, has another hash here/);
    expect(await claimsOn(page.page)).toEqual([]);
  });

  test.each([
    ["a page of something else", "<html>LIE</html>", /not a saved page of an upgrade/],
    ["the page without evidence", readFileSync(join(DIST, "web/index.html"), "utf8"), /saved without evidence/],
  ])("%s → a clear error; what was shown stays", async (_what, content, why) => {
    const page = await opened();
    const before = await textOn(page.page, "#claims");
    await choose(page, fileOf("wrong.html", content));
    expect(await textOn(page.page, "#open-error")).toMatch(why);
    expect(await textOn(page.page, "#open-error")).not.toContain("LIE");
    expect(await textOn(page.page, "#claims")).toBe(before);
    expect(await textOn(page.page, "#source")).toMatch(/^Source: /);
  });

  test("no JSON, and a file that is too large → refused, with the limit", async () => {
    const page = await opened();
    await choose(page, fileOf("no.json", "LIE"));
    expect(await textOn(page.page, "#claims")).toMatch(/Refused: sent by this file the document is not JSON/);
    await choose(page, fileOf("large.json", `"${" ".repeat(17 * 1_024 * 1_024)}"`));
    expect(await textOn(page.page, "#claims")).toMatch(/more than 16777216 bytes/);
  });
});
