/**
 * An upgrade of 3,000 and of 200,000 accounts run again in Chromium, by the page and its program as they are built. Each round
 * is a new browser: its first run is cold, the next ones are warm. The app hash comes out equal each time, or the bench fails.
 */
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { launchChromium } from "../../test/engines/chromium.js";
import { HANDLER, type Upgraded, upgraded } from "../bulk/upgraded.js";
import type { RunFiles, RunTimes } from "../page/client.js";
import { openSite, type Site } from "../page/site.js";

const ROUNDS = Number(process.argv[2]);
const WARM_RUNS = 3;
/** Milliseconds that are due of a cold run, the download from this machine included. */
const SIZES = [
  { accounts: 3_000, coldMax: 400 },
  { accounts: 200_000, coldMax: 2_500 },
];
const CLIENT = "build/bench/page-client.js";

interface Run extends RunTimes {
  /** Milliseconds of the processor, of all processes of the browser. */
  readonly cpu: number;
}

/** So many runs in a new page. */
async function runsIn(browser: Browser, { url, files }: Site, headers: Upgraded["headers"], runs: number) {
  const page = await browser.newPage({ bypassCSP: true });
  await page.goto(url);
  await page.addScriptTag({ path: CLIENT });
  // The page has asked its source for a chain, and found none.
  await page.waitForFunction(() => !/^Asking/.test(document.getElementById("verdict")?.textContent ?? ""));
  const taken: Run[] = [];
  for (let i = 0; i < runs; i++) {
    const before = await cpuMillis(browser);
    const times = await page.evaluate(
      ([asked, two]) =>
        // What CLIENT put into the page: the types of this file are Node's.
        (globalThis as unknown as { runHere(files: RunFiles, headers: unknown): Promise<RunTimes> }).runHere(
          asked as RunFiles,
          two,
        ),
      [files, headers] as const,
    );
    taken.push({ ...times, cpu: (await cpuMillis(browser)) - before });
  }
  await page.close();
  return taken;
}

/** Of the processor, by all processes of the browser so far. */
async function cpuMillis(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
}

async function rowsOf({ accounts, coldMax }: (typeof SIZES)[number]): Promise<object[]> {
  const { witness, headers } = upgraded(accounts);
  const site = await openSite(witness, HANDLER);
  const [cold, warm]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const browser = await launchChromium();
    const [first, ...others] = await runsIn(browser, site, headers, 1 + WARM_RUNS).finally(() => browser.close());
    if (first) cold.push(first);
    warm.push(...others);
  }
  site.close();
  const name = `${accounts.toLocaleString("en-US")} accounts`;
  const row = (what: string, samples: number[]) => ({ row: `${name}: ${what}`, unit: "ms", samples });
  return [
    {
      ...row(
        "cold",
        cold.map(({ fetched, ran }) => fetched + ran),
      ),
      valueMax: coldMax,
    },
    row(
      "cold, its download from this machine",
      cold.map(({ fetched }) => fetched),
    ),
    row(
      "cold, processor",
      cold.map(({ cpu }) => cpu),
    ),
    row(
      "warm",
      warm.map(({ fetched, ran }) => fetched + ran),
    ),
    row(
      "warm, processor",
      warm.map(({ cpu }) => cpu),
    ),
    { ...row("witness", [witness.length / 1_024]), unit: "KiB" },
  ];
}

await build({
  entryPoints: ["bench/page/client.ts"],
  outfile: CLIENT,
  bundle: true,
  format: "iife",
  target: "es2022",
  logLevel: "error",
});
const rows: object[] = [];
for (const size of SIZES) rows.push(...(await rowsOf(size)));
process.stdout.write(JSON.stringify(rows));
