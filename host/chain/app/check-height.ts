/** Is it this block's turn, and may it be made? */
import { assert } from "../../base/errors/errors.js";
import { HEIGHT_MAX } from "../../base/types/limits.js";
import type { Height } from "../../base/types/types.js";
import { Halt } from "../../upgrade/module/halt.js";

/** @throws Halt UPG_HALT_HEIGHT */
export function checkHeight(height: Height, next: Height, haltHeight: Height | undefined): void {
  assert(height === next, `the block has height ${height}, expected ${next}`);
  if (height > HEIGHT_MAX) {
    const what = `the chain has made block ${HEIGHT_MAX}, the last one that this program can count: it ends here`;
    throw new Halt("UPG_HALT_HEIGHT", what, height, undefined, { last_height: String(HEIGHT_MAX) });
  }
  if (haltHeight !== undefined && haltHeight > 0n && height >= haltHeight) {
    throw new Halt("UPG_HALT_HEIGHT", `halt per configuration height ${haltHeight}`, height);
  }
}
