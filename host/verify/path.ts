/** The fewest light blocks over which trust goes from one header to a later one. */
import { lastOf } from "../base/text/checked-index.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import { canSkip, untrusted } from "./light.js";
import type { EvidenceLightBlock } from "./types.js";

/** Light blocks of one document. */
export const LIGHT_BLOCKS_MAX = 10_000;
/** Where a jump is too far, the next try is at 9/16 of it: CometBFT's light client found that to need few requests. */
const [PIVOT_NUMERATOR, PIVOT_DENOMINATOR] = [9n, 16n];

/** A light block as it was read, and as it came. */
export interface AskedLightBlock {
  readonly lightBlock: LightBlock;
  readonly json: EvidenceLightBlock;
}

const heightOf = ({ lightBlock }: AskedLightBlock) => lightBlock.signedHeader.header.height;

/** Headers that are asked for on one way: CometBFT's bisection of a chain needs a few, at most two for each doubling. */
const HEADERS_ASKED_MAX = 200;

/** Asks for a block, and carries trust over a step. */
export interface PathCalls {
  readonly ask: (height: bigint) => Promise<AskedLightBlock>;
  /** Rejects a block that trust does not reach. */
  readonly verify: (from: LightBlock, next: LightBlock) => Promise<unknown>;
}

/**
 * The blocks after `from` up to `target`, each verified from the one before it, so that the first false one ends it.
 *
 * @throws UpgradeError UPG_PROOF_TRUST when a server gives no path, and what the calls throw
 */
export async function pathTo(
  from: AskedLightBlock,
  target: AskedLightBlock,
  { ask, verify }: PathCalls,
): Promise<AskedLightBlock[]> {
  const path: AskedLightBlock[] = [];
  const waiting = [target];
  let at = from;
  for (let next = lastOf(waiting); next; next = lastOf(waiting)) {
    if (path.length + waiting.length > HEADERS_ASKED_MAX) {
      throw untrusted("power", `no path of ${HEADERS_ASKED_MAX} headers leads to height ${heightOf(target)}`);
    }
    if (canSkip(at.lightBlock, next.lightBlock)) {
      await verify(at.lightBlock, next.lightBlock);
      path.push(next);
      waiting.pop();
      at = next;
    } else {
      waiting.push(await ask(pivot(heightOf(at), heightOf(next))));
    }
  }
  return path;
}

/** Strictly between: neighbours are always reachable. */
function pivot(from: bigint, to: bigint): bigint {
  const ahead = ((to - from) * PIVOT_NUMERATOR) / PIVOT_DENOMINATOR;
  return from + (ahead < 1n ? 1n : ahead);
}
