/** What encoder and decoder share: the magic, the tags, and the bounds (docs/witness.md). */
import { utf8 } from "../../base/text/bytes.js";

export const WITNESS_MAGIC = utf8("chain-upgrade witness\n");
export const WITNESS_FORMAT = 1;

/** A store of which the witness has the hash only, or a partial tree too. */
export const STORE_CLOSED = 0;
export const STORE_OPEN = 1;

/** Tags of nodes. A stub's tag is STUB_TAG plus its height. */
export const INNER_TAG = 0;
export const LEAF_TAG = 1;
export const STUB_TAG = 2;

export const CHAIN_ID_BYTES_MAX = 50;
export const STORES_MAX = 1_024;
/** A balanced tree of 2^48 leaves is at most 68 high: sizes end long before heights. */
export const HEIGHT_MAX = 80;
/** Sizes are u48 in a link. */
export const SIZE_MAX = 2 ** 48 - 1;
export const VERSION_MAX = Number.MAX_SAFE_INTEGER;
/** Open nodes and stubs of one store: about as many as 3 GB of common pairs have. */
export const NODES_MAX = 2 ** 26;
export const OTHER_WRITES_MAX = 1_048_576;
