/** SHA-256 of a node: OpenSSL's, in one call. */
import { createHash, hash } from "node:crypto";
import type { Sha256 } from "../types/types.js";

/**
 * SHA-256 by Node.js: what an app of this entry hashes with.
 *
 * @example
 * console.log(Buffer.from(sha256(new Uint8Array(0))).toString("hex").slice(0, 8)); // → e3b0c442
 */
export const sha256: Sha256 = Object.assign((bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer"), {
  create: () => createHash("sha256"),
});
