/**
 * A chain of the Cosmos SDK, verified from its own CometBFT, on a command line and by the page in Chromium: plan, upgrade and versions, and
 * what a server says that lies. It needs Chromium, and the chain's binaries, which `npm run verify:sdk` builds before it runs this.
 */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { fromHex } from "../../host/base/text/bytes.js";
import { provenFrom } from "../../host/cli/client/verify/proven.js";
import { RpcClient } from "../../host/node/remote/client.js";
import { DIST, run } from "../e2e/chaind.js";
import { launchChromium } from "../engines/chromium.js";
import { LIES, type Loose, withLies } from "../lying-proxy.js";
import { type OtherSite, otherSite } from "../web/other-site.js";
import { type PageReading, readPage } from "../web/read-page.js";
import { SdkChain } from "./sdk-chain.js";

const CHAIND = join(DIST, "chaind.js");
const SCENE_MILLIS = 600_000;

describe("a chain of the Cosmos SDK", () => {
  const chain = new SdkChain();
  let browser: Browser;
  let site: OtherSite;
  beforeAll(async () => {
    browser = await launchChromium();
    site = await otherSite({});
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await chain.close();
  });
  /** The page's folder on a web server that knows nothing of the chain. */
  const pageOf = (rpc: string, hash: string): Promise<PageReading> =>
    readPage(browser, `${site.url}page/index.html?rpc=${encodeURIComponent(rpc)}#trust=2:${hash}`);

  test(
    "verify-chain, and the page with ?rpc= → its plan while it waits; after the upgrade Done, versions before and after; lies refused",
    async () => {
      if (!chain) return;
      chain.init();
      await chain.start(1);
      await chain.untilHeight(3);
      const hash = await chain.hashAt(2);
      const trust = ["--trust-height", "2", "--trust-hash", hash];
      const verified = async (...args: string[]): Promise<Loose> => {
        const all = ["verify-chain", ...trust, "--node", chain.rpc, ...args, "-o", "json"];
        const { exit, stdout, stderr } = await run(CHAIND, all).end;
        expect([exit, stderr]).toEqual([0, ""]);
        return JSON.parse(stdout);
      };
      const height = await chain.schedule();
      const waiting = await verified();
      expect(waiting.chain_id).toBe("example-1");
      expect(valueIn(waiting, "plan")).toEqual({ name: "v2", height: String(height), info: "{}" });
      const before = valueIn(waiting, "versions");
      expect(Object.keys(before)).toContain("notes");
      expectPage(
        await pageOf(chain.rpc, hash),
        [`Upgrade "v2" is scheduled for block ${height} in the state after block `],
        before,
      );

      await chain.untilSays(`UPGRADE \\"v2\\" NEEDED at height: ${height}`);
      await chain.stop();
      await chain.start(2);
      await chain.untilHeight(height + 3);
      const after = await verified();
      expect(stateIn(after, "no-plan")).toBe("proven");
      expect(valueIn(after, "done")).toEqual({ name: "v2", height: String(height) });
      expect(valueIn(after, "versions-before")).toEqual(before);
      expect(valueIn(after, "plan-before")).toEqual({ name: "v2", height: String(height), info: "{}" });
      const changed = valueIn(after, "versions");
      expect(Number(changed.notes)).toBeGreaterThan(Number(before.notes));
      const said = [`Upgrade "v2" was applied in block ${height}.`, "No upgrade is scheduled after block "];
      expectPage(await pageOf(chain.rpc, hash), said, changed);
      // Its store has no receipts: a claim that is not made.
      expect(stateIn(after, "receipt")).not.toBe("proven");

      const flags = { trustHeight: 2n, trustHash: fromHex(hash.toLowerCase()), trustingPeriod: 10n ** 15n };
      for (const { name, lie, codes } of LIES) {
        const refused = await withLies(chain.rpc, lie, (url) =>
          provenFrom(new RpcClient(url), flags, { height: undefined, plan: undefined }).then(
            () => "believed",
            (error: unknown) => (isUpgradeError(error) ? error.code : error),
          ),
        );
        expect([name, codes.includes(String(refused)) ? true : refused]).toEqual([name, true]);
        const { code, claims } = await withLies(chain.rpc, lie, (url) => pageOf(url, hash));
        expect([name, "page", codes.includes(code) ? true : code, claims]).toEqual([name, "page", true, []]);
      }
    },
    SCENE_MILLIS,
  );
});

/** The page proves each of `said`, and nothing less; its table has each module's version. */
function expectPage({ verdict, claims, versions }: PageReading, said: readonly string[], modules: Loose): void {
  expect(verdict).toMatch(/^Checked: [1-9]\d* claims proven from the block that you trust/);
  for (const words of said) expect(claims).toContainEqual(expect.stringContaining(`✓ Proven: ${words}`));
  expect(claims.filter((claim) => !/^(?:✓ Proven|– Not shown): /.test(claim))).toEqual([]);
  for (const [name, version] of Object.entries(modules)) {
    expect(versions).toMatch(new RegExp(`^${name}\\s(?:.*\\s)?${version}$`, "m"));
  }
}

const find = (found: Loose, id: string): Loose => found.claims.find((claim: Loose) => claim.id === id);
const valueIn = (found: Loose, id: string): Loose => find(found, id)?.value;
const stateIn = (found: Loose, id: string): Loose => find(found, id)?.state;
