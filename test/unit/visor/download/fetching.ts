/** What tests of downloads begin with: a folder, options that wait for nothing, and what was left on disk. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { type FetchOptions, fetchProgram } from "../../../../host/visor/download/fetch-program.js";

export const scratch = mkdtempSync(join(tmpdir(), "chain-upgrade-download-"));
/** For a file of tests: files of tests share this module, one after the other. */
export function useScratch(): void {
  beforeAll(() => void mkdirSync(scratch, { recursive: true }));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
}

const PLATFORM = "linux/amd64";
let folders = 0;
const newFolder = () => join(scratch, `upgrades-${folders++}`, "v2");

export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
export const sha512 = (bytes: Uint8Array | string) => createHash("sha512").update(bytes).digest("hex");
export const infoOf = (url: string, platform = PLATFORM) => JSON.stringify({ binaries: { [platform]: url } });

export function fetchOptions(info: string, changes: Partial<FetchOptions> = {}): FetchOptions & { lines: string[] } {
  const lines: string[] = [];
  return {
    files: diskFiles,
    info,
    folder: newFolder(),
    name: "appd",
    platform: PLATFORM,
    isChecksumRequired: false,
    bytesMax: 64 * 1_048_576,
    millisMax: 30_000,
    stallMillis: 10_000,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    log: (level, message) => lines.push(`${level} ${message}`),
    sleep: async () => undefined,
    lines,
    ...changes,
  };
}

/** `code message`, of what must not succeed. */
export async function refusalOf(options: FetchOptions): Promise<string> {
  try {
    await fetchProgram(options);
  } catch (error) {
    if (isUpgradeError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("it succeeded");
}

/** All below a folder, with `/` after folders. */
export function treeOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1) + (entry.isDirectory() ? "/" : ""))
    .sort();
}
