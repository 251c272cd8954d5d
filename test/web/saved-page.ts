/** A page as a reader saves it: one file that verifies, and is looked at, without a network. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { compared, openPage, untilMood, verdictOf } from "./browser.js";
import { expectSound } from "./sound.js";

let saves = 0;

/** Into a folder, under a name of its own. */
export async function savedPage(page: Page, folder: string): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
  const file = join(folder, `${saves++}-${saved.suggestedFilename()}`);
  await saved.saveAs(file);
  return file;
}

/** A saved page verifies from a file, without a request; one whose evidence was changed is refused. */
export async function expectKept(browser: Browser, page: Page, folder: string): Promise<void> {
  const trust = page.url().split("#")[1] ?? "";
  const file = await savedPage(page, folder);
  const opened = await openPage(browser, pathToFileURL(file).href);
  expect(await verdictOf(opened.page)).toContain("from a block that this source named itself");
  await opened.page.goto(`${pathToFileURL(file).href}#${trust}`);
  await verdictOf(opened.page, /came with the link/);
  expect(await compared(opened.page)).toMatch(/[1-9] claims proven/);
  await untilMood(opened.page, "done");
  expect(opened.requests.filter((url) => !/^(?:file|blob):/.test(url))).toEqual([]);
  expect(opened.complaints).toEqual([]);
  await expectSound(opened.page);
  const changed = join(folder, "changed.html");
  writeFileSync(changed, withOtherProof(readFileSync(file, "utf8")));
  const { page: refused } = await openPage(browser, pathToFileURL(changed).href);
  expect(await verdictOf(refused)).toMatch(/^Refused/);
}

/** A saved page with one letter changed in the first proof of its evidence. */
function withOtherProof(html: string): string {
  const at = html.indexOf('"data":"', html.lastIndexOf('id="saved">')) + 40;
  expect(at).toBeGreaterThan(40);
  return html.slice(0, at) + (html[at] === "A" ? "B" : "A") + html.slice(at + 1);
}
