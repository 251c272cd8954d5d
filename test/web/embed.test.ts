/** The page inside other sites, as docs/page.md has it: an iframe by hand, and the script tag with its hash. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIST } from "../e2e/chaind.js";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { ROOT } from "../house/sources.js";
import { openPage } from "./browser.js";
import { HONEST } from "./lies/chains.js";
import { hashOf } from "./lies/lie.js";
import { lyingSite, type Site } from "./lies/site.js";
import { otherSite } from "./other-site.js";

const missing = prepareChromium();
const DOCS = readFileSync(join(ROOT, "docs/page.md"), "utf8");
let browser: Browser;
let node: Site;

afterAll(async () => {
  await browser?.close();
  node?.close();
});

/** An element of the documentation, with this test's node and trusted block in it. */
function documented(element: string): string {
  const [found] = new RegExp(`<${element} src="https://node\\.example[\\s\\S]*?</${element}>`).exec(DOCS) ?? [];
  const script = readFileSync(join(DIST, "web/embed.js"));
  return (found ?? "")
    .replaceAll("https://node.example/", node.url)
    .replace(/100:[0-9A-F]{64}/, `3:${hashOf(HONEST, 3)}`)
    .replace("sha384-HASH", `sha384-${createHash("sha384").update(script).digest("base64")}`);
}

/** Texts of the page in the iframe of a site; undefined: the site has none. */
async function framed(element: string): Promise<string | undefined> {
  const site = await otherSite({ "/": `<!doctype html><title>t</title><p>x</p>${element}` });
  try {
    const { page } = await openPage(browser, site.url);
    if ((await page.locator("iframe").count()) === 0) return undefined;
    const verdict = page
      .frameLocator("iframe")
      .getByRole("status")
      .filter({ hasText: /^(?:Checked|Refused|No evidence)/ });
    await verdict.first().waitFor();
    return (await verdict.first().textContent()) ?? "";
  } finally {
    site.close();
  }
}

describe.skipIf(missing !== undefined)(`the page in other sites${missing ? ` (${missing})` : ""}`, () => {
  beforeAll(async () => {
    browser = await launchChromium();
    node = await lyingSite(HONEST);
  });

  test("the documented iframe → the site's block is amber until the reader has compared it", async () => {
    expect(documented("iframe")).toContain("sandbox=");
    expect(await framed(documented("iframe"))).toMatch(
      /^Checked: consistent, but only from a block that came with the link/,
    );
  });

  test("the documented script tag with its hash → the same; with another hash → no page", async () => {
    const tag = documented("script");
    expect(tag).toMatch(/integrity="sha384-[^H]/);
    expect(await framed(tag)).toMatch(/^Checked: consistent, but only from a block that came with the link/);
    expect(await framed(tag.replace(/sha384-.{8}/, "sha384-AAAAAAAA"))).toBeUndefined();
  });
});
