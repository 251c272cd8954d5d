/** Servers, links and files that lie, each in its own way: what the page shows of them is labelled, and green only where it is true. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIST } from "../e2e/chaind.js";
import { launchChromium } from "../engines/chromium.js";
import { prepareChromium } from "../engines/prepare.js";
import { everyNth } from "../sample.js";
import { openPage, textOn } from "./browser.js";
import { HONEST } from "./lies/chains.js";
import { evidenceOf, FILE_LIES } from "./lies/files.js";
import { broken, truths } from "./lies/judge.js";
import { type Lie, settled, typeTrust } from "./lies/lie.js";
import { LINK_LIES } from "./lies/links.js";
import { REPORT_LIES } from "./lies/reports.js";
import { RPC_LIES } from "./lies/rpc.js";
import { type Loose, lyingSite } from "./lies/site.js";

const PAGE = join(DIST, "web/index.html");

const missing = prepareChromium();
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-lies-"));
const MILLIS_MAX = 120_000;
let browser: Browser;

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the reader of a lie sees, and every rule that the page breaks then. */
async function meet(url: string, { truth = HONEST, untyped, shows, hides, green }: Lie, hosts: readonly string[]) {
  const opened = await openPage(browser, url);
  try {
    await settled(opened);
    const isOpen = await opened.page.locator("#trust-height").isVisible();
    if (!untyped && isOpen) {
      await typeTrust(opened, truth);
      await settled(opened);
    }
    const run = opened.page.locator("#run");
    if (await run.isVisible()) {
      await run.click();
      await settled(opened);
    }
    const isTrue = await truths(truth);
    const wrong = await broken(opened, { true: untyped ? new Set() : isTrue, hosts });
    const text = await textOn(opened.page, "body");
    if (shows && !shows.test(text)) wrong.push(`${shows} is not shown`);
    if (hides?.test(text)) wrong.push(`${hides} is shown`);
    const isGreen = (await opened.page.locator(".badge.proven").count()) > 0;
    if (green !== undefined && green !== isGreen) wrong.push(isGreen ? "something is green" : "nothing is green");
    return wrong.length === 0 ? [] : [...wrong.map((each) => each.slice(0, 400)), text.slice(0, 3_000)];
  } finally {
    await opened.context.close();
  }
}

describe.skipIf(missing !== undefined)(`lies that the page meets${missing ? ` (${missing})` : ""}`, () => {
  beforeAll(async () => {
    browser = await launchChromium();
  });

  test.concurrent.each(everyNth(2, [...REPORT_LIES, ...RPC_LIES, ...LINK_LIES]))(
    "$name",
    async (lie) => {
      const [honest, liar] = [await lyingSite(lie.truth ?? HONEST), await lyingSite(lie.truth ?? HONEST, lie.lies)];
      try {
        const url = lie.at?.(honest, liar) ?? liar.url;
        // The page at an address that names a server of its own may ask that one.
        const named = ["rpc", "api"].flatMap((name) => new URL(url).searchParams.getAll(name));
        const hosts = named.flatMap((each) => (URL.canParse(each) ? [new URL(each).host] : []));
        expect(await meet(url, lie, [new URL(url).host, ...hosts])).toEqual([]);
      } finally {
        honest.close();
        liar.close();
      }
    },
    MILLIS_MAX,
  );

  test.concurrent.each(
    everyNth(
      2,
      FILE_LIES.map((lie, index) => ({ ...lie, index })),
    ),
  )(
    "a file: $name",
    async ({ index, chain = HONEST, edit, rewrite, isBlocked, ...lie }) => {
      const saved = { evidence: structuredClone(await evidenceOf(chain)), run: undefined };
      const document = edit?.(saved) ?? saved;
      const isWhole = typeof document === "object" && document !== null && "evidence" in document;
      const parts = isWhole ? document : { evidence: document, run: undefined };
      const html = Object.entries({ saved: parts.evidence, "saved-run": (parts as Loose).run }).reduce(
        (page, [id, part]) =>
          page.replace(
            `id="${id}">null`,
            () => `id="${id}">${JSON.stringify(part ?? null).replaceAll("<", "\\u003c")}`,
          ),
        readFileSync(PAGE, "utf8"),
      );
      const file = join(folder, `${index}.html`);
      writeFileSync(file, rewrite?.(html) ?? html);
      const wrong = await meet(pathToFileURL(file).href, lie, []);
      expect(isBlocked ? wrong.filter((each) => !/violates the following/.test(each)).slice(1) : wrong).toEqual([]);
    },
    MILLIS_MAX,
  );
});
