/** What a command reads and writes: the process's streams and environment, or those that its caller gives. */

type Sink = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; unref?(): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
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
};
