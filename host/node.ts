/** chain-upgrade/node: a chain as a value, its modules, its node with disk, blocks, servers and command line. */

export { upgradeFiles, writeFileAtomically } from "./base/files/atomic-file.js";
export { sha256 } from "./base/native/sha256.js";
export {
  App,
  type AppOptions,
  type BlockRequest,
  type BlockResult,
  type StateAt,
  type TxResult,
} from "./chain/app/app.js";
export type { DirectChange } from "./chain/app/block.js";
export type { Chain, ChainOptions, ChainUpgrade, ChainUpgradeHandler } from "./chain/app/chain.js";
export type { BlockContext, MessageKind, ModuleContext, ProbeContext } from "./chain/app/context.js";
export { migrate } from "./chain/app/define-chain.js";
export { type Genesis, parseGenesis } from "./chain/app/genesis/genesis.js";
export {
  type ExportFacts,
  type GenesisContext,
  type GenesisSection,
  type GenesisSpec,
  type ModuleGenesis,
  moduleGenesis,
} from "./chain/app/genesis/module-genesis.js";
export type { Invariant, Module, ReadableStores } from "./chain/app/module.js";
export type { QueryCall } from "./chain/app/query/call.js";
export { implement, type QueryService } from "./chain/app/query/service.js";
export { type KindOptions, messageKind } from "./chain/app/tx/message-kind.js";
export { type ChainVersion, layoutOf } from "./chain/app/versions/version.js";
export { auth } from "./chain/modules/auth/module.js";
export { type BankKeeper, bankKeeper, type GivenCoin } from "./chain/modules/bank/keeper.js";
export { bank } from "./chain/modules/bank/module.js";
export { consensus } from "./chain/modules/consensus/module.js";
export { writeConsensusParams } from "./chain/modules/consensus/params.js";
export { gov } from "./chain/modules/gov/module.js";
export { staking } from "./chain/modules/staking/module.js";
export { validatorRecords } from "./chain/modules/staking/validator-records.js";
export { upgrade } from "./chain/modules/upgrade/module.js";
export type { Coin } from "./chain/values/coins.js";
export type { ChainEvent } from "./chain/values/events.js";
export { type Paged, paginate } from "./chain/values/paginate.js";
export type { Records } from "./chain/values/records.js";
export { type AbciError, TxError } from "./chain/values/tx-error.js";
export { type KeyPart, records, type TypedRecords } from "./chain/values/typed-records.js";
export { demoCommand, runDemo } from "./cli/demo/run-demo.js";
export { defineChain } from "./cli/program/define-chain.js";
export type { ProgramCommand } from "./cli/program/program-command.js";
export { runChain } from "./cli/program/run-chain.js";
export { BlockStore, type StoredBlock } from "./node/blocks/block-store.js";
export { type Clock, logicalClock, wallClock } from "./node/embedded/clock.js";
export { EmbeddedNode, type MadeBlock } from "./node/embedded/embedded-node.js";
export { Home } from "./node/home/home.js";
export { type OpenNode, openNode } from "./node/open/open-node.js";
export type { OpenNodeOptions } from "./node/open/open-options.js";
export { type RunOptions, runNode } from "./node/open/run-node.js";
export { LmdbDatabase, type LmdbOptions } from "./state/store/disk/lmdb-database.js";
