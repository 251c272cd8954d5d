/** A lie as the tables have it, and how a reader meets it. */
import { setTimeout as sleep } from "node:timers/promises";
import { toUpperHex } from "../../../host/base/text/bytes.js";
import type { MadeChain } from "../../unit/verify/made-chain.js";
import type { OpenPage } from "../browser.js";
import type { Lies, Site } from "./site.js";

export interface Lie {
  readonly name: string;
  /** Of the lying server; a server without lies otherwise. */
  readonly lies?: Lies;
  /** The address; the lying server's own page when left out. */
  readonly at?: (honest: Site, liar: Site) => string;
  /** The chain whose block 3 the reader types in, and whose claims are true; the honest one when left out. */
  readonly truth?: MadeChain;
  /** Does the reader type no block in? Then nothing may be green. */
  readonly untyped?: boolean;
  /** What must be on the page. */
  readonly shows?: RegExp;
  readonly hides?: RegExp;
  /** Is there a green claim? Not decided when left out. */
  readonly green?: boolean;
}

const MILLIS_MAX = 45_000;
/** The page may go from one check to the next. */
const QUIET_LOOKS = 5;

/** No worker verifies any more, and every part of the page has come to its words. */
export async function settled({ page }: OpenPage): Promise<void> {
  const until = Date.now() + MILLIS_MAX;
  for (let quiet = 0; quiet < QUIET_LOOKS && Date.now() < until; await sleep(60)) {
    const isAsking = await page.evaluate(() => /Asking/.test(`${document.getElementById("verdict")?.textContent}`));
    quiet = !isAsking && page.workers().length === 0 ? quiet + 1 : 0;
  }
}

export async function typeTrust({ page }: OpenPage, chain: MadeChain, height = 3): Promise<void> {
  // Sections are hidden until the first verdict; a reader cannot type before.
  await page.locator("#trust-height").fill(String(height));
  await page.locator("#trust-hash").fill(hashOf(chain, height));
  await page.keyboard.press("Enter");
}

export const hashOf = (chain: MadeChain, height: number) => toUpperHex(chain.hashAt(height));
