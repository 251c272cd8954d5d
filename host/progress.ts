/**
 * How far long work has come: what a block with an upgrade reports while it runs, for logs, metrics and people. It has
 * no effect on results: nothing that is counted here reaches state or gas.
 */

/**
 * `loading`: stores are opened; `handler`: the handler's own code runs; `scan`: it is handed the pairs of a store;
 * `checks`: its invariants; `rename`: the pairs of a renamed store go into its new tree; `trees`: a store's writes go
 * into its tree; `commit`: everything becomes durable.
 */
export type ProgressPhase = "loading" | "handler" | "scan" | "checks" | "rename" | "trees" | "commit";

/**
 * @param store "" where the phase is of no store
 * @param done pairs, or units of the handler's choice in phase `handler`
 * @param total 0: not known
 */
export type OnProgress = (phase: ProgressPhase, store: string, done: number, total: number) => void;

/** Pairs between two reports: rare enough to cost nothing, often enough to be seen. */
export const PROGRESS_PAIRS = 1_024;
