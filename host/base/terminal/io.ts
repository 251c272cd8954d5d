/** What a command reads and writes: the process's streams and environment, or those that its caller gives. */
import type { Parented } from "./end-with-parent.js";

type Sink = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; unref?(): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The process, to whose parent `start` may have a channel. */
  readonly parent?: Parented;
}

/** The process's own. A stream is opened when it is used. */
export const PROCESS_IO: Io = {
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  get stdin() {
    return process.stdin;
  },
  env: process.env,
  parent: process,
};
