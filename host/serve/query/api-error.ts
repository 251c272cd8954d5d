/** An error as every server returns it: the gRPC number, the message, and the stable code. */

import { type ErrorCode, isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { completeText } from "../../base/text/program-text.js";
import { ERROR_CODE_HEADER } from "./query.js";

/** Messages repeat what a client sent; an answer stays small all the same. */
const MESSAGE_CHARACTERS_MAX = 1_024;

export interface ApiError {
  readonly code: ErrorCode;
  readonly grpc: number;
  readonly http: number;
  readonly message: string;
  /** Headers of REST and trailers of gRPC: the code, and what a simulated transaction failed with. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A module chooses its codespace, and a header holds ASCII: the codespace is percent-encoded. */
const [TX_CODESPACE_HEADER, TX_CODE_HEADER] = ["x-tx-codespace", "x-tx-code"] as const;

function headersOf({ code, details }: UpgradeError): Record<string, string> {
  const { tx_codespace: codespace = "", tx_code: txCode } = details;
  const own = { [ERROR_CODE_HEADER]: code };
  if (txCode === undefined) return own;
  return { ...own, [TX_CODESPACE_HEADER]: encodeURIComponent(codespace.toWellFormed()), [TX_CODE_HEADER]: txCode };
}

export interface ErrorEvents {
  /** Name of the chain's program, in errors with commands to type. */
  readonly program: string;
  /** Something that must not happen; the client learns no more than that. */
  onBug(error: unknown): void;
}

/** What is no error of the table is a bug of ours, and its text stays inside. */
export function apiError(error: unknown, events: ErrorEvents): ApiError {
  if (!isUpgradeError(error)) {
    events.onBug(error);
    const hidden = new UpgradeError("UPG_BUG_ASSERT", "internal error, see the node's log");
    return apiError(hidden, { ...events, onBug: () => undefined });
  }
  const { code, kind } = error;
  if (kind.exit === 70) events.onBug(error);
  const whole = completeText(error.template, events.program);
  const message = whole.length > MESSAGE_CHARACTERS_MAX ? `${whole.slice(0, MESSAGE_CHARACTERS_MAX)}…` : whole;
  return { code, grpc: kind.grpc, http: kind.http, message, headers: headersOf(error) };
}
