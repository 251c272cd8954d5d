/** The page in WebKit, the engine of Safari. */
import { afterAll, describe, expect, test } from "vitest";
import { hashOf, PageHome } from "./page-nodes.js";
import { WebKit, webkitMissing } from "./webkit.js";

const MINUTES = 120_000;
const TRUSTED = 20;
const missing = webkitMissing();
const home = missing === undefined ? new PageHome({ upgradeHeight: 5_000, blocks: 30 }) : undefined;
afterAll(async () => {
  await home?.stop();
  home?.remove();
});

describe.skipIf(missing !== undefined)(`the page in WebKit${missing ? ` (${missing})` : ""}`, () => {
  test("a link with a trusted block → the same verdict as in Chromium", { timeout: MINUTES }, async () => {
    if (!home) return;
    const url = await home.start("--app-version", "1");
    const webkit = await WebKit.launch();
    try {
      await webkit.open(`${url}#trust=${TRUSTED}:${await hashOf(url, TRUSTED)}`);
      const verdict = await webkit.text("#verdict", /^(?:Checked|Refused)/, MINUTES / 2);
      expect(verdict).toMatch(/^Checked: consistent, but only from a block that came with the link/);
      expect(await webkit.text("#claims", /./, MINUTES / 2)).toContain('Upgrade "v2" is scheduled');
    } finally {
      await webkit.close();
    }
  });
});
