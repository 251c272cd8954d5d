/**
 * The page in Chromium runs an upgrade again and saves the run: the greatest memory of its processes meanwhile. A run of a million
 * written key-value pairs (500,000 accounts, each an account and a balance) has to be saved in less memory than the limit.
 */
import { statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { launchChromium, peakWhile } from "../../test/engines/chromium.js";
import { MadeChain, timeOf } from "../../test/unit/verify/made-chain.js";
import { witnessOf } from "../../test/unit/verify/upgraded-chain.js";
import { openPage, verdictOf } from "../../test/web/browser.js";
import { lyingSite } from "../../test/web/lies/site.js";
import { CHAIN_ID, HANDLER, PLAN, UpgradedBlocks } from "../bulk/upgraded.js";

const accounts = Number(process.argv[2]);
/** The page's process may use so much memory while it saves a run of a million pairs. */
const SAVING_MIB_MAX = 700;
const BLOCKS = 4;
const BLOCK_SECONDS = 5;
const RUN_MILLIS_MAX = 300_000;
const MIB = 1_024 * 1_024;

/** Blocks of now, which one validator signs. */
const genesisSeconds = BigInt(Math.floor(Date.now() / 1_000) - BLOCKS * BLOCK_SECONDS);
const blocks = new UpgradedBlocks(accounts, (height) => timeOf(Number(height), genesisSeconds));
const chain = new MadeChain({
  ...{ blocks: BLOCKS, chainId: CHAIN_ID, genesisSeconds, members: () => [{ seed: 1, power: 10 }] },
  state: { stores: () => blocks.app.multiStore, commit: (height) => blocks.commit(BigInt(height)) },
});
const { bytes: witness } = witnessOf(blocks, blocks.handler, PLAN.height, chain.timeAt(Number(PLAN.height)));

const file = (bytes: Uint8Array) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes.length }).end(bytes);
const site = await lyingSite(chain, {
  status: (honest) => ({
    ...honest,
    phase: "running",
    plan: null,
    last_upgrade: { ...PLAN, height: String(PLAN.height) },
  }),
  raw: { "/chain/upgrade/v1/witness/": file(witness), "/chain/upgrade/v1/handler/": file(HANDLER) },
});
const browser = await launchChromium();
try {
  const { page } = await openPage(browser, site.url);
  await verdictOf(page);
  const running = await peakWhile(browser, async () => {
    await page.locator("#run").click();
    await page.locator("#run-result", { hasText: "Run here in" }).waitFor({ timeout: RUN_MILLIS_MAX });
  });
  let saved = "";
  const saving = await peakWhile(browser, async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
    saved = await download.path();
  });
  const row = (name: string, bytes: number) => ({ row: name, unit: "MiB", samples: [bytes / MIB] });
  process.stdout.write(
    JSON.stringify([
      row("witness", witness.length),
      row("saved file", statSync(saved).size),
      row("page while running", running.page),
      { ...row("page while saving", saving.page), valueMax: SAVING_MIB_MAX },
      row("browser's own process while saving", saving.own),
    ]),
  );
} finally {
  await browser.close();
  site.close();
}
