/** What every state of the page has to keep to; `npm run pictures` writes what it looks like then into docs/pictures. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT } from "../house/sources.js";
import { violationsInBoth } from "./axe.js";
import { shiftsOf } from "./browser.js";

const PICTURES = process.env["WRITE_PICTURES"] ? join(ROOT, "docs/pictures") : undefined;
const SHIFTS_MAX = 0.02;

/** No violation of axe's rules in light or dark, nothing wider than the window, nothing that jumps. */
export async function expectSound(page: Page, picture?: string): Promise<void> {
  if (PICTURES && picture) {
    mkdirSync(PICTURES, { recursive: true });
    await page.emulateMedia({ colorScheme: "light" });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(PICTURES, `${picture}.png`) });
  }
  // First, since axe takes seconds on a busy machine, and the chain goes on to another state meanwhile.
  const { sum, moved } = await shiftsOf(page);
  expect(sum, moved.join("\n")).toBeLessThan(SHIFTS_MAX);
  const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await isWide()).toBe(false);
  expect(await violationsInBoth(page)).toEqual([]);
}
