/** What the lists of hostile guests are made of. */
import type { ErrorCode } from "../../../host/base/errors/errors.js";
import type { GuestParts } from "../build.js";
import type { Scene } from "../running.js";

/** Refused before anything runs. */
export interface RefusedGuest {
  readonly what: string;
  readonly code: ErrorCode;
  readonly bytes: () => Uint8Array;
}

/** Taken, run, and stopped. */
export interface StoppedGuest {
  readonly what: string;
  readonly code: ErrorCode;
  readonly parts: GuestParts;
  readonly scene?: Scene;
}
