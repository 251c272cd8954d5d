/**
 * A module: one value with everything that is its own. A chain is a list of them (define-chain.ts); router, queries,
 * genesis, export and the order of migrations are read from that list.
 */
import type { DescFile } from "@bufbuild/protobuf";
import type { KVReader, Timestamp } from "../../base/types/types.js";
import type { Migration } from "../../upgrade/module/migrations.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import type { ValidatorUpdate } from "../comet-types/validator-updates.js";
import type { MessageKind, ModuleContext, ProbeContext } from "./context.js";
import type { GenesisFacts } from "./genesis/genesis-facts.js";
import type { ModuleGenesis } from "./genesis/module-genesis.js";
import type { QueryService } from "./query/service.js";
import type { Ante } from "./tx/ante.js";

/** Stores of a committed version or of a block's branch, for reading. */
export interface ReadableStores {
  readonly names: readonly string[];
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVReader;
}

export interface Module {
  /** Lower-case letters, digits and `_`: the key of its section in genesis and of its version in the version map. */
  readonly name: string;
  /** Version of the layout of its records; at least 1. Its code may read lower ones (`layoutOf`). */
  readonly consensusVersion: bigint;
  /** Names of its stores at `consensusVersion`. Default: one, named like the module. */
  readonly stores?: readonly string[];
  /**
   * Names of modules whose records its code reads or writes: the chain is not upgraded to a version without them unless the
   * handler declares it, where the chain cannot go on without this module. Each is a module of the chain, or one that an upgrade removes.
   */
  readonly dependsOn?: readonly string[];
  /** Messages that transactions and proposals may hold, and what they do. */
  readonly messages?: readonly MessageKind[];
  /** Services of REST, gRPC, RPC and `query`. */
  readonly queries?: readonly QueryService[];
  /** Protobuf files of further types that may be packed in a `google.protobuf.Any`. */
  readonly files?: readonly DescFile[];
  /** It has an account of its own, with these permissions over coins. */
  readonly account?: { readonly permissions: readonly string[] };
  readonly genesis?: ModuleGenesis;
  /**
   * Promises of `beginBlock`, `endBlock` and the migrations what `KindOptions.isBounded` promises, except for messages that they run.
   * Without it they run twice, first on less stack (docs/build-a-chain.md). Default: false.
   */
  readonly isBounded?: boolean;
  /** Before a block's transactions. In the block of an upgrade it runs after the handler. */
  beginBlock?(context: ModuleContext): void;
  /** After a block's transactions, or after the handler. */
  endBlock?(context: ModuleContext): void;
  /** When it has something to do at the end of a block, even one without transactions; undefined: not by the clock. */
  nextEndTime?(stores: ReadableStores): Timestamp | undefined;
  /**
   * The validators that its records give power to, each key once, powers above 0. One module of a chain has this; it is
   * read after genesis and after each block, and what differs is in the block's result (ABCI's validator updates).
   */
  validators?(stores: ReadableStores, genesis: Pick<GenesisFacts, "stakingParams">): readonly ValidatorUpdate[];
  /**
   * The parameters of consensus that its records hold, given those of genesis. One module of a chain has this; it is read
   * after genesis and after each block that wrote to its stores, and what it says is in force from the next block on.
   * Values that break CometBFT's rules end the block.
   */
  consensusParams?(stores: ReadableStores, genesis: ConsensusParams): ConsensusParams;
  /** The steps n → n+1 of its records, by n: `{ 1: (context) => … }`. */
  readonly migrations?: Readonly<Record<number, Migration>>;
  /** Checked in the block of an upgrade, over what its handler left: one that does not hold ends the upgrade. */
  readonly invariants?: readonly Invariant[];
  /**
   * Uses the module on the state that an upgrade leaves, as its messages would: a transfer, a proposal with a vote. It runs in the
   * block of an upgrade, after the invariants, on a branch that is always dropped, and it is part of consensus: it depends on
   * state alone, and reads a number of records that does not grow with the number of accounts. It does not run where the upgrade
   * removes the module, or one that this module depends on.
   * @returns what is wrong, as a message, which fails the upgrade as an error does; undefined when the module works
   */
  probe?(context: ProbeContext): string | undefined;
  /** Checks and fees before messages run. One module of a chain brings it. */
  readonly ante?: Ante;
}

/** Something that is always true of a module's state. */
export interface Invariant {
  readonly name: string;
  /** Returns what is wrong, as a message; undefined when it holds. The stores throw on writes. */
  check(stores: ReadableStores): string | undefined;
}

/** The stores of a module. */
export function storesOf({ name, stores }: Pick<Module, "name" | "stores">): readonly string[] {
  return stores ?? [name];
}
