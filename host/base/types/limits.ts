/** Every bound in one place, the unit last in its name. Each is tested at the limit and one past it. */

export const PLAN_NAME_BYTES_MAX = 140;
export const PLAN_INFO_BYTES_MAX = 65_536;
export const MODULE_NAME_BYTES_MAX = 140;
/**
 * Of a manifest. The stored form holds 64 bits; a module at the greatest of them could never be raised again.
 *
 * @internal check.wasm enforces it; tests compare the two
 */
export const MODULE_VERSION_MAX = 4_294_967_295n;
export const STORE_NAME_BYTES_MAX = 128;
export const VERSION_MAP_MODULES_MAX = 1_024;
/** The room that core.wasm promises for inputs beyond its scratch area. */
export const RECEIPT_BYTES_MAX = 524_288;

export const KEY_BYTES_MAX = 65_535;
export const VALUE_BYTES_MAX = 1_048_576;
/** A frame's header is two u32: key length (and operation), value length. */
export const FRAME_HEADER_BYTES = 8;

/** Versions of the state are JavaScript numbers in the store, and heights of blocks are versions. A plan's height may be larger: it never comes. */
export const HEIGHT_MAX = 9_007_199_254_740_991n;

export const INT64_MAX = 9_223_372_036_854_775_807n;
export const UINT64_MAX = 18_446_744_073_709_551_615n;

/** Handlers (specification 5.10). */
export const HANDLER_BYTES_MAX = 1_048_576;
export const MANIFEST_BYTES_MAX = 16_384;
/** @internal check.wasm enforces it; tests compare the two */
export const HANDLER_STORES_MAX = 64;
export const GAS_LIMIT_MAX = 1_000_000_000_000n;
export const BATCH_BYTES = 65_536;
export const BATCH_OUT_BYTES = 262_144;
export const LOG_BYTES_MAX = 4_096;
/** Of the probe of one module, by the prices of transactions. Nobody pays it. */
export const PROBE_GAS_MAX = 1_000_000_000n;
/** Of one run; later ones are left out of the log, and paid for. */
export const LOG_LINES_MAX = 10_000;
export const FAIL_MESSAGE_BYTES_MAX = 1_024;

/** Historical versions kept by default; upgrade heights are kept always. */
export const VERSIONS_KEPT_DEFAULT = 100;

/** A transaction, as CometBFT's mempool bounds it. */
export const TX_BYTES_MAX = 1_048_576;

/** Limit on the size of one transaction's events: their UTF-8 bytes, plus 8 bytes for each event and each attribute. */
export const TX_EVENT_BYTES_MAX = 1_048_576;
/** Limit on the events of all begin and end blockers of one block, counted the same way. */
export const BLOCK_EVENT_BYTES_MAX = 16_777_216;

/** Pairs between two reports of progress: rare enough to cost nothing, often enough to be seen. */
export const PROGRESS_PAIRS = 1_024;

/** What the writes of one run may take on disk besides the database, unless a setting says otherwise: 8 GiB. */
export const SPILL_BYTES_MAX_DEFAULT = 8_589_934_592;
