/**
 * Every node's RPC is verified from one block, before and after the upgrade, and every node's page in Chromium, while all hold at one
 * height; what is changed on the way is refused.
 */
import type { Browser } from "playwright-core";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { fromHex, toHex } from "../../host/base/text/bytes.js";
import { provenFrom } from "../../host/cli/client/verify/proven.js";
import { RpcClient } from "../../host/node/remote/client.js";
import type { Claim } from "../../host/verify/types.js";
import { launchChromium } from "../engines/chromium.js";
import { LIES, type Loose, withLies } from "../lying-proxy.js";
import { readPage } from "../web/read-page.js";
import type { Network } from "./network.js";
import { type NetNode, until } from "./node.js";
import { expectSame, HEIGHTS_AFTER, type Scene } from "./scenes.js";

const PLAN = "v2";
const PERIOD = 10n ** 15n;
/** Nodes hold until they are ended. */
const HOLD = ["--halt-linger", "1h"];

const urlOf = ({ own }: NetNode) => `http://127.0.0.1:${own.rpc}`;
const restOf = ({ own }: NetNode) => `http://127.0.0.1:${own.api}`;

async function trustedBlock(node: NetNode) {
  const { signed_header } = (await node.rpc.call("commit", { height: "2" })) as Loose;
  const trustHash = fromHex(String(signed_header.commit.block_id.hash).toLowerCase());
  return { trustHeight: 2n, trustHash, trustingPeriod: PERIOD };
}

type Trust = Awaited<ReturnType<typeof trustedBlock>>;

async function claimsOf(node: NetNode, trust: Trust, height: number): Promise<readonly Claim[]> {
  const { claims } = await provenFrom(new RpcClient(urlOf(node)), trust, { height: BigInt(height), plan: undefined });
  return claims.claims.filter(({ state }) => state !== "unproven");
}

/** The same claims, all proven, from each node. @returns their words */
async function sameClaims(network: Network, trust: Trust, height: number): Promise<readonly string[]> {
  await network.untilHeight(height + 1);
  const all = await Promise.all(
    network.nodes.map(async (node) =>
      (await claimsOf(node, trust, height)).map(({ state, words }) => `${state} ${words}`),
    ),
  );
  const [first = []] = all;
  for (const each of all) expectSame(`claims about block ${height}`, each, first);
  return first;
}

/** Until each node holds at the height, and its status says why. */
async function untilHeld(network: Network, code: string, height: number): Promise<void> {
  for (const node of network.nodes) {
    await until(`${node.own.name} says that it has halted`, async () => {
      const status = (await (await fetch(`${restOf(node)}/chain/upgrade/v1/status`)).json()) as Loose;
      if (status.phase !== "halted") return false;
      expectSame(`the halt of ${node.own.name}`, [status.halt.code, status.halt.height], [code, String(height)]);
      if (JSON.stringify(status).includes(node.home)) throw new Error(`${node.own.name} serves the path of its home`);
      return true;
    });
  }
}

/** A page as its node serves it; the trusted hash is the reader's own. */
const pageAt = (browser: Browser, rest: string, { trustHeight, trustHash }: Trust) =>
  readPage(browser, `${rest}/#trust=${trustHeight}:${toHex(trustHash)}`);

/** The same claims and versions, all proven, on each node's page. @returns the claims */
async function samePages(network: Network, browser: Browser, trust: Trust): Promise<readonly string[]> {
  const pages: string[][] = [];
  for (const node of network.nodes) {
    const { verdict, claims, versions } = await pageAt(browser, restOf(node), trust);
    const weak = claims.filter((claim) => !/^(?:✓ Proven|– Not shown): /.test(claim));
    if (!/^Checked: [1-9]/.test(verdict) || weak.length > 0) throw new Error(`${verdict}: ${claims.join("; ")}`);
    pages.push([...claims, versions]);
  }
  const [first = []] = pages;
  for (const each of pages) expectSame("claims of a page", each, first);
  return first;
}

function requireClaims(claims: readonly string[], wanted: readonly string[]): void {
  for (const each of wanted)
    if (!claims.some((claim) => claim.startsWith(each))) throw new Error(`${each}: only ${claims.join("; ")}`);
}

/** By who asks the RPC, and by the page of the same server. */
async function refuseLies(node: NetNode, browser: Browser, trust: Trust, height: number): Promise<void> {
  for (const { name, lie, codes } of LIES) {
    const refused = await withLies(urlOf(node), lie, (url) =>
      provenFrom(new RpcClient(url), trust, { height: BigInt(height), plan: undefined }).then(
        () => "believed",
        (error: unknown) => (isUpgradeError(error) ? error.code : String(error)),
      ),
    );
    const { code, claims } = await withLies(restOf(node), lie, (url) => pageAt(browser, url, trust));
    for (const [who, found] of [
      ["the RPC", refused],
      ["the page", code],
    ] as const) {
      if (!codes.includes(found)) throw new Error(`${who} sends ${name}: "${found}", expected ${codes.join(" or ")}`);
    }
    expectSame(`claims of a page that refuses ${name}`, claims, []);
  }
}

async function scene(network: Network, browser: Browser) {
  network.start({ flags: ["--app-version", "1", ...HOLD] });
  await network.untilHeight(3);
  const [first] = network.nodes;
  if (!first) throw new Error("no node");
  const trust = await trustedBlock(first);
  const height = await network.schedule(PLAN, "");
  await untilHeld(network, "UPG_HALT_UPGRADE_NEEDED", height);
  const scheduled = `Upgrade "${PLAN}" is scheduled for block ${height} in the state after block `;
  requireClaims(await samePages(network, browser, trust), [`✓ Proven: ${scheduled}`]);
  await endAll(network, 10);
  const last = height + HEIGHTS_AFTER;
  network.start({ flags: ["--halt-height", String(last + 1), ...HOLD] });
  await network.untilHeight(height + 3);
  requireClaims(await sameClaims(network, trust, height - 1), [`proven ${scheduled}`]);
  const after = await sameClaims(network, trust, height + 1);
  const applied = `Upgrade "${PLAN}" was applied in block ${height}.`;
  requireClaims(after, [`proven ${applied}`, `proven No upgrade is scheduled after block ${height + 1}.`]);
  await untilHeld(network, "UPG_HALT_HEIGHT", last + 1);
  const pages = await samePages(network, browser, trust);
  requireClaims(pages, [`✓ Proven: ${applied}`, `✓ Proven: No upgrade is scheduled after block ${last}.`]);
  await refuseLies(first, browser, trust, height + 1);
  const compared = await network.compare();
  await endAll(network, 13);
  return {
    ...compared,
    counts: `${after.length} claims of 4 nodes and their pages, ${LIES.length} lies refused twice`,
  };
}

/** Nodes that hold end with the status of their halt. */
async function endAll(network: Network, exit: number): Promise<void> {
  const ends = await Promise.all(network.nodes.map(async (node) => (await node.stop()).exit));
  expectSame("exit statuses at the height", ends, [exit, exit, exit, exit]);
}

export const verify: Scene = {
  name: "verify",
  what: "four RPCs and the page of each node in Chromium, verified from block 2, as a plan waits and after the upgrade: the same claims; what a proxy changes is refused",
  async run(network) {
    const browser = await launchChromium();
    try {
      return await scene(network, browser);
    } finally {
      await browser.close();
    }
  },
};
