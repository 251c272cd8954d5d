/**
 * Which node a home is: two of one chain may run on a machine, and what one has made says nothing of the other. As CometBFT has it:
 * the first 20 bytes of the SHA-256 of the node key's public half.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { fromBase64, toHex } from "../../../base/text/bytes.js";
import { decodeText } from "../../../base/text/text.js";

const BYTES_MAX = 65_536;
const KEY_BYTES = 64;
const PUBLIC_AT = 32;
const ID_BYTES = 20;

/** In lower-case hex; undefined: the home has no node key that says it. */
export function ownNodeId(files: Files, home: string): string | undefined {
  try {
    const bytes = files.read(join(home, "config", "node_key.json"), BYTES_MAX);
    if (!bytes) return undefined;
    const { priv_key } = JSON.parse(decodeText(bytes)) as { priv_key?: { value?: unknown } };
    const key = fromBase64(String(priv_key?.value));
    return key.length === KEY_BYTES ? addressOf(key.subarray(PUBLIC_AT)) : undefined;
  } catch {
    return undefined;
  }
}

const addressOf = (publicKey: Uint8Array) =>
  toHex(createHash("sha256").update(publicKey).digest().subarray(0, ID_BYTES));

/** Of CometBFT's `/status`, in the spellings of its releases; undefined: it does not say. */
export function nodeIdIn(json: unknown): string | undefined {
  const { result } = (json ?? {}) as {
    result?: { node_info?: { id?: unknown; default_node_info?: { id?: unknown } } };
  };
  const id = result?.node_info?.id ?? result?.node_info?.default_node_info?.id;
  return typeof id === "string" && /^[0-9a-f]{40}$/i.test(id) ? id.toLowerCase() : undefined;
}
