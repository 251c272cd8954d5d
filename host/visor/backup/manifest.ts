/** What a backup has in it, in a file of its own that is written last: a folder without one is no backup of ours. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { decodeText } from "../../base/text/text.js";
import { digestsOf } from "../download/pieces.js";

export const MANIFEST = "backup.json";
const BYTES_MAX = 512 * 1_024 * 1_024;

export interface BackupFile {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex; null: a reflink, whose bytes are the original's. */
  readonly sha256: string | null;
}

export interface Manifest {
  readonly v: 1;
  readonly plan: { readonly name: string; readonly height: string };
  /** RFC 3339, UTC. */
  readonly time: string;
  /** That was copied. */
  readonly data: string;
  /** Below the root: of the program that had written it. */
  readonly program: string | null;
  readonly how: "reflink" | "copy";
  readonly bytes: number;
  readonly files: readonly BackupFile[];
}

/** Undefined: the folder is none of ours, or not whole. */
export function manifestOf(files: Files, folder: string): Manifest | undefined {
  try {
    const bytes = files.read(join(folder, MANIFEST), BYTES_MAX);
    const json = bytes && (JSON.parse(decodeText(bytes)) as Manifest);
    return json?.v === 1 && Array.isArray(json.files) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** The first thing that is not as the manifest says; undefined: all is. @throws what the system says */
export async function problemIn(
  files: Files,
  folder: string,
  manifest: Manifest,
  signal: AbortSignal,
  onFile: (bytes: number) => void = () => undefined,
): Promise<string | undefined> {
  for (const { path, bytes, sha256 } of manifest.files) {
    const facts = files.linkFacts(join(folder, path));
    if (facts?.kind !== "file") return `${path} is missing`;
    if (facts.bytes !== bytes) return `${path} has ${facts.bytes} bytes, and had ${bytes}`;
    if (sha256 !== null) {
      const [found] = await digestsOf(files, join(folder, path), ["sha256"], signal);
      if (found !== sha256) return `${path} has other bytes than were copied`;
    }
    onFile(bytes);
  }
  return undefined;
}
