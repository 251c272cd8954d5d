/** The `checksum` parameter of a download URL, as go-getter reads it. */
import { UpgradeError } from "../../base/errors/errors.js";
import { downloadScheme } from "./download-url.js";
import { goQuote } from "./go-quote.js";
import { parseGoUrl, queryParameter } from "./go-url.js";

type HashAlgorithm = "md5" | "sha1" | "sha256" | "sha512";

export type Checksum =
  /** `digest`: lower-case hex of the algorithm's length; of the downloaded file, not of what is unpacked from it. */
  | { readonly kind: "digest"; readonly algorithm: HashAlgorithm; readonly digest: string }
  /** A BSD or GNU style sums file, to be fetched first; it pins nothing that its server could not change. */
  | { readonly kind: "file"; readonly url: string };

export interface ChecksumRules {
  /** Take md5 and sha1 too, for which two files with one digest can be made. */
  readonly allowWeakChecksum?: boolean;
}

const DIGEST_HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ["md5", 32],
  ["sha1", 40],
  ["sha256", 64],
  ["sha512", 128],
]);
const WEAK: ReadonlySet<string> = new Set(["md5", "sha1"]);

/**
 * `<algorithm>:<hex>`, a bare `<hex>` whose length gives the algorithm, or `file:<url>`.
 *
 * @param text the parameter's value, escapes resolved
 * @throws UpgradeError UPG_INVALID_PLAN_INFO
 */
export function parseChecksum(text: string, rules: ChecksumRules = {}): Checksum {
  const colon = text.indexOf(":");
  const name = colon < 0 ? undefined : text.slice(0, colon);
  const value = text.slice(colon + 1);
  if (name === "file") {
    checkSumsFile(value);
    return { kind: "file", url: value };
  }
  const algorithm = name === undefined ? algorithmByLength(value) : name.toLowerCase();
  if (!isAlgorithm(algorithm)) throw refused(`unsupported checksum type: ${name}`);
  if (WEAK.has(algorithm) && rules.allowWeakChecksum !== true) {
    throw refused(`weak checksum type: ${algorithm} (use sha256 or sha512)`);
  }
  checkHex(value);
  const digits = DIGEST_HEX_DIGITS.get(algorithm);
  if (value.length !== digits) {
    throw refused(`invalid checksum: ${algorithm} has ${digits} hex digits, ${goQuote(value)} has ${value.length}`);
  }
  return { kind: "digest", algorithm, digest: value.toLowerCase() };
}

function checkSumsFile(text: string): void {
  const url = parseGoUrl(text);
  downloadScheme(url);
  if (queryParameter(url.query, "checksum") !== undefined) {
    throw refused("unsupported checksum type: a sums file with a checksum of its own; give the download's digest");
  }
}

function algorithmByLength(value: string): string {
  checkHex(value);
  for (const [algorithm, digits] of DIGEST_HEX_DIGITS) if (digits === value.length) return algorithm;
  throw refused(`Unknown type for checksum ${value}`);
}

function isAlgorithm(name: string): name is HashAlgorithm {
  return DIGEST_HEX_DIGITS.has(name);
}

function checkHex(value: string): void {
  if (!/^[0-9a-fA-F]*$/.test(value)) throw refused(`invalid checksum: ${goQuote(value)} is not hex`);
}

function refused(text: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", text);
}
