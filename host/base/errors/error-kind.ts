/** What an error code means to others, and the families that the table in errors.ts is made of. */

/**
 * The scope of a failure. `state`: it follows from the chain's state or from the bytes given, so every node fails alike and a retry
 * fails again. `local`: this machine's files, disk, settings, programs or network, or the caller's own command; other nodes are not
 * affected, and a retry may succeed. `bug`: a defect of this project, or of the chain's program where the code says so.
 */
export type ErrorCause = "state" | "local" | "bug";

/** What a code means to a process (exit status), to an HTTP client and to a gRPC client. */
export interface ErrorKind {
  /** Shared with the Wasm interfaces; positive, below 256. */
  readonly number: number;
  /** Exit status of a process that ends with this error (docs/errors.md). */
  readonly exit: number;
  readonly http: number;
  /** gRPC status number. */
  readonly grpc: number;
  readonly cause: ErrorCause;
  /** One line for docs/errors.md. */
  readonly means: string;
}

export const kind = (
  number: number,
  exit: number,
  http: number,
  grpc: number,
  cause: ErrorCause,
  means: string,
): ErrorKind => Object.freeze({ number, exit, http, grpc, cause, means });

/** The usual cause of a family; a code that differs says so. */
const family =
  (exit: number, http: number, grpc: number, usual: ErrorCause) =>
  (number: number, means: string, cause = usual) =>
    kind(number, exit, http, grpc, cause, means);

export const invalid = family(2, 400, 3, "state");
export const notFound = family(3, 404, 5, "state");
export const halt = (number: number, exit: number, cause: ErrorCause, means: string) =>
  kind(number, exit, 503, 14, cause, means);
export const migration = family(20, 503, 9, "state");
export const handler = family(21, 503, 9, "state");
export const store = family(30, 500, 15, "local");
export const proof = family(40, 422, 3, "state");
export const remote = family(1, 502, 14, "local");
export const bug = family(70, 500, 13, "bug");

/** Answer of a Wasm call for "nothing there"; not an error. */
export const ABSENT = 1;

/** Facts about a failure, for machines: the names and values that the message speaks of. */
export type ErrorDetails = Readonly<Record<string, string>>;
