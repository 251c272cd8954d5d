/** A failure as commands print it: for machines, with its lines for people. */
import type { Failure } from "../../../upgrade/test-kit/failure/explain.js";
import { failureLines } from "../../../upgrade/test-kit/failure/failure-lines.js";

export interface FailureAnswer {
  /** `handler_run`, `scan 0 of store "bank"`, `handler_check`, `_initialize` or `loading`. */
  readonly phase: string;
  /** Of a scan: its store, the pair in hand counted from 1, and its key in hex. */
  readonly store: string | null;
  readonly pair: string | null;
  readonly key: string | null;
  /** Innermost first; `source` null without the map of the build. */
  readonly frames: readonly {
    readonly function: string;
    readonly source: string | null;
    readonly line: number | null;
    readonly column: number | null;
  }[];
  /** Bytes of memory in use when more was asked for than it may have, the most that it may have, and those that it took a pair. */
  readonly out_of_memory: { readonly bytes: string; readonly limit: string; readonly per_pair: string | null } | null;
  readonly lines: readonly string[];
}

export function failureAnswer(failure: Failure): FailureAnswer {
  const { phase, pair, frames, outOfMemory } = failure;
  return {
    phase,
    store: pair?.store ?? null,
    pair: pair ? String(pair.number) : null,
    key: pair?.key ?? null,
    frames: frames.map(({ function: name, place }) => ({
      function: name,
      source: place?.source ?? null,
      line: place?.line ?? null,
      column: place?.column ?? null,
    })),
    out_of_memory: outOfMemory
      ? {
          bytes: String(outOfMemory.bytes),
          limit: String(outOfMemory.limit),
          per_pair: outOfMemory.perPair === undefined ? null : String(outOfMemory.perPair),
        }
      : null,
    lines: failureLines(failure),
  };
}
