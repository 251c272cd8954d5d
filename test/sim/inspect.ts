/** Looks at a home that no process has open: what is committed, and whether its files are whole. */
import { createHash, type Hash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import { BlockStore } from "../../host/node/blocks/block-store.js";
import { LastSigned } from "../../host/node/blocks/last-signed.js";
import { Home } from "../../host/node/home/home.js";
import type { Database } from "../../host/state/store/disk/database.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import type { VersionView } from "../../host/state/store/versions/version-view.js";

export interface Committed {
  /** 0n: nothing yet. */
  readonly height: bigint;
  /** Recorded app hash of each readable height. */
  readonly hashes: ReadonlyMap<bigint, string>;
  /** What the stores of the last height (or of all, when asked for) really hold, hashed: by height. */
  readonly digests: ReadonlyMap<bigint, string>;
  /** Everything in the database, hashed. */
  readonly dump: string;
  /** What contradicts itself. */
  readonly problems: readonly string[];
}

const NOTHING: Committed = { height: 0n, hashes: new Map(), digests: new Map(), dump: "", problems: [] };

/** The database is copied first, so that nothing of it stays open here. */
export function inspectDatabase(homePath: string, wantsAll = false): Committed {
  const file = new Home(homePath).databaseFile;
  if (!existsSync(file)) return NOTHING;
  const copy = `${file}.look`;
  copyFileSync(file, copy);
  try {
    const database = new LmdbDatabase(copy);
    try {
      const committed = inspect(database, wantsAll);
      return { ...committed, problems: [...committed.problems, ...signedProblems(homePath, committed.height)] };
    } finally {
      database.close();
    }
  } finally {
    rmSync(copy, { force: true });
    rmSync(`${copy}-lock`, { force: true });
  }
}

function inspect(database: Database, wantsAll: boolean): Committed {
  const stores = new CommitMultiStore(database, { sha256 });
  const { version: height } = stores.lastCommitID;
  const dump = dumpDigest(database);
  if (height === 0n) return { ...NOTHING, dump };
  const heights = Array.from({ length: Number(height) }, (_, index) => BigInt(index + 1)).filter((at) =>
    stores.has(at),
  );
  const hashes = new Map(heights.map((at) => [at, toHex(stores.at(at).appHash)]));
  const digested = wantsAll ? heights : [height];
  const digests = new Map(digested.map((at) => [at, contentsDigest(stores.at(at))]));
  return { height, hashes, digests, dump, problems: contradictions(database, stores.at(height)) };
}

/** The state is what its hash says, and the last block is the state's. */
function contradictions(database: Database, state: VersionView): string[] {
  const problems: string[] = [];
  const hash = toHex(state.appHash);
  if (toHex(state.computeAppHash()) !== hash) problems.push(`height ${state.version}: roots do not give the app hash`);
  const block = new BlockStore(database).latest();
  if (block?.header.height !== state.version || toHex(block.appHash) !== hash) {
    problems.push(`height ${state.version}: the last block is ${block?.header.height ?? "none"}`);
  }
  return problems;
}

/** A block is signed before it is committed, and the next one not before this is. */
function signedProblems(homePath: string, height: bigint): string[] {
  const signed = new LastSigned(new Home(homePath).lastSignedFile).height;
  const isSound = signed === height || signed === height + 1n;
  return isSound ? [] : [`height ${height}: the record of what was signed last says ${signed}`];
}

function contentsDigest(state: VersionView): string {
  const digest = createHash("sha256");
  for (const name of state.names) {
    add(digest, Buffer.from(name));
    for (const [key, value] of state.store(name).iterate()) {
      add(digest, key);
      add(digest, value);
    }
  }
  return digest.digest("hex");
}

function dumpDigest(database: Database): string {
  const digest = createHash("sha256");
  for (const key of database.keys({ start: Uint8Array.of(0), end: Uint8Array.of(0xff) })) {
    add(digest, key);
    add(digest, database.get(key) ?? new Uint8Array(0));
  }
  return digest.digest("hex");
}

/** With its length before it, so that no two lists of parts look alike. */
function add(digest: Hash, bytes: Uint8Array): void {
  digest.update(`${bytes.length} `).update(bytes);
}

/** Text of a file in the data folder; undefined when it is absent. */
export function dataFile(homePath: string, name: string): string | undefined {
  const path = `${new Home(homePath).dataFolder}/${name}`;
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
