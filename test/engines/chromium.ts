/** A Chromium of the machine, and how much memory the process of a page takes. */
import { readFileSync, writeFileSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./prepare.js";

/** What a page would do besides, left out. @param flags of its engine, as Node takes them @param more of the browser's own */
export function launchChromium(flags: readonly string[] = [], more: readonly string[] = []): Promise<Browser> {
  const quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  const engine = flags.length > 0 ? [`--js-flags=${flags.join(" ")}`] : [];
  return chromium.launch({ executablePath: CHROMIUM, args: [...quiet, ...engine, ...more] });
}

/**
 * Bytes by which the greatest memory of a new browser's page process grows while it compiles and runs a metered module.
 *
 * @param runner page-runner.ts, bundled
 */
export async function pageMemory(runner: string, file: string, flags: readonly string[]): Promise<number> {
  const browser = await launchChromium(flags);
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ path: runner });
    const run = (input: string) =>
      (globalThis as { compileAndRun?: (base64: string) => Promise<void> }).compileAndRun?.(input);
    // The least module there is: what the engine takes once is taken.
    await page.evaluate(run, "AGFzbQEAAAA=");
    const before = new Map((await processesOf(browser, "renderer")).map((id) => [id, greatestMemory(id, true)]));
    await page.evaluate(run, readFileSync(file).toString("base64"));
    // Besides the page's own there may be a spare process, in which nothing happens.
    return Math.max(...[...before].map(([id, memory]) => greatestMemory(id) - memory));
  } finally {
    await browser.close();
  }
}

/** Bytes that the greatest page process, and the browser's own process, have at most while `work` is under way. */
export async function peakWhile(
  browser: Browser,
  work: () => Promise<unknown>,
): Promise<{ page: number; own: number }> {
  const [pages, own] = [await processesOf(browser, "renderer"), await processesOf(browser, "browser")];
  for (const id of [...pages, ...own]) greatestMemory(id, true);
  await work();
  const peak = (ids: readonly number[]) => Math.max(...ids.map((id) => greatestMemory(id)));
  return { page: peak(pages), own: peak(own) };
}

async function processesOf(browser: Browser, type: "renderer" | "browser"): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = (await session.send("SystemInfo.getProcessInfo")) as {
    processInfo: readonly { readonly type: string; readonly id: number }[];
  };
  return processInfo.filter((each) => each.type === type).map(({ id }) => id);
}

/** @param fromNow counted from what it has now. 0: the process is gone */
function greatestMemory(process: number, fromNow = false): number {
  try {
    if (fromNow) writeFileSync(`/proc/${process}/clear_refs`, "5");
    const status = readFileSync(`/proc/${process}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
  } catch {
    return 0;
  }
}
