/** A version of a chain, as data: what a program of that age knows. */

import type { VersionMap } from "../../../base/types/types.js";
import type { AppVersion } from "../../../upgrade/module/app-versions.js";

export interface ChainVersion extends AppVersion {
  /** The module versions whose code reads this state: those of the newest version of the program that fits it. */
  readonly layouts: VersionMap;
}

/**
 * The consensus version whose layout a module's records have in this state; 0n: the program has no code for it.
 *
 * @example
 * console.log(layoutOf({ layouts: new Map([["bank", 2n]]) }, "bank")); // → 2n
 */
export function layoutOf({ layouts }: Pick<ChainVersion, "layouts">, module: string): bigint {
  return layouts.get(module) ?? 0n;
}
