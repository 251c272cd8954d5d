/**
 * The genesis document, in the shape of the Cosmos SDK: what a chain begins with. Its head is read at once; lists of any
 * length, of which some have millions of entries, whenever they are walked over. Both check everything that
 * modules rely on, so a chain that has walked over all of it before its first commit never begins with a wrong document.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { type ByteSource, memorySource } from "../../../base/files/byte-source.js";
import { utf8 } from "../../../base/text/bytes.js";
import { compareTimes, parseTime } from "../../../base/time/time.js";
import { HEIGHT_MAX } from "../../../base/types/limits.js";
import type { Height, Timestamp } from "../../../base/types/types.js";
import { callGenesis } from "../../../upgrade/module/genesis-calls.js";
import { GenesisDocument, type Part } from "../../genesis-stream/document.js";
import type { GenesisList } from "../../values/json-list.js";
import { JsonReader } from "../../values/json-reader.js";
import type { Chain } from "../chain.js";
import { genesisParams, requireKnownParams } from "./consensus-params.js";
import type { GenesisFacts } from "./genesis-facts.js";
import { type GenesisRaw, readRaw } from "./raw.js";

/** The state that a chain begins with. */
interface GenesisState {
  /** What each module read of its section, by module. */
  readonly sections: ReadonlyMap<string, unknown>;
  /** What no module of this program reads. */
  readonly raw: GenesisRaw | undefined;
}

export type Genesis = GenesisFacts & GenesisState;

/** What of a chain reads genesis documents. */
export type GenesisReader = Pick<Chain, "modules" | "registry" | "addresses">;

const CHAIN_ID = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,49}$/;

/**
 * A whole document in memory, all of it checked.
 *
 * @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong
 *
 * @example
 * import { readFileSync } from "node:fs";
 * const chain = defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] });
 * const { chainId, initialHeight } = parseGenesis(chain, readFileSync("home/config/genesis.json", "utf8"));
 * console.log(chainId, initialHeight); // → example-1 1n
 */
export function parseGenesis(chain: GenesisReader, text: string): Genesis {
  const genesis = openGenesis(chain, memorySource(utf8(text)));
  checkLists(chain, genesis);
  return genesis;
}

/**
 * A document of any size: its head is checked now, its long lists when they are walked over.
 * @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong
 */
export function openGenesis(chain: GenesisReader, source: ByteSource): Genesis {
  const document = openDocument(chain, source);
  requireAllRead(chain, document);
  requireKnown(document);
  return readGenesis(chain, document);
}

/** @throws UpgradeError UPG_INVALID_GENESIS when it is not JSON */
export function openDocument({ modules }: Pick<Chain, "modules">, source: ByteSource): GenesisDocument {
  const parts = modules.flatMap(({ name, genesis }): [string, Part][] =>
    genesis ? [[name, genesis.parts ?? "held"]] : [],
  );
  return new GenesisDocument(source, Object.fromEntries(parts));
}

/** State that no module of this program reads would be lost, and nobody would see it. @throws UpgradeError UPG_INVALID_GENESIS */
function requireAllRead({ modules }: GenesisReader, { unread: [name] }: GenesisDocument): void {
  if (name === undefined) return;
  const isModule = modules.some((module) => module.name === name);
  const what = isModule ? `the module "${name}" reads no genesis` : `this program has no module "${name}"`;
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `genesis.app_state.${name}: ${what}, so its state would be lost: take the section out when the chain is to begin without it`,
  );
}

/** A misspelt name would be dropped, and a default used instead. @throws UpgradeError UPG_INVALID_GENESIS */
function requireKnown({ unknownMember: unknown }: GenesisDocument): void {
  if (!unknown) return;
  const { path, name, valid } = unknown;
  new JsonReader({ [name]: null }, path).only(...valid);
}

/** A chain whose validators are dropped begins with others, or with none. @throws UpgradeError UPG_INVALID_GENESIS */
function requireNoValidators(validators: JsonReader): void {
  if (validators.items().length === 0) return;
  throw validators.wrong("is not read: the validators of a chain are in app_state.staking; remove this list");
}

