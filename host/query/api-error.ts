/** An error as every server returns it: the gRPC number, the message, and the stable code. */
import { type ErrorCode, isUpgradeError, UpgradeError } from "../errors.js";

/** Messages repeat what a client sent; an answer stays small all the same. */
const MESSAGE_CHARACTERS_MAX = 1_024;

export interface ApiError {
  readonly code: ErrorCode;
  readonly grpc: number;
  readonly http: number;
  readonly message: string;
}

/** What is no error of the table is a bug of ours, and its text stays inside. */
export function apiError(error: unknown, onBug: (error: unknown) => void): ApiError {
  if (!isUpgradeError(error)) {
    onBug(error);
    return apiError(new UpgradeError("UPG_BUG_ASSERT", "internal error, see the node's log"), () => undefined);
  }
  const { code, kind } = error;
  if (kind.exit === 70) onBug(error);
  const message =
    error.message.length > MESSAGE_CHARACTERS_MAX
      ? `${error.message.slice(0, MESSAGE_CHARACTERS_MAX)}…`
      : error.message;
  return { code, grpc: kind.grpc, http: kind.http, message };
}
