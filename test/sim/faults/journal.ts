/** The journal of faults.c: what a process changed on its disk, in order, and what it said in between. */
import { existsSync, readFileSync } from "node:fs";
import type { FaultClass } from "./library.js";

type Kind = "create" | "write" | "sync" | "truncate" | "rename" | "unlink" | "link" | "mkdir" | "log";

const KINDS: readonly Kind[] = ["create", "write", "sync", "truncate", "rename", "unlink", "link", "mkdir", "log"];
const CLASS_OF: Partial<Readonly<Record<Kind, FaultClass>>> = {
  ...{ write: "write", sync: "sync", create: "create", mkdir: "create", link: "create" },
  ...{ rename: "rename", unlink: "unlink", truncate: "truncate" },
};
const HEAD_BYTES = 40;
const DURABLE = 1;
const FOLDER = 2;

export interface Change {
  readonly kind: Kind;
  /** What FAULTS_FAIL calls it; undefined for what is said. */
  readonly class: FaultClass | undefined;
  /** What FAULTS_FAIL and FAULTS_KILL count. */
  readonly nth: number;
  readonly change: number;
  /** Number of the file (inode). */
  readonly file: number;
  readonly path: string;
  /** Of a write; the length of a truncation. */
  readonly offset: number;
  /** Of a write or a log; of a rename or a link, the other path. */
  readonly data: Buffer;
  /** A write through a descriptor that syncs. */
  readonly isDurable: boolean;
  /** A sync of a folder. */
  readonly isFolder: boolean;
}

export function readJournal(file: string): Change[] {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const changes: Change[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const word = (index: number) => bytes.readUInt32LE(at + 4 * index);
    const kind = KINDS[word(0) - 1] as Kind;
    const [flags, pathBytes, dataBytes] = [word(1), word(2), word(3)];
    const path = at + HEAD_BYTES;
    changes.push({
      kind,
      class: CLASS_OF[kind],
      nth: word(5),
      change: word(4),
      file: Number(bytes.readBigUInt64LE(at + 24)),
      offset: Number(bytes.readBigUInt64LE(at + 32)),
      path: bytes.toString("utf8", path, path + pathBytes),
      data: bytes.subarray(path + pathBytes, path + pathBytes + dataBytes),
      isDurable: (flags & DURABLE) !== 0,
      isFolder: (flags & FOLDER) !== 0,
    });
    at = path + pathBytes + dataBytes;
  }
  return changes;
}

/** All that was said before a change. */
export function saidBefore(changes: readonly Change[], index: number): string {
  return changes
    .slice(0, index)
    .filter(({ kind }) => kind === "log")
    .map(({ data }) => data.toString("utf8"))
    .join("");
}

/** Of LMDB: the first two pages. */
const META_BYTES = 2 * 4_096;

export const PHASES = ["start-up", "before", "handler", "staging", "commit", "after"] as const;
export type Phase = (typeof PHASES)[number];

/**
 * The phase of each change: up to "node started"; blocks before; from "applying upgrade" on the handler's (until the
 * database is first written to), then what is staged, and the one transaction that makes the block visible; after it.
 */
export function phasesOf(changes: readonly Change[]): Phase[] {
  const find = (text: string) => {
    const index = changes.findIndex(({ kind, data }) => kind === "log" && data.includes(text));
    return index === -1 ? changes.length : index;
  };
  const started = find("node started");
  const begun = find('applying upgrade \\"');
  const applied = find('"upgrade applied"');
  const inside = (index: number) => index > begun && index < applied;
  const isDatabase = ({ path, kind }: Change) => path.endsWith("chain.mdb") && kind === "write";
  const first = changes.findIndex((change, index) => inside(index) && isDatabase(change));
  // Each transaction ends with one of the two meta pages; what is staged does so without a sync of its own.
  const isMeta = (change: Change) => isDatabase(change) && (change.isDurable || change.offset < META_BYTES);
  const commits = changes.flatMap((change, index) => (inside(index) && isMeta(change) ? [index] : []));
  // The last of them ends the commit; what it begins with comes after the one before, or after what was written first.
  const commitFrom = commits.length > 1 ? (commits.at(-2) as number) + 1 : first;
  return changes.map((_, index) => {
    if (index <= started) return "start-up";
    if (index <= begun) return "before";
    if (index >= applied || (commits.length > 0 && index > (commits.at(-1) as number))) return "after";
    if (index >= commitFrom && commitFrom !== -1) return "commit";
    return first !== -1 && index >= first ? "staging" : "handler";
  });
}
