/** Histories of a multistore: drawn by fast-check, run against a multistore, and kept as plain maps version by version. */
import fc from "fast-check";
import { expect } from "vitest";
import { fromHex, toHex } from "../../../../host/base/text/bytes.js";
import type { StoreUpgrades } from "../../../../host/base/types/types.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import type { CommitMultiStore } from "../../../../host/state/store/versions/commit-multi-store.js";
import { framesOf, pairsOf } from "../../../suite/kv-store.js";
import { code, type OpenOptions, openStores } from "./support.js";

const NAMES = ["a", "b", "c", "d", "e"];
const FIRST_NAMES = ["a", "b", "c"];

interface Write {
  /** Picks one of the stores that are open. */
  readonly store: number;
  /** Hex. */
  readonly key: string;
  /** Hex; no value deletes. */
  readonly value: string | undefined;
}

/** Picks names, so that any choice makes sense whatever stores there are. */
interface UpgradeChoice {
  readonly kind: "add" | "rename" | "delete";
  readonly from: number;
  readonly to: number;
}

export interface Block {
  readonly writes: readonly Write[];
  /** Written and hashed first, then dropped. */
  readonly tried: readonly Write[];
  /** The process ends and starts again before the block, with these store upgrades. */
  readonly upgrade: readonly UpgradeChoice[] | undefined;
  /** The process ends before the block. */
  readonly restart: boolean;
  /** The block is made and hashed, then the process ends; it is made again by the next one. */
  readonly lost: boolean;
  readonly keep: boolean;
}

const key = fc.oneof(
  { weight: 4, arbitrary: fc.nat(30).map((n) => n.toString(16).padStart(2, "0")) },
  { weight: 1, arbitrary: fc.nat(999).map((n) => n.toString(16).padStart(4, "0")) },
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 6 }).map(toHex) },
  { weight: 1, arbitrary: fc.nat(255).map((n) => n.toString(16).padStart(2, "0").repeat(3_000)) },
);
const write = fc.record({
  store: fc.nat(4),
  key,
  value: fc.oneof({ weight: 3, arbitrary: value }, { weight: 2, arbitrary: fc.constant(undefined) }),
});
const upgradeChoice = fc.record({
  kind: fc.constantFrom("add" as const, "rename" as const, "delete" as const),
  from: fc.nat(4),
  to: fc.nat(4),
});
const rarely = fc.nat(7).map((n) => n === 7);
const block: fc.Arbitrary<Block> = fc.record({
  writes: fc.array(write, { maxLength: 25 }),
  tried: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(write, { maxLength: 40 }) },
  ),
  upgrade: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.array(upgradeChoice, { minLength: 1, maxLength: 4 }) },
  ),
  restart: rarely,
  lost: rarely,
  keep: rarely,
});

export const blocks = fc.array(block, { minLength: 1, maxLength: 30 });

type Contents = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface Version {
  readonly contents: Contents;
  readonly hash: string;
  readonly kept: boolean;
}

export class History {
  readonly versions = new Map<number, Version>();
  stores: CommitMultiStore;
  #contents: Contents = new Map(FIRST_NAMES.map((name) => [name, new Map()]));

  constructor(
    private readonly database: Database,
    private options: OpenOptions & { readonly versionsKept: number },
  ) {
    this.stores = openStores(database, FIRST_NAMES, options);
  }

  /** The same chain in a process with other options. */
  reopened(versionsKept: number): this {
    this.options = { ...this.options, versionsKept };
    this.#open(undefined);
    return this;
  }

  get last(): number {
    return Math.max(0, ...this.versions.keys());
  }

