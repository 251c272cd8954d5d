/** The part of a genesis document that is a module's own: how it is read, checked, written into stores and exported. */
import type { Registry } from "@bufbuild/protobuf";
import type { VersionView } from "../../../state/store/versions/version-view.js";
import type { Part } from "../../genesis-stream/document.js";
import type { Addresses } from "../../values/address.js";
import type { GenesisList } from "../../values/json-list.js";
import type { JsonReader } from "../../values/json-reader.js";
import type { BlockContext } from "../context.js";
import type { ModuleAccount } from "../module-account.js";
import type { ChainVersion } from "../versions/version.js";

/** `app_state.<module>` of a document. */
export interface GenesisSection {
  /** Its members that are in memory. */
  readonly json: JsonReader;
  /** A member that is a list of any length: read a part at a time whenever it is walked over. */
  list(name: string): Iterable<JsonReader> & { readonly length: number };
  /** What staking counts power in. */
  readonly bondDenom: string;
  /** The types that may be packed in a `google.protobuf.Any`. */
  readonly registry: Registry;
  /** How the chain writes addresses. */
  readonly addresses: Addresses;
  /** What a module before this one read of its own section. */
  of(module: string): unknown;
}

/** What genesis is written with. */
export interface GenesisContext extends BlockContext {
  readonly version: ChainVersion;
  /** Modules with an account of their own. */
  readonly moduleAccounts: readonly string[];
  /** Auth calls it after each account, so that modules with a record per account write theirs beside it. */
  accountAdded(address: Uint8Array): void;
}

/** What an export reads. */
export interface ExportFacts {
  readonly view: VersionView;
  /** The version whose code reads these stores. */
  readonly version: ChainVersion;
  readonly registry: Registry;
  readonly addresses: Addresses;
  /** Those of the chain. */
  readonly modules: readonly ModuleAccount[];
  /** `app_state.staking.params` of the document that the chain began with. */
  readonly stakingParams: unknown;
}

export interface GenesisSpec<T> {
  /** The members to read: `"held"` in memory, or `"list"`, read a part at a time. Without it the whole section is read into memory. */
  readonly parts?: Part;
  /** The section that a new chain begins with. */
  default?(bondDenom: string): object;
  /** Lists are checked when they are walked over, the rest now. @throws UpgradeError UPG_INVALID_GENESIS */
  read(section: GenesisSection): T;
  /** The lists of any length, each with the name of its entries. */
  lists?(state: T): readonly (readonly [name: string, list: GenesisList<unknown>])[];
  /** A message about a part that every chain needs and this document lacks; undefined when it has them all. */
  missing?(state: T): string | undefined;
  /** Numbers for people, by name. */
  counts?(state: T): Readonly<Record<string, number>>;
  init(context: GenesisContext, state: T): void;
  /** Called after each account that auth writes, before `init` of this module. */
  accountAdded?(context: GenesisContext, state: T): (address: Uint8Array) => void;
  /** The section as JSON text, in pieces: a chain may have millions of records. */
  export(facts: ExportFacts): Iterable<string>;
}

/** A spec whose type of state only its own functions know. */
export type ModuleGenesis = GenesisSpec<unknown>;

/**
 * The genesis of a module: how its section is read and checked, written into stores, and exported. What `read` returns is what
 * the other functions are given.
 *
 * @example
 * const MOTTO = Uint8Array.of(1);
 * const genesis = moduleGenesis<string>({
 *   read: ({ json }) => json.get("motto").text(),
 *   init: (context, motto) => context.store("notes").set(MOTTO, new TextEncoder().encode(motto)),
 *   export: ({ view }) => [JSON.stringify({ motto: new TextDecoder().decode(view.store("notes").get(MOTTO)) })],
 * });
 * console.log(Object.keys(genesis)); // → [ 'read', 'init', 'export' ]
 */
export function moduleGenesis<T>(spec: GenesisSpec<T>): ModuleGenesis {
  return spec as ModuleGenesis;
}
