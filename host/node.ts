/** chain-upgrade/node: disk, blocks and the example chain, for programs that run a node in Node.js. */
export {
  App,
  type AppOptions,
  type BlockRequest,
  type BlockResult,
  type DirectChange,
  type StateAt,
  type TxResult,
} from "./chain/app.js";
export { type Genesis, parseGenesis } from "./chain/genesis.js";
export { knownVersions } from "./chain/versions/known.js";
export type { ChainVersion } from "./chain/versions/version.js";
export { BlockStore, type StoredBlock } from "./engine/block-store.js";
export { type Clock, logicalClock, wallClock } from "./engine/clock.js";
export { EmbeddedNode, type MadeBlock } from "./engine/embedded-node.js";
export type { OpenNodeOptions } from "./engine/held-home.js";
export { Home } from "./engine/home.js";
export { sha256 } from "./engine/node-crypto.js";
export { type OpenNode, openNode } from "./engine/open-node.js";
export { type RunOptions, runNode } from "./engine/run-node.js";
export { LmdbDatabase, type LmdbOptions } from "./store/lmdb-database.js";