/** The same of a document that is open. */
function readGenesis({ modules, registry, addresses }: GenesisReader, document: GenesisDocument): Genesis {
  const { root } = document;
  requireNoValidators(root.get("validators"));
  const state = root.get("app_state");
  const stakingParams = state.get("staking").get("params");
  const bondDenom = stakingParams.isSet ? stakingParams.get("bond_denom").text(BOND_DENOM) : BOND_DENOM;
  const consensusParams = new JsonReader(root.object()["consensus"] ?? {}, "genesis.consensus").get("params");
  requireKnownParams(consensusParams);
  const appVersion = consensusParams.isSet ? readAppVersion(consensusParams) : 0n;
  genesisParams({ consensusParams, appVersion });
  const sections = new Map<string, unknown>();
  for (const { name, genesis } of modules) {
    if (!genesis) continue;
    const section = {
      json: state.get(name),
      list: (list: string) => document.list(name, list),
      bondDenom,
      registry,
      addresses,
      of: (module: string) => sections.get(module),
    };
    sections.set(
      name,
      callGenesis("genesis.read", name, () => genesis.read(section)),
    );
  }
  return {
    chainId: readChainId(root.get("chain_id")),
    time: root.get("genesis_time").parse(readTime),
    initialHeight: readHeight(root.get("initial_height")),
    appVersion,
    consensusParams,
    stakingParams,
    bondDenom,
    sections,
    raw: readRaw(document),
  };
}

/** Blocks come later than genesis, and no time after the year 9999 can be written. */
const TIME_END = parseTime("9999-01-01T00:00:00Z");

function readTime(text: string): Timestamp {
  const time = parseTime(text);
  if (compareTimes(time, TIME_END) < 0) return time;
  throw new UpgradeError("UPG_INVALID_GENESIS", `${text} leaves no time for blocks: take one before the year 9999`);
}

/** What power counts in where a document does not say it. */
const BOND_DENOM = "stake";

/** The lists that are checked when they are walked over, by name. */
export function longLists({ modules }: Pick<Chain, "modules">, { sections, raw }: Genesis) {
  const lists = modules.flatMap(({ name, genesis }) =>
    callGenesis("genesis.lists", name, () => genesis?.lists?.(sections.get(name)) ?? []),
  );
  return [...lists, ["pairs of other stores", raw?.pairs ?? []] as const] satisfies (readonly [
    string,
    GenesisList<unknown>,
  ])[];
}

/** Messages about parts that every chain needs and this document lacks. @throws UpgradeError UPG_BUG_MODULE */
export function missingFromGenesis({ modules }: Pick<Chain, "modules">, { sections }: Pick<Genesis, "sections">) {
  return modules.flatMap(
    ({ name, genesis }) => callGenesis("genesis.missing", name, () => genesis?.missing?.(sections.get(name))) ?? [],
  );
}

/** Numbers for people, by name. @throws UpgradeError UPG_BUG_MODULE */
export function genesisCounts({ modules }: Pick<Chain, "modules">, { sections }: Pick<Genesis, "sections">) {
  return modules.flatMap(({ name, genesis }) =>
    Object.entries(callGenesis("genesis.counts", name, () => genesis?.counts?.(sections.get(name))) ?? {}),
  );
}

/** Walks over all lists, which checks them. @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong */
export function checkLists(chain: Pick<Chain, "modules">, genesis: Genesis): void {
  for (const [, list] of longLists(chain, genesis)) for (const _ of list);
}

/** Is this the state of a chain too, or are these the facts alone? */
export function hasState(genesis: GenesisFacts): genesis is Genesis {
  return "sections" in genesis;
}

function readChainId(field: JsonReader): string {
  const id = field.text();
  if (!CHAIN_ID.test(id)) throw field.wrong("a chain id has 1 to 50 letters, digits, dots, dashes and underscores");
  return id;
}

/** The Cosmos SDK writes 0 for unset, and begins at 1 then. Beyond `HEIGHT_MAX` no block could be committed. */
function readHeight(field: JsonReader): Height {
  const height = field.integer(1n);
  if (height < 0n || height > HEIGHT_MAX) throw field.wrong(`must be a height from 1 to ${HEIGHT_MAX}`);
  return height === 0n ? 1n : height;
}

function readAppVersion(params: JsonReader): bigint {
  const version = params.get("version");
  return version.isSet ? version.get("app").uint64(0n) : 0n;
}
