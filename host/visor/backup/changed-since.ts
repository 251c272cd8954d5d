/** Is the data still what a backup was made of? A sidecar that starts again makes another one only where it is not. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { digestsOf } from "../download/pieces.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

/** Who has a file open is in them, and no data: a look at the data writes them. */
const LOCKS = /(^|\/)(LOCK|[^/]+\.mdb-lock)$/;

export interface Compared {
  readonly files: Files;
  readonly data: string;
  readonly tree: Tree;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly signal: AbortSignal;
}

/** The first difference, in words; undefined: there is none. @throws what the system says */
export async function changeSince(compared: Compared): Promise<string | undefined> {
  const { tree, manifest } = compared;
  const now = new Map(tree.files.filter(({ path }) => !LOCKS.test(path)).map(({ path, bytes }) => [path, bytes]));
  const then = manifest.files.filter(({ path }) => !LOCKS.test(path));
  for (const { path, bytes } of then) {
    const found = now.get(path);
    if (found === undefined) return `${path} is no more`;
    if (found !== bytes) return `${path} has ${found} bytes, and had ${bytes}`;
    now.delete(path);
  }
  const [added] = now.keys();
  if (added !== undefined) return `${added} is new`;
  for (const { path, sha256 } of then) {
    const [found, before] = await bothDigests(compared, path, sha256);
    if (found !== before) return `${path} has other bytes`;
  }
  return undefined;
}

/** A reflink has no checksum in the manifest: its own bytes are read. */
async function bothDigests({ files, data, folder, signal }: Compared, path: string, kept: string | null) {
  const [now] = await digestsOf(files, join(data, path), ["sha256"], signal);
  if (kept !== null) return [now, kept];
  const [then] = await digestsOf(files, join(folder, path), ["sha256"], signal);
  return [now, then];
}
