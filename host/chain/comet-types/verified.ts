/**
 * Remembers signatures that were found good, so that a transaction which passed the mempool is not verified again in
 * its block. A good signature is good for ever: what is remembered changes no verdict, only the time it takes.
 */
import { concatBytes, toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { type VerifySignature, verifySignature } from "./keys.js";

const REMEMBERED_MAX = 10_000;

/** The oldest is forgotten first. */
export function rememberingVerifier(sha256: Sha256, verify: VerifySignature = verifySignature): VerifySignature {
  const good = new Set<string>();
  return (key, message, signature) => {
    // Both have fixed lengths, so no other three make the same bytes.
    const name = `${key.type} ${toHex(sha256(concatBytes(sha256(key.bytes), sha256(signature), message)))}`;
    if (good.has(name)) return true;
    if (!verify(key, message, signature)) return false;
    const [oldest] = good;
    if (oldest !== undefined && good.size >= REMEMBERED_MAX) good.delete(oldest);
    good.add(name);
    return true;
  };
}
