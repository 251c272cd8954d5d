/** A scene made of what a chain has committed: real pairs, for `handler test` and for tests of an author. */

import { UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { prefixEnd, toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import { BlockStore } from "../../node/blocks/block-store.js";
import { keptGenesis } from "../../node/home/genesis-record.js";
import { Home } from "../../node/home/home.js";
import { noChain, openShared } from "../../node/open/home-database.js";
import type { Database } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { Core } from "../../upgrade/core/core.js";
import type { Manifest } from "../../upgrade/handler/manifest/manifest-types.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import type { Fixture } from "../../upgrade/test-kit/fixture.js";

/** A part of a store that is wanted: pairs whose keys begin with the prefix; empty: any. */
export interface ScenePart {
  readonly store: string;
  readonly prefix: Uint8Array;
}

export interface StateSceneOptions {
  readonly home: string;
  readonly parts: readonly ScenePart[];
  /** Most pairs of each part. */
  readonly limit: number;
  /** The last one when left out. */
  readonly height?: Height | undefined;
}

export interface StateScene {
  readonly fixture: Fixture;
  /** Height of the state. */
  readonly height: Height;
  readonly pairs: number;
  /** Parts of which there are more pairs than the limit. */
  readonly cut: readonly ScenePart[];
}

/** The stores that a handler declares, under the names that they have before the upgrade, and its prefixes of them. */
export function partsOf({ stores, storeUpgrades }: Manifest): ScenePart[] {
  const { added, renamed } = storeUpgrades;
  return stores
    .filter(({ name }) => !added.includes(name))
    .flatMap(({ name, prefixes = [new Uint8Array()] }) => {
      const store = renamed.find(({ newKey }) => newKey === name)?.oldKey ?? name;
      return prefixes.map((prefix) => ({ store, prefix }));
    });
}

/** @throws UpgradeError UPG_INVALID_CONFIG (no chain there), UPG_NOT_FOUND_VERSION, UPG_NOT_FOUND_STORE, UPG_STORE_* */
export function sceneFromState(options: StateSceneOptions): StateScene {
  const home = new Home(options.home);
  if (!home.hasDatabase) throw noChain(home.path);
  const { database, close } = openShared(home);
  try {
    return readScene(database, options);
  } finally {
    close();
  }
}

function readScene(database: Database, { parts, limit, height }: StateSceneOptions): StateScene {
  const multiStore = new CommitMultiStore(database, { sha256 });
  const last = multiStore.lastCommitID.version;
  if (last === 0n) throw new UpgradeError("UPG_NOT_FOUND_VERSION", "there is no committed state in this home yet");
  const view = multiStore.at(height ?? last);
  const stores: Record<string, [string, string][]> = Object.create(null);
  const cut: ScenePart[] = [];
  for (const part of parts) {
    const pairs = pairsOf(view, part, limit + 1);
    if (pairs.length > limit) cut.push(part);
    stores[part.store] = [...(stores[part.store] ?? []), ...pairs.slice(0, limit)];
  }
  const versions = new Core().versionMap(view.store(UPGRADE_STORE));
  const fixture: Fixture = {
    chainId: keptGenesis(database).facts.chainId,
    height: Number(view.version) + 1,
    ...timeOf(database, view.version),
    versions: Object.fromEntries([...versions].map(([name, version]) => [name, Number(version)])),
    stores,
  };
  const count = Object.values(stores).reduce((sum, pairs) => sum + pairs.length, 0);
  return { fixture, height: view.version, pairs: count, cut };
}

function pairsOf(view: VersionView, { store, prefix }: ScenePart, count: number): [string, string][] {
  const pairs: [string, string][] = [];
  for (const [key, value] of view.store(store).iterate({ start: prefix, end: prefixEnd(prefix) })) {
    if (pairs.length === count) break;
    pairs.push([`0x${toHex(key)}`, `0x${toHex(value)}`]);
  }
  return pairs;
}

/** Where the block is not kept, a scene has the harness's time. */
function timeOf(database: Database, height: Height): { time?: number } {
  try {
    return { time: Number(new BlockStore(database).timeOf(height).seconds) };
  } catch {
    return {};
  }
}

/** A pair a line, so that differences of two scenes can be read. */
export function sceneText({ stores = {}, ...head }: Fixture): string {
  const line = (pair: unknown) => `      ${JSON.stringify(pair)}`;
  const lists = Object.entries(stores).map(([name, pairs]) => {
    const list = pairs.length === 0 ? "[]" : `[\n${pairs.map(line).join(",\n")}\n    ]`;
    return `    ${JSON.stringify(name)}: ${list}`;
  });
  const fields = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${[...fields, `  "stores": {\n${lists.join(",\n")}\n  }`].join(",\n")}\n}\n`;
}
