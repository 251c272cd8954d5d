/** What a host makes of one file. Members that a host does not know are absent, and not compared. */
export interface Verdict {
  /** Of a file that is refused, with the place; no text where there is none. */
  readonly code?: string;
  readonly function?: string;
  readonly offset?: string;
  /** SHA-256 of the metered module. */
  readonly metered?: string;
  /** How a run over empty stores ended: `done` or the code; its gas, and the SHA-256 of its receipt. */
  readonly end?: string;
  readonly gas?: string;
  readonly receipt?: string;
}

export interface Verdicts {
  readonly verdicts: readonly Verdict[];
  /** For all checks together. Hosts that cannot check without compiling count that too. */
  readonly milliseconds: number;
}

const MEMBERS = ["code", "function", "offset", "metered", "end", "gas", "receipt"] as const;

/** In words, what two hosts say of one file and not alike; undefined: nothing. */
export function difference(due: Verdict, found: Verdict): string | undefined {
  const isRefused = (verdict: Verdict) => verdict.code !== undefined;
  if (isRefused(due) !== isRefused(found)) return `${due.code ?? "taken"}, it says ${found.code ?? "taken"}`;
  for (const member of MEMBERS) {
    const [a, b] = [due[member], found[member]];
    if (a !== undefined && b !== undefined && a !== b) return `${member} ${a}, it says ${b}`;
  }
  return undefined;
}
