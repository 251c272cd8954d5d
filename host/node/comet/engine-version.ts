/** Which engines this node works with: those of ABCI 2.0, with messages framed as CometBFT does since 0.37. */

import { UpgradeError } from "../../base/errors/errors.js";
import { INSTALL_ENGINE } from "../../chain/comet-types/release.js";

const ABCI = /^2\.0\.\d+/;
const SHOWN_CHARACTERS = 40;
const WORKS = `this node works with CometBFT 0.38 (ABCI 2.0.0): \`${INSTALL_ENGINE}\``;

/** Wire type of messages within messages. */
const LENGTH_DELIMITED = 2;

/**
 * An engine names its versions in its first request, Info. One that names no version of ABCI is no CometBFT and is accepted.
 *
 * @throws UpgradeError UPG_INVALID_CONFIG
 */
export function requireEngine({
  version,
  abciVersion,
}: {
  readonly version: string;
  readonly abciVersion: string;
}): void {
  if (abciVersion === "" || ABCI.test(abciVersion)) return;
  const [engine, abci] = [version || "of an unknown version", abciVersion].map((text) =>
    text.slice(0, SHOWN_CHARACTERS),
  );
  throw unfit(`the engine is CometBFT ${engine} with ABCI ${abci}`);
}

/**
 * Before 0.37 an engine wrote lengths as signed numbers, so each reads as twice as many bytes as follow, and both sides would
 * wait for the other.
 *
 * @param chunk the first bytes of a connection
 * @throws UpgradeError UPG_INVALID_CONFIG
 */
export function requireFraming(chunk: Uint8Array): void {
  const length = numberAt(chunk, 0);
  const tag = length && chunk[length.end];
  if (!length || tag === undefined || (tag & 7) !== LENGTH_DELIMITED) return;
  const inner = numberAt(chunk, length.end + 1);
  // A request is one field, so its length is that of the message.
  if (!inner || 2 * (inner.end - length.end + inner.value) !== length.value) return;
  throw unfit("the engine frames its messages as Tendermint and CometBFT before 0.37 do");
}

/** An unsigned LEB128 number of at most five bytes. Undefined if there is none at `start`. */
function numberAt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = start; at < Math.min(bytes.length, start + 5); at++) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return undefined;
}

const unfit = (what: string) => new UpgradeError("UPG_INVALID_CONFIG", `${what}, and ${WORKS}`);
