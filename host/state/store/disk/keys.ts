/**
 * The database's key space, one letter a kind:
 *   f                        FormatRecord
 *   c version                CommitRecord
 *   n store chunk            a chunk of tree nodes
 *   d store chunk            which of its nodes are dead: 256 bits
 *   o version store part     nodes that were last part of `version`: u48 each
 *   h version                why a version is held though it would be pruned: a name
 *   g version store          a store that was last part of `version`
 *   b …                      the engine's blocks (host/node)
 *   u name                   which version's code ran after an upgrade (host/chain/app)
 * Numbers are big-endian: version 8 bytes, store 4, chunk 6, part 4.
 */

const letter = (text: string) => text.charCodeAt(0);

function key(kind: string, ...parts: readonly (readonly [value: number, bytes: number])[]): Uint8Array {
  const out = new Uint8Array(1 + parts.reduce((sum, [, bytes]) => sum + bytes, 0));
  out[0] = letter(kind);
  let at = 1;
  for (const [value, bytes] of parts) {
    let rest = value;
    for (let i = at + bytes - 1; i >= at; i--) {
      out[i] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    at += bytes;
  }
  return out;
}

function number(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = at; i < at + length; i++) value = value * 256 + (bytes[i] as number);
  return value;
}

export const formatKey = (): Uint8Array => key("f");

export const commitKey = (version: number): Uint8Array => key("c", [version, 8]);
export const commitsEnd = (): Uint8Array => key("d");
export const versionOfCommitKey = (bytes: Uint8Array): number => number(bytes, 1, 8);

export const chunkKey = (store: number, chunk: number): Uint8Array => key("n", [store, 4], [chunk, 6]);
/** First key after all chunks of the stores below `store`; `deadFrom` likewise. */
export const chunksFrom = (store: number): Uint8Array => key("n", [store, 4]);
export const chunksEnd = (): Uint8Array => key("o");
export const storeOfChunkKey = (bytes: Uint8Array): number => number(bytes, 1, 4);
export const chunkOfChunkKey = (bytes: Uint8Array): number => number(bytes, 5, 6);

export const deadKey = (store: number, chunk: number): Uint8Array => key("d", [store, 4], [chunk, 6]);
export const deadFrom = (store: number): Uint8Array => key("d", [store, 4]);
export const deadEnd = (): Uint8Array => key("e");

export const orphansKey = (version: number, store: number, part: number): Uint8Array =>
  key("o", [version, 8], [store, 4], [part, 4]);
export const orphansFrom = (version: number): Uint8Array => key("o", [version, 8]);
export const orphansEnd = (): Uint8Array => key("p");
export const readOrphansKey = (bytes: Uint8Array) => ({
  version: number(bytes, 1, 8),
  store: number(bytes, 9, 4),
  part: number(bytes, 13, 4),
});

export const goneStoreKey = (version: number, store: number): Uint8Array => key("g", [version, 8], [store, 4]);
export const goneStoresFrom = (version: number): Uint8Array => key("g", [version, 8]);
export const readGoneStoreKey = (bytes: Uint8Array) => ({ version: number(bytes, 1, 8), store: number(bytes, 9, 4) });

export const pinnedKey = (version: number): Uint8Array => key("h", [version, 8]);
export const pinnedEnd = (): Uint8Array => key("i");
export const versionOfPinnedKey = (bytes: Uint8Array): number => number(bytes, 1, 8);

/** Prefix of what the engine keeps beside the state. */
export const BLOCKS_PREFIX = letter("b");

/** Prefix of what the chain keeps of upgrades beside the state. */
export const UPGRADE_CODE_PREFIX = letter("u");
