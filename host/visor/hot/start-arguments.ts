/** Arguments of `start`, where CometBFT is another process's: what is CometBFT's is taken out of them. */
import { COMET_FLAGS } from "../../node/comet/engine/flags.js";

/** What concerns CometBFT, and not the application after it. */
export const OF_COMET: readonly string[] = [...COMET_FLAGS, "moniker", "rpc.laddr", "comet.bin"];

/** Flags whose value is in the same word, or left out. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...["with-comet", "consensus.create_empty_blocks", "p2p.pex", "p2p.seed_mode"],
]);

export interface TakenWords {
  /** Values by the flags' names; of one that is given twice, the last. */
  readonly given: ReadonlyMap<string, string>;
  /** All other words. */
  readonly rest: readonly string[];
}

/** @param names of flags, without hyphens */
export function takeFlags(words: readonly string[], names: readonly string[]): TakenWords {
  const given = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, name = "", inWord] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (names.includes(name)) given.set(name, inWord ?? (SWITCHES.has(name) ? "true" : (words[++at] ?? "")));
    else rest.push(word);
  }
  return { given, rest };
}

/** A worker asks CometBFT where it serves its RPC: what only CometBFT was given would be unknown to it. */
export function rpcWords(address: string | undefined): string[] {
  return address === undefined ? [] : [`--rpc.laddr=${address}`];
}
