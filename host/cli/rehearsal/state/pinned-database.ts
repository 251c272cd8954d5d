/**
 * One committed version of a database that a node may be writing to. Trees of a version never change while the version is
 * kept, so nothing has to hold one snapshot for a whole rehearsal: it is given back several times a second, and the node
 * may use its old pages again. Later versions are hidden, and what is to be collected is the node's own to collect.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { asHost } from "../../../base/errors/synchronous.js";
import { byteAt } from "../../../base/text/checked-index.js";
import type { Database, DatabaseRange } from "../../../state/store/disk/database.js";
import { commitKey, commitsEnd, orphansFrom } from "../../../state/store/disk/keys.js";

const HELD_MILLIS_MAX = 250;
const GONE_STORES = "g".charCodeAt(0);
const COMMITS = byteAt(commitKey(0), 0);
const ORPHANS = byteAt(orphansFrom(0), 0);

/** A database whose snapshot can be given back. */
export interface RenewableDatabase {
  readonly database: Database;
  renew(): void;
}

export class PinnedDatabase implements Database {
  readonly isReadOnly = true;
  /** How often a snapshot was given back. */
  renewals = 0;
  /** Longest time in milliseconds that one was held. */
  heldMillisMax = 0;
  /** Undefined: none is held. */
  #heldSince: number | undefined;

  /** @throws UpgradeError UPG_NOT_FOUND_VERSION */
  constructor(
    private readonly source: RenewableDatabase,
    readonly version: number,
    private readonly now: () => number = () => asHost(() => performance.now()),
  ) {
    this.#heldSince = now();
    this.#requireKept();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#look();
    return this.#isHidden(key) ? undefined : this.source.database.get(key);
  }

  keys(range: DatabaseRange): Uint8Array[] {
    this.#look();
    const { database } = this.source;
    const [first] = range.start;
    if (first === COMMITS) return database.keys({ ...range, end: earlier(range.end, commitKey(this.version + 1)) });
    if (first === ORPHANS || first === GONE_STORES) return [];
    return database.keys(range);
  }

  transaction(): never {
    throw new UpgradeError("UPG_BUG_ASSERT", "the database of a rehearsal is read alone");
  }

  close(): void {
    this.#giveBack();
  }

  #isHidden(key: Uint8Array): boolean {
    const [first] = key;
    if (first === ORPHANS || first === GONE_STORES) return true;
    return first === COMMITS && isBefore(commitKey(this.version), key) && isBefore(key, commitsEnd());
  }

  /** Call it in work that reads nothing for long. */
  rest(): void {
    if (this.#heldSince !== undefined && this.now() - this.#heldSince >= HELD_MILLIS_MAX) this.#giveBack();
  }

  /** Before each read. */
  #look(): void {
    this.rest();
    if (this.#heldSince !== undefined) return;
    this.#heldSince = this.now();
    this.#requireKept();
  }

  #giveBack(): void {
    const held = this.now() - (this.#heldSince ?? this.now());
    this.heldMillisMax = Math.max(this.heldMillisMax, held);
    this.#heldSince = undefined;
    this.renewals++;
    this.source.renew();
  }

  #requireKept(): void {
    if (this.source.database.get(commitKey(this.version))) return;
    const what = `the state of height ${this.version} is not kept`;
    const advice = "give the node a greater keep-versions, or rehearse on a copy (--copy)";
    const text = this.renewals === 0 ? what : `${what} any more: the node has pruned it meanwhile; ${advice}`;
    throw new UpgradeError("UPG_NOT_FOUND_VERSION", text);
  }
}

function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) < 0;
}

function earlier(a: Uint8Array, b: Uint8Array): Uint8Array {
  return isBefore(b, a) ? b : a;
}
