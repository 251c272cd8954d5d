/** What is to be unpacked of a download: by the `archive` parameter, else by the end of the URL's path, as go-getter decides it. */
import { UpgradeError } from "../../base/errors/errors.js";
import { goQuote } from "../../upgrade/plan-info/go-quote.js";
import { parseGoUrl, queryParameter, withoutParameter } from "../../upgrade/plan-info/go-url.js";

export interface ArchiveKind {
  readonly packing: "none" | "gz" | "bz2" | "xz" | "zst";
  readonly container: "none" | "tar" | "zip";
}

const KINDS: ReadonlyMap<string, ArchiveKind> = new Map([
  ["zip", { packing: "none", container: "zip" }],
  ["tar", { packing: "none", container: "tar" }],
  ...(["gz", "bz2", "xz", "zst"] as const).flatMap((packing): [string, ArchiveKind][] => [
    [packing, { packing, container: "none" }],
    [`tar.${packing}`, { packing, container: "tar" }],
  ]),
  ["tgz", { packing: "gz", container: "tar" }],
  ["tbz2", { packing: "bz2", container: "tar" }],
  ["txz", { packing: "xz", container: "tar" }],
  ["tzst", { packing: "zst", container: "tar" }],
]);

const RAW: ArchiveKind = { packing: "none", container: "none" };

/** Go's strconv.ParseBool. */
const TRUE = /^(1|t|T|TRUE|true|True)$/;
const FALSE = /^(0|f|F|FALSE|false|False)$/;

/**
 * @param source without its checksum
 * @returns the URL to request, without the parameter, and what it leads to
 * @throws UpgradeError UPG_INVALID_PLAN_INFO: the parameter names what is no archive here
 */
export function archiveOf(source: string): { readonly url: string; readonly archive: ArchiveKind } {
  const { path, query } = parseGoUrl(source);
  const asked = queryParameter(query, "archive");
  if (asked === undefined) return { url: source, archive: bySuffix(path) };
  const rest = withoutParameter(query, "archive");
  const [bare = ""] = source.split("?", 1);
  const url = rest === "" ? bare : `${bare}?${rest}`;
  if (FALSE.test(asked)) return { url, archive: RAW };
  if (asked === "" || TRUE.test(asked)) return { url, archive: bySuffix(path) };
  const archive = KINDS.get(asked);
  if (archive) return { url, archive };
  const known = [...KINDS.keys()].join(", ");
  throw new UpgradeError("UPG_INVALID_PLAN_INFO", `unsupported archive: ${goQuote(asked)} (it may be false, ${known})`);
}

/** The longest that fits: `.tar.gz` before `.gz`. */
function bySuffix(path: string): ArchiveKind {
  const fitting = [...KINDS.keys()].filter((kind) => path.endsWith(`.${kind}`));
  const longest = fitting.sort((a, b) => b.length - a.length)[0] ?? "";
  return KINDS.get(longest) ?? RAW;
}
