/** The fewest light blocks over which trust goes from one header to a later one. */
import type { LightBlock } from "../comet/light-block.js";
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

/**
 * The blocks after `from` up to `target`, each reachable from the one before it by the powers that signed. Signatures
 * are not verified here: `advance` does that over the path.
 *
 * @throws UpgradeError UPG_PROOF_TRUST when a server gives no path, and what `ask` throws
 */
export async function pathTo(
  from: AskedLightBlock,
  target: AskedLightBlock,
  ask: (height: bigint) => Promise<AskedLightBlock>,
): Promise<AskedLightBlock[]> {
  const path: AskedLightBlock[] = [];
  const waiting = [target];
  let at = from;
  for (let next = waiting.at(-1); next; next = waiting.at(-1)) {
    if (path.length + waiting.length > LIGHT_BLOCKS_MAX) {
      throw untrusted("power", `no path of ${LIGHT_BLOCKS_MAX} headers leads to height ${heightOf(target)}`);
    }
    if (canSkip(at.lightBlock, next.lightBlock)) {
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
