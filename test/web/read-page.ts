/** What the page shows once it has judged its source, for tests that compare it with others. */
import type { Browser } from "playwright-core";
import { claimsOn, compared, openPage, textOn, verdictOf } from "./browser.js";

export interface PageReading {
  readonly verdict: string;
  /** Badge and words of each. */
  readonly claims: readonly string[];
  /** The version map as a table, "": none is shown. */
  readonly versions: string;
  /** Of what was refused; "": nothing was. */
  readonly code: string;
}

/**
 * As a reader sees it who has compared the trusted hash that is in the address.
 *
 * @throws Error when the page ran what its policy forbids, or a script of it failed
 */
export async function readPage(browser: Browser, url: string): Promise<PageReading> {
  const { page, context, complaints } = await openPage(browser, url);
  try {
    const first = await verdictOf(page);
    const verdict = first.includes("came with the link") ? await compared(page) : first;
    const [code = ""] = /UPG_[A-Z_]+/.exec(await textOn(page, "#claims")) ?? [];
    const versions = (await page.locator("#versions").isVisible()) ? await textOn(page, "#versions") : "";
    if (complaints.length > 0) throw new Error(`${url}: ${complaints.join("; ")}`);
    return { verdict, claims: await claimsOn(page), versions, code };
  } finally {
    await context.close();
  }
}
