/** The page in another browser than the one that most tests of it use. */
import { afterAll, describe, expect, test } from "vitest";
import { Firefox, firefoxProgram } from "./firefox.js";
import { hashOf, PageHome } from "./page-nodes.js";

const MINUTES = 120_000;
const TRUSTED = 20;
const program = firefoxProgram();
const home = program === undefined ? undefined : new PageHome({ upgradeHeight: 5_000, blocks: 30 });
afterAll(async () => {
  await home?.stop();
  home?.remove();
});

describe.skipIf(!program)(`the page in Firefox${program ? "" : " (skipped: Firefox is missing here)"}`, () => {
  test("a link with a trusted block → the same verdict as in Chromium", { timeout: MINUTES }, async () => {
    if (!program || !home) return;
    const url = await home.start("--app-version", "1");
    const firefox = await Firefox.launch(program);
    try {
      const tab = await firefox.open(`${url}#trust=${TRUSTED}:${await hashOf(url, TRUSTED)}`);
      const settled = `new Promise((resolve) => {
        const look = () => /^(Checked|Refused)/.test(document.getElementById("verdict").textContent)
          ? resolve(document.getElementById("verdict").textContent + document.getElementById("claims").textContent)
          : setTimeout(look, 50);
        look();
      })`;
      const said = await firefox.text(tab, settled);
      expect(said).toMatch(/^Checked: consistent, but only from a block that came with the link/);
      expect(said).toContain('Upgrade "v2" is scheduled');
    } finally {
      await firefox.close();
    }
  });
});
