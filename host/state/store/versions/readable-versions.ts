/**
 * Which versions can be read: a run without gaps up to the last one, and before it those that are kept for good. Only
 * the kept ones are held one by one, so an archive of millions of versions costs no more than a pruned node.
 */

import { VERSIONS_KEPT_DEFAULT } from "../../../base/types/limits.js";
import type { Batch, Database } from "../disk/database.js";
import { commitKey, commitsEnd, versionOfCommitKey } from "../disk/keys.js";
import { readCommit } from "./commit-record.js";
import { PinnedVersions } from "./pinned-versions.js";
import type { CommitMultiStoreOptions } from "./store-options.js";

/** Of those that are kept for good: an error names no more. */
const NAMED_MAX = 20;
const KEYS_AT_ONCE = 1_024;
/** Versions pruned with one commit: one is the rule, more when a process starts with fewer versions to keep. */
const VERSIONS_PER_COMMIT = 256;

/** What the commit of a version prunes by. */
export interface PruningRules {
  /** How many versions stay besides the one that is committed. */
  readonly versionsKept: number;
  /** May a version that is held in this name go? */
  readonly isReleased: (name: string, version: number) => boolean;
  /** The version before is held in this name. */
  readonly holdBefore: string | undefined;
}

/** Where nobody can give a version up, none is held. */
export function pruningRules(options: Releases, holdBefore: string | undefined): PruningRules {
  const { isReleased, versionsKept = VERSIONS_KEPT_DEFAULT } = options;
  return { versionsKept, isReleased: isReleased ?? (() => false), holdBefore: isReleased && holdBefore };
}

type Releases = Pick<CommitMultiStoreOptions, "isReleased" | "versionsKept">;

export class ReadableVersions {
  /** `kept`: ascending, all before `first`. No version at all: `first` and `last` are 0. */
  constructor(
    private readonly kept: readonly number[] = [],
    readonly first = 0,
    readonly last = 0,
    private readonly held = new PinnedVersions(),
  ) {}

  static load(database: Database): ReadableVersions {
    const kept: number[] = [];
    let first = 0;
    let last = 0;
    for (let end: Uint8Array | undefined = commitsEnd(); end; ) {
      const keys = database.keys({ start: commitKey(0), end, reverse: true, limit: KEYS_AT_ONCE });
      for (const version of keys.map(versionOfCommitKey)) {
        if (last === 0) last = version;
        else if (version !== first - 1 || kept.length > 0) {
          kept.push(version);
          continue;
        }
        first = version;
      }
      end = keys.at(-1);
    }
    return new ReadableVersions(kept.reverse(), first, last, PinnedVersions.load(database));
  }

  /** 0 when there is none. */
  get lowest(): number {
    return this.kept[0] ?? this.first;
  }

  /** For people who ask for another one. */
  get inWords(): string {
    const run = `${this.first} to ${this.last}`;
    if (this.kept.length === 0) return run;
    const named = this.kept.slice(-NAMED_MAX);
    const from = named.length < this.kept.length ? `from ${this.lowest} on, the last of them ` : "";
    return `${run}, and before, by themselves, ${from}${named.join(", ")}`;
  }

  /** The greatest one up to `version`; 0 when there is none. */
  upTo(version: number): number {
    if (version >= this.first) return Math.min(version, this.last);
    return this.kept.findLast((each) => each <= version) ?? 0;
  }

  has(version: number): boolean {
    return version > 0 && this.upTo(version) === version;
  }

  /**
   * What can be read after the commit of `version`: as many before it as the rules say, and those that are kept for good
   * or held. The records of the others are removed with the commit.
   */
  after(version: number, rules: PruningRules, database: Database, batch: Batch): ReadableVersions {
    const oldest = Math.min(version, version - rules.versionsKept);
    const held = this.#heldAfter(version, oldest, rules, batch);
    const kept = this.kept.filter((each) => !this.held.has(each) || stays(each, held, database, batch));
    let first = this.last === 0 ? version : this.first;
    for (let pruned = 0; pruned < VERSIONS_PER_COMMIT && first < oldest; pruned++, first++) {
      if (stays(first, held, database, batch)) kept.push(first);
    }
    return new ReadableVersions(kept, first, version, held);
  }

  #heldAfter(version: number, oldest: number, { isReleased, holdBefore }: PruningRules, batch: Batch): PinnedVersions {
    const held = this.held.without(this.held.released(version, oldest, isReleased), batch);
    return holdBefore !== undefined && this.has(version - 1) ? held.with(version - 1, holdBefore, batch) : held;
  }
}

/** Of a version that is old: when neither its record nor a holder keeps it, the record goes. */
function stays(version: number, held: PinnedVersions, database: Database, batch: Batch): boolean {
  if (held.has(version) || readCommit(database, version)?.kept) return true;
  batch.remove(commitKey(version));
  return false;
}
