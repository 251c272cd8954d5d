/**
 * What a handler module may be at most. Small files can grow large when an engine compiles them, and every node must
 * answer alike, so acceptance depends on these numbers and never on an engine's own. Limits that other rooms share
 * (bytes of a module and of a manifest, stores, gas) are in host/base/types/limits.ts.
 */

export const TYPES_MAX = 2_000;
export const IMPORTS_MAX = 16;
export const FUNCTIONS_MAX = 20_000;
export const PARAMS_MAX = 32;
/** Parameters of all types together. */
export const PARAMS_TOTAL_MAX = 10_000;
export const RESULTS_MAX = 1;
/** Parameters do not count. */
export const LOCALS_MAX = 256;
/** Locals of all functions together. */
export const LOCALS_TOTAL_MAX = 50_000;
export const GLOBALS_MAX = 1_000;
export const EXPORTS_MAX = 1_000;
export const ELEMENT_SEGMENTS_MAX = 1_000;
export const DATA_SEGMENTS_MAX = 4_096;
export const CUSTOM_SECTIONS_MAX = 64;
/** Names of imports, exports and custom sections: engines disagree about longer ones. */
export const WASM_NAME_BYTES_MAX = 100_000;
export const BODY_BYTES_MAX = 65_536;
/** Open blocks inside a function. */
export const NESTING_MAX = 256;
export const BR_TABLE_LABELS_MAX = 1_024;
/** What a compiler must keep apart, of one function and of all (compile-cost.ts says what is counted). */
export const BRANCHES_MAX = 2_048;
export const BRANCHES_TOTAL_MAX = 65_536;
/** Branches × (parameters + locals + operands). */
export const BRANCH_VARIABLES_MAX = 200_000;
/** Branches × (parameters + locals + operands + values). */
export const BRANCH_VALUES_MAX = 16_777_216;
export const LOOPS_MAX = 256;
/** Loops inside each other. */
export const LOOP_NESTING_MAX = 32;
/** Instructions of one function that make a value. */
export const VALUES_MAX = 32_768;
/** Calls, direct and indirect, in the code of one function. */
export const CALLS_MAX = 4_096;
export const TABLE_ELEMENTS_MAX = 4_096;

export const PAGE_BYTES = 65_536;
export const MEMORY_INITIAL_PAGES_MAX = 256;
/** A module may declare any maximum; this is the one that it gets (32 MiB). */
export const MEMORY_PAGES_MAX = 512;

/** Findings listed for one module; the rest is only counted. */
export const FINDINGS_MAX = 100;

/** @internal of the manifest, as the next two: check.wasm enforces them; tests compare */
export const JSON_NESTING_MAX = 16;
/** @internal */
export const STORE_PREFIXES_MAX = 64;
/** @internal */
export const SCANS_MAX = 64;

/** Results of `handler_check`. */
export const CHECKS_MAX = 256;
export const CHECK_NAME_BYTES_MAX = 140;
export const CHECK_MESSAGE_BYTES_MAX = 1_024;
