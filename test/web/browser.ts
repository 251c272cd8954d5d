/** The page in Chromium: opened, waited for, and every request that it makes noted. */
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

const MILLIS_MAX = 20_000;

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses of all requests so far, those of workers too. */
  readonly requests: readonly string[];
  /** What the browser complained of: scripts that were refused, errors that nobody caught. */
  readonly complaints: readonly string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  viewport?: { width: number; height: number },
): Promise<OpenPage> {
  const context = await browser.newContext(viewport ? { viewport } : {});
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => /Content Security Policy/i.test(message.text()) && complaints.push(message.text()));
  await page.addInitScript(noteShifts);
  await page.goto(url);
  return { page, context, requests, complaints };
}

/** Runs in the page, before its own script. */
function noteShifts(): void {
  const shifts = { sum: 0, moved: [] as string[] };
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    // What moves at once because the reader pressed something is expected, and does not count.
    interface Shift extends PerformanceEntry {
      readonly value: number;
      readonly hadRecentInput: boolean;
      readonly sources: readonly { readonly node: Node | null }[];
    }
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue;
      shifts.sum += value;
      shifts.moved.push(`${value}: ${sources.map(({ node }) => node?.textContent?.trim().slice(0, 40)).join(" | ")}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
}

interface Shifts {
  /** How much of the layout moved under the reader's eyes; 0.1 counts as good. */
  sum: number;
  /** What moved, for the message of a test. */
  moved: string[];
}

export function shiftsOf(page: Page): Promise<Shifts> {
  return page.evaluate(() => (globalThis as unknown as { shifts: Shifts }).shifts);
}

/** Waits for an element, or fails with all that the page says. */
async function seen(page: Page, found: Locator): Promise<void> {
  try {
    await found.waitFor({ timeout: MILLIS_MAX });
  } catch (cause) {
    throw new Error(`${found} is not on the page:\n${await textOn(page, "body")}`, { cause });
  }
}

/** Waits for the verdict on the evidence, and returns it. */
export async function verdictOf(page: Page, pattern = /^(?:Checked|Refused)/): Promise<string> {
  const verdict = page.getByRole("status").first();
  await seen(page, verdict.filter({ hasText: pattern }));
  return (await verdict.textContent()) ?? "";
}

/**
 * The reader has compared the hash that came with the address; the verdict then. What moves by it is expected, also on a machine
 * on which it is not drawn at once.
 */
export async function compared(page: Page): Promise<string> {
  const before = await shiftsOf(page);
  await page.getByRole("button", { name: "I have compared this hash" }).click();
  const verdict = await verdictOf(page, /proven from/);
  await page.evaluate(async (shifts) => {
    const drawn = () => new Promise(requestAnimationFrame);
    await drawn();
    await drawn();
    Object.assign((globalThis as unknown as { shifts: object }).shifts, shifts);
  }, before);
  return verdict;
}

/** What is claimed: the badge and the words of each. */
export async function claimsOn(page: Page): Promise<string[]> {
  const texts = await page.locator("#claims .claims > li").allInnerTexts();
  return texts.map((text) => text.split("\n").filter(Boolean).slice(0, 2).join(": "));
}

export function untilMood(page: Page, mood: string): Promise<void> {
  return seen(page, page.locator(`#now[data-mood="${mood}"]`));
}

/** What is seen of an element, line by line. */
export async function textOn(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).allInnerTexts()).join("\n");
}
