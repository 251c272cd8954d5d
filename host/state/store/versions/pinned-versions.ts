/**
 * Versions that outlive pruning until nobody wants them: the state before an upgrade, until its witness is made. Each has
 * a record with the name that it is held in. Blocks that hold nothing pay for nothing.
 */
import { utf8 } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";
import type { Batch, Database } from "../disk/database.js";
import { pinnedEnd, pinnedKey, versionOfPinnedKey } from "../disk/keys.js";

/** Whether a version may go is asked once in as many commits: the answer may be in a folder. */
const ASKED_EVERY = 10;

export class PinnedVersions {
  constructor(private readonly names: ReadonlyMap<number, string> = new Map()) {}

  static load(database: Database): PinnedVersions {
    const keys = database.keys({ start: pinnedKey(0), end: pinnedEnd() });
    const names = keys.map((key): [number, string] => {
      return [versionOfPinnedKey(key), decodeText(database.get(key) ?? new Uint8Array(0))];
    });
    return new PinnedVersions(new Map(names));
  }

  /** Versions and the names that they are held in, the oldest first. */
  get entries(): readonly (readonly [version: number, name: string])[] {
    return [...this.names];
  }

  versionOf(name: string): number | undefined {
    return [...this.names].find(([, each]) => each === name)?.[0];
  }

  has(version: number): boolean {
    return this.names.has(version);
  }

  /** With one more, from the commit of `batch` on. */
  with(version: number, name: string, batch: Batch): PinnedVersions {
    batch.put(pinnedKey(version), utf8(name));
    return new PinnedVersions(new Map([...this.names, [version, name]]));
  }

  /** Those below `oldest` that the commit of `version` may let go: what nobody wants is not looked for each time. */
  released(version: number, oldest: number, isReleased: (name: string, version: number) => boolean): readonly number[] {
    if (this.names.size === 0 || version % ASKED_EVERY !== 0) return [];
    return [...this.names].filter(([held, name]) => held < oldest && isReleased(name, held)).map(([held]) => held);
  }

  /** Without these, from the commit of `batch` on. */
  without(versions: readonly number[], batch: Batch): PinnedVersions {
    if (versions.length === 0) return this;
    for (const version of versions) batch.remove(pinnedKey(version));
    return new PinnedVersions(new Map([...this.names].filter(([version]) => !versions.includes(version))));
  }
}