  /** Makes a block and returns the app hash. */
  advance(block: Block): string {
    const upgrades = block.upgrade && this.last > 0 ? this.#resolve(block.upgrade) : undefined;
    if (upgrades) this.#contents = upgraded(this.#contents, upgrades);
    if (upgrades || block.restart) this.#open(upgrades);
    if (block.lost) {
      this.#write(block.writes);
      const { hash } = this.stores.stage();
      expect(toHex(hash)).not.toBe("");
      this.#open(upgrades);
    }
    if (block.tried.length > 0) {
      this.#write(block.tried);
      this.stores.workingHash();
      for (const name of this.stores.names) this.stores.store(name).discard();
    }
    this.#write(block.writes);
    this.#contents = written(this.#contents, [...this.stores.names], block.writes);
    const { version, hash } = this.stores.commit({ keep: block.keep });
    this.versions.set(Number(version), { contents: this.#contents, hash: toHex(hash), kept: block.keep });
    return toHex(hash);
  }

  #open(upgrades: StoreUpgrades | undefined): void {
    this.stores = openStores(this.database, [...this.#contents.keys()], { ...this.options, upgrades });
  }

  #write(writes: readonly Write[]): void {
    const branch = this.stores.branch();
    const dropped = this.stores.branch();
    for (const { store, key, value } of writes) {
      const name = pick(this.stores.names, store);
      if (name === undefined) continue;
      dropped.store(name).set(fromHex(key), fromHex("ff"));
      if (value === undefined) branch.store(name).delete(fromHex(key));
      else branch.store(name).set(fromHex(key), fromHex(value));
    }
    dropped.discard();
    branch.write();
  }

  /** Store upgrades that fit the stores there are; undefined when nothing is left of the choice. */
  #resolve(choices: readonly UpgradeChoice[]): StoreUpgrades | undefined {
    const touched = new Set<string>();
    const take = (names: readonly string[], at: number): string | undefined => {
      const name = pick(
        names.filter((each) => !touched.has(each)),
        at,
      );
      if (name !== undefined) touched.add(name);
      return name;
    };
    const stored = [...this.#contents.keys()];
    const free = NAMES.filter((name) => !this.#contents.has(name));
    const [added, deleted]: [string[], string[]] = [[], []];
    const renamed: { oldKey: string; newKey: string }[] = [];
    for (const { kind, from, to } of choices) {
      const oldKey = kind === "add" ? undefined : take(stored, from);
      const newKey = kind === "delete" || (kind === "rename" && oldKey === undefined) ? undefined : take(free, to);
      if (kind === "add" && newKey !== undefined) added.push(newKey);
      else if (kind === "delete" && oldKey !== undefined) deleted.push(oldKey);
      else if (oldKey !== undefined && newKey !== undefined) renamed.push({ oldKey, newKey });
    }
    return added.length + deleted.length + renamed.length > 0 ? { added, renamed, deleted } : undefined;
  }

  /** Versions that must be readable: the kept ones, the last and as many before it as the options say. */
  readable(): number[] {
    const oldest = this.last - this.options.versionsKept;
    return [...this.versions].filter(([version, { kept }]) => kept || version >= oldest).map(([version]) => version);
  }

  /** Reads every readable version in every way, and finds the others gone. */
  check(): void {
    const readable = new Set(this.readable());
    for (const version of this.versions.keys()) {
      expect(this.stores.has(BigInt(version))).toBe(readable.has(version));
      if (readable.has(version)) this.checkVersion(version);
      else expect(() => this.stores.at(BigInt(version))).toThrow(code("UPG_NOT_FOUND_VERSION"));
    }
  }

  checkVersion(version: number): void {
    const { contents, hash } = this.versions.get(version) as Version;
    const view = this.stores.at(BigInt(version));
    expect([view.names, toHex(view.appHash), toHex(view.computeAppHash())]).toEqual([
      [...contents.keys()].sort(),
      hash,
      hash,
    ]);
    for (const [name, pairs] of contents) {
      const reader = view.store(name);
      const expected = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => `${k}=${v}`);
      expect(pairsOf(reader)).toEqual(expected);
      expect(pairsOf(reader, { reverse: true })).toEqual(expected.toReversed());
      expect(framesOf(reader)).toEqual(expected);
      for (const each of [...[...pairs.keys()].slice(0, 5), "00", "1e", "ffff"]) {
        const got = reader.get(fromHex(each));
        expect(got && toHex(got)).toBe(pairs.get(each));
      }
    }
  }
}

function pick<T>(from: readonly T[], at: number): T | undefined {
  return from[at % Math.max(1, from.length)];
}

function upgraded(contents: Contents, { added, renamed, deleted }: StoreUpgrades): Contents {
  const next = new Map(contents);
  for (const name of deleted) next.delete(name);
  for (const { oldKey, newKey } of renamed) {
    next.set(newKey, contents.get(oldKey) ?? new Map());
    next.delete(oldKey);
  }
  for (const name of added) next.set(name, new Map());
  return next;
}

function written(contents: Contents, names: readonly string[], writes: readonly Write[]): Contents {
  const next = new Map([...contents].map(([name, pairs]) => [name, new Map(pairs)]));
  for (const { store, key, value } of writes) {
    const name = pick(names, store);
    if (name === undefined) continue;
    if (value === undefined) next.get(name)?.delete(key);
    else next.get(name)?.set(key, value);
  }
  return next;
}
