/** What a plan's info offers for this platform, fetched, verified and put in its place. */
import type { Files } from "../programs/files.js";

export interface FetchOptions {
  readonly files: Files;
  /** The plan's info: JSON, or a URL of it. */
  readonly info: string;
  /** Becomes `<folder>/bin/<name>`, whole, or nothing does. */
  readonly folder: string;
  readonly name: string;
  /** Go's, as `linux/amd64`. */
  readonly platform: string;
  readonly isChecksumRequired: boolean;
  readonly bytesMax: number;
  readonly millisMax: number;
  readonly stallMillis: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number | undefined) => void;
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
}

export interface Fetched {
  readonly file: string;
  readonly url: string;
  /** Of what was downloaded, lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** The plan had a checksum, and it is this file's. */
  readonly isVerified: boolean;
}
