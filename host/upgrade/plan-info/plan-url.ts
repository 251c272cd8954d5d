/** A URL of a plan's info with its checksum: what to download, and what it must hash to. */
import { UpgradeError } from "../../base/errors/errors.js";
import { type Checksum, type ChecksumRules, parseChecksum } from "./checksum.js";
import { type DownloadScheme, downloadScheme } from "./download-url.js";
import { parseGoUrl, queryParameter, withoutParameter } from "./go-url.js";

export interface PlanUrlRules extends ChecksumRules {
  /** Default true. */
  readonly checksumRequired?: boolean;
}

export interface PlanUrl {
  readonly scheme: DownloadScheme;
  /** What to request: the URL without its checksum and fragment, otherwise as written. */
  readonly source: string;
  readonly checksum?: Checksum;
}

/** What looks like a checksum; where the query has none, the author meant one, and the Cosmos SDK drops it in silence. */
const LOST_CHECKSUM = /[?&:;#]checksum=[^&#]/i;

/**
 * Reads and checks one URL of a plan: first by the Cosmos SDK's rules (it parses, it has a checksum), then by ours
 * (download-url.ts, checksum.ts).
 *
 * @throws UpgradeError UPG_INVALID_PLAN_INFO; the first rule that is broken, in the Cosmos SDK's words where it has the rule
 */
export function parsePlanUrl(text: string, rules: PlanUrlRules = {}): PlanUrl {
  const url = parseGoUrl(text);
  const value = queryParameter(url.query, "checksum") ?? "";
  if (value === "" && rules.checksumRequired !== false) throw refused("missing checksum query parameter");
  const scheme = downloadScheme(url);
  if (value === "" && LOST_CHECKSUM.test(text)) {
    throw refused('invalid checksum: "checksum=" is misplaced (not after ? or &), misspelt, repeated or badly escaped');
  }
  const source = sourceOf(text, url.query);
  return value === "" ? { scheme, source } : { scheme, source, checksum: parseChecksum(value, rules) };
}

function sourceOf(text: string, query: string): string {
  const [beforeFragment = ""] = text.split("#", 1);
  const [beforeQuery = ""] = beforeFragment.split("?", 1);
  const rest = withoutParameter(query, "checksum");
  return rest === "" ? beforeQuery : `${beforeQuery}?${rest}`;
}

function refused(text: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", text);
}
