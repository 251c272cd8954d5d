/** What stands behind every command of `chaind query`. */
import type { QueryFlags } from "../client/flags.js";

/** Answers a question; what it returns is printed. `text` is for people, in place of YAML. */
export interface Answer {
  readonly json: object;
  readonly text?: string;
}

export type Question<F extends QueryFlags = QueryFlags> = (words: readonly string[], flags: F) => Promise<Answer>;
