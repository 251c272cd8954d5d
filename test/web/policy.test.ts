/** `chain-upgrade/verify` in pages with a strict Content-Security-Policy, in each browser that is here. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { type Prepared, preparedData } from "../engines/verify/data.js";
import { Firefox, firefoxProgram } from "./firefox.js";
import { type StrictSite, strictSite } from "./strict-site.js";
import { WebKit, webkitMissing } from "./webkit.js";

const MINUTES = 120_000;
const END = /\nend$/;

interface Opened {
  textOf(url: string): Promise<string>;
  close(): Promise<unknown>;
}

async function chromium(): Promise<Opened> {
  const browser = await launchChromium();
  const textOf = async (url: string) => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.locator("body", { hasText: END }).waitFor();
    return (await page.textContent("body")) ?? "";
  };
  return { textOf, close: () => browser.close() };
}

async function firefox(): Promise<Opened> {
  const browser = await Firefox.launch(firefoxProgram() ?? "");
  const body = `new Promise((resolve) => {
    const look = () => ${END}.test(document.body.textContent) ? resolve(document.body.textContent) : setTimeout(look, 50);
    look();
  })`;
  return {
    textOf: async (url) => await browser.text(await browser.open(url), body),
    close: () => browser.close(),
  };
}

async function webkit(): Promise<Opened> {
  const browser = await WebKit.launch();
  const textOf = async (url: string) => {
    await browser.open(url);
    return await browser.text("body", END, MINUTES / 2);
  };
  return { textOf, close: () => browser.close() };
}

const BROWSERS = [
  { name: "Chromium", open: chromium, missing: prepareChromium() },
  { name: "Firefox", open: firefox, missing: firefoxProgram() ? undefined : "skipped: Firefox is missing here" },
  { name: "WebKit", open: webkit, missing: webkitMissing() },
];

let data: Prepared;
let site: StrictSite;
beforeAll(async () => {
  data = await preparedData();
  site = await strictSite(data.json);
}, MINUTES);
afterAll(() => site.close());

describe.each(BROWSERS)("a strict policy in $name", ({ name, open, missing }) => {
  test.skipIf(missing !== undefined)(
    `${name}: with wasm-unsafe-eval all works; without it claims do, and a run says what is missing${missing ? ` (${missing})` : ""}`,
    async () => {
      const browser = await open();
      try {
        const allowed = await browser.textOf(site.allowing);
        expect(allowed).toMatch(data.claims);
        expect(allowed).toContain("forged: UPG_PROOF_COMMIT");
        expect(allowed).toContain(data.run);
        const forbidden = await browser.textOf(site.forbidding);
        expect(forbidden).toMatch(data.claims);
        expect(forbidden).toContain("forged: UPG_PROOF_COMMIT");
        expect(forbidden).toMatch(/^run: UPG_HANDLER_ENGINE cannot run .*Add 'wasm-unsafe-eval' to script-src/m);
      } finally {
        await browser.close();
      }
    },
    MINUTES,
  );
});
