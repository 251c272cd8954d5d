/** axe-core on a page: what of it people with a screen reader, a keyboard or weak eyes could not use. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** Each violation with the elements that have it; none is the aim. */
async function violationsOn(page: Page): Promise<string[]> {
  // By the debugger's own way in: the page's policy lets no script be added.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] }),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" · ")}`);
}

/** In light and in dark. */
export async function violationsInBoth(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violationsOn(page)).map((each) => `${colorScheme} ${each}`));
  }
  return found;
}
