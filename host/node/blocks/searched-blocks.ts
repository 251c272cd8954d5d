/** The blocks as a search sees them; the last few are kept decoded, since hits come in the order of heights. */

import { isUpgradeError } from "../../base/errors/errors.js";
import { toUpperHex } from "../../base/text/bytes.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import type { TxPlace } from "../index/postings.js";
import type { BlockResults } from "./block-results.js";
import type { BlockStore } from "./block-store.js";
import type { Searched } from "./event-search.js";

const BLOCKS_HELD = 16;

interface Held {
  readonly results: BlockResults;
  /** Upper-case hex, made when asked for. */
  hashes: readonly string[] | undefined;
}

export class SearchedBlocks implements Searched {
  readonly #held = new Map<Height, Held>();

  constructor(
    private readonly blocks: BlockStore,
    private readonly sha256: Sha256,
  ) {}

  heights(): { readonly lowest: Height; readonly last: Height } | undefined {
    const last = this.blocks.latest()?.header.height;
    const lowest = this.blocks.lowest();
    return last === undefined || lowest === undefined ? undefined : { lowest, last };
  }

  results(height: Height): BlockResults | undefined {
    return this.#hold(height)?.results;
  }

  txHash({ height, index }: TxPlace): string {
    const held = this.#hold(height);
    if (!held) return "";
    held.hashes ??= this.blocks.block(height).txs.map((tx) => toUpperHex(this.sha256(tx)));
    return held.hashes[index] ?? "";
  }

  #hold(height: Height): Held | undefined {
    const known = this.#held.get(height);
    if (known) return known;
    const results = this.#read(height);
    if (!results) return undefined;
    const held: Held = { results, hashes: undefined };
    this.#held.set(height, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= BLOCKS_HELD) break;
      this.#held.delete(oldest);
    }
    return held;
  }

  #read(height: Height): BlockResults | undefined {
    try {
      return this.blocks.results(height);
    } catch (error) {
      if (isUpgradeError(error) && error.code === "UPG_NOT_FOUND_BLOCK") return undefined;
      throw error;
    }
  }
}
