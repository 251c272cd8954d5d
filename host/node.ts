/** chain-upgrade/node: a chain as a value, its modules, its node with disk, blocks, servers and command line. */
export {
  App,
  type AppOptions,
  type BlockRequest,
  type BlockResult,
  type StateAt,
  type TxResult,
} from "./chain/app.js";
export type { DirectChange } from "./chain/block.js";
export type { BlockContext, ModuleContext, ProbeContext } from "./chain/context.js";
export {
  type Chain,
  type ChainOptions,
  type ChainUpgrade,
  type ChainUpgradeHandler,
  migrate,
} from "./chain/define-chain.js";
export { type Genesis, parseGenesis } from "./chain/genesis/genesis.js";
export {
  type ExportFacts,
  type GenesisContext,
  type GenesisSection,
  type GenesisSpec,
  type ModuleGenesis,
  moduleGenesis,
} from "./chain/genesis/module-genesis.js";
export type { Invariant, Module, ReadableStores } from "./chain/module.js";
export type { QueryCall } from "./chain/query/call.js";
export { implement, type QueryService } from "./chain/query/service.js";
export { type KindOptions, type MessageKind, messageKind } from "./chain/tx/message-kind.js";
export { type ChainVersion, layoutOf } from "./chain/versions/version.js";
export { defineChain } from "./cli/define-chain.js";
export type { ProgramCommand } from "./cli/program-command.js";
export { runChain } from "./cli/run-chain.js";
export { demoCommand, runDemo } from "./demo/run-demo.js";
export { BlockStore, type StoredBlock } from "./engine/blocks/block-store.js";
export { type Clock, logicalClock, wallClock } from "./engine/embedded/clock.js";
export { EmbeddedNode, type MadeBlock } from "./engine/embedded/embedded-node.js";
export { type RunOptions, runNode } from "./engine/embedded/run-node.js";
export { upgradeFiles, writeFileAtomically } from "./engine/home/atomic-file.js";
export type { OpenNodeOptions } from "./engine/home/hold-options.js";
export { Home } from "./engine/home/home.js";
export { type OpenNode, openNode } from "./engine/home/open-node.js";
export { gov } from "./gov/module.js";
export { auth } from "./modules/auth/module.js";
export { type BankKeeper, bankKeeper, type GivenCoin } from "./modules/bank/keeper.js";
export { bank } from "./modules/bank/module.js";
export { consensus } from "./modules/consensus/module.js";
export { writeConsensusParams } from "./modules/consensus/params.js";
export { staking } from "./modules/staking/module.js";
export { validatorRecords } from "./modules/staking/validator-records.js";
export { upgrade } from "./modules/upgrade/module.js";
export { sha256 } from "./native/sha256.js";
export { LmdbDatabase, type LmdbOptions } from "./store/disk/lmdb-database.js";
export type { Coin } from "./values/coins.js";
export type { ChainEvent } from "./values/events.js";
export { type Paged, paginate } from "./values/paginate.js";
export type { Records } from "./values/records.js";
export { type AbciError, TxError } from "./values/tx-error.js";
export { type KeyPart, records, type TypedRecords } from "./values/typed-records.js";
