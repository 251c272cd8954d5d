/**
 * Every file call of those who put programs in their places: the relay and the sidecar. Tests give one that fails, tears what it
 * writes and forgets what was not synced. Paths are absolute.
 */

/** What lies under a path. */
export interface FileFacts {
  readonly kind: "file" | "folder" | "link" | "other";
  /** Permission bits, without the kind. */
  readonly mode: number;
  /** Numbers of its user and group, where the system has them. */
  readonly uid?: number;
  readonly gid?: number;
  readonly bytes: number;
  /** Changes whenever the file is another one, or has been written to. */
  readonly print: string;
  /** Of the last write, by the machine's clock, in milliseconds. */
  readonly changedAt: number;
}

/** A file that is being written; nothing is durable before `sync`. */
export interface OpenFile {
  write(bytes: Uint8Array): void;
  sync(): void;
  close(): void;
}

/** Each call throws what the system says: an Error with `code`, as `ENOSPC`. */
export interface Files {
  /** Links are followed; undefined: nothing is there, or a link that leads nowhere. */
  facts(path: string): FileFacts | undefined;
  /** Of a link itself. */
  linkFacts(path: string): FileFacts | undefined;
  readLink(path: string): string;
  /** A regular file, whole; undefined: there is none. @param bytesMax a longer one is refused */
  read(path: string, bytesMax?: number): Uint8Array | undefined;
  /** Of a regular file, fewer bytes at its end and none after it. Links are followed. */
  readPart(path: string, at: number, length: number): Uint8Array;
  /** In order; undefined: there is no such folder. */
  list(folder: string): readonly string[] | undefined;
  /** With the folders above it. */
  makeFolder(path: string, mode?: number): void;
  /** `new`: there must be none; `append`: goes on after what is there. */
  open(path: string, how: "new" | "append", mode: number): OpenFile;
  rename(from: string, to: string): void;
  /** A file, a link or a whole folder; nothing where there is none. */
  remove(path: string): void;
  symlink(target: string, path: string): void;
  chmod(path: string, mode: number): void;
  /**
   * A file to a path that is free, without holding up the process: by reflink where the file system can.
   * @param how `reflink`: by that, or not at all
   */
  copy(from: string, to: string, how?: "reflink"): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): void;
  /** Makes a file's bytes durable that something else wrote. */
  syncFile(path: string): void;
  /** That may still be written on the file system of an existing path. */
  freeBytes(path: string): number;
  /** Files that can still be created there; undefined: the file system has no such bound. */
  freeFiles(path: string): number | undefined;
  /**
   * Creates and removes a file in an existing folder, or a link; of an existing file, checks that it can be replaced. Nothing is left
   * behind or changed. Permissions do not show a read-only mount, an immutable file, a quota or a lack of inodes.
   */
  tryWrite(path: string, what?: "link"): void;
}
