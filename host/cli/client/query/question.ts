/** What every command of `chaind query` uses. */
import type { Chain } from "../../../chain/app/chain.js";
import type { QueryFlags } from "../flags.js";

/** Makes a query; what it returns is printed. `text` is for people, in place of YAML. */
export interface Answer {
  readonly json: object;
  readonly text?: string;
}

export type Question<F extends QueryFlags = QueryFlags> = (
  words: readonly string[],
  flags: F,
  chain: Chain,
) => Promise<Answer>;
