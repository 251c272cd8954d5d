/** A chain: its options, and what `defineChain` makes of them. */
import type { DescFile, Registry } from "@bufbuild/protobuf";
import type { Plan, VersionMap } from "../../base/types/types.js";
import type { ModuleManager } from "../../upgrade/module/migrations.js";
import type { ModuleTable } from "../../upgrade/module/module-table.js";
import type { UpgradeContext, UpgradeHandlerOptions } from "../../upgrade/module/upgrade-handler.js";
import type { Addresses } from "../values/address.js";
import type { MessageRouter } from "./context.js";
import type { Module } from "./module.js";
import type { QueryService } from "./query/service.js";
import type { Ante } from "./tx/ante.js";
import type { ChainVersion } from "./versions/version.js";

/** One upgrade that the program carries. */
export interface ChainUpgrade extends UpgradeHandlerOptions {
  /** Name of its plan. */
  readonly plan: string;
  /**
   * Consensus versions, before this upgrade, of the modules that it changes; 0n: a module that it brings. A module
   * all of whose stores are added is brought by it and need not be named; one that is taken away is also in `removes`.
   */
  readonly from?: Readonly<Record<string, bigint>>;
  /** Without it the plan is applied by a Wasm handler, from `handlers` of the chain, which is then required, or from the node's home. */
  readonly handler?: ChainUpgradeHandler;
  /**
   * Promises the same of `handler` as `Module.isBounded`. Without it the handler runs twice, first on less stack. Default: false; for
   * `migrate` whether all modules promise it.
   */
  readonly isBounded?: boolean;
}

export interface ChainOptions {
  /** Of the program: its command, and `~/.<name>` is its home. */
  readonly name: string;
  /** A short text for the help of the program. */
  readonly description?: string;
  /** Of accounts' addresses; validators' operators have it with "valoper", their consensus keys with "valcons". Default: "cosmos". */
  readonly addressPrefix?: string;
  /** In the order in which genesis is written and blocks begin and end. `upgrade` and one with an `ante` are among them. */
  readonly modules: readonly Module[];
  /** Oldest first. */
  readonly upgrades?: readonly ChainUpgrade[];
  /** Folder of the Wasm handlers that ship with the program. */
  readonly handlers?: string;
}

export interface Chain {
  readonly name: string;
  readonly description: string;
  readonly addresses: Addresses;
  readonly modules: readonly Module[];
  readonly upgrades: readonly ChainUpgrade[];
  readonly handlers: string | undefined;
  /** Which stores are whose, and what the chain cannot go on without: handlers are held to it. */
  readonly table: ModuleTable;
  /** Oldest first; the last one has the modules as they are given. */
  readonly versions: readonly ChainVersion[];
  /** Every message, by its type URL. */
  readonly router: MessageRouter;
  readonly ante: Ante;
  readonly services: readonly QueryService[];
  /** Files of the messages and of what may be packed in a `google.protobuf.Any`. */
  readonly files: readonly DescFile[];
  readonly registry: Registry;
}

/** An upgrade handler that also gets the modules of the version that its plan leads to. */
export type ChainUpgradeHandler = (
  context: UpgradeContext,
  plan: Plan,
  versionMap: VersionMap,
  modules: ModuleManager,
) => VersionMap | Error;
