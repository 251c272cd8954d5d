/** Files of sums, as sha256sum (GNU) and shasum --tag (BSD) write them. */
import { UpgradeError } from "../../base/errors/errors.js";
import { parseChecksum } from "../../upgrade/plan-info/checksum.js";

export interface SumQuestion {
  /** Whose sum it is: the last part of its path is the name in the file. */
  readonly source: string;
  readonly sumsUrl: string;
  readonly isWeakAllowed: boolean;
}

const STRONGEST_FIRST = ["sha512", "sha256", "sha1", "md5"];

/** @throws UpgradeError UPG_INVALID_PLAN_INFO: none for the file, two that differ, a weak one */
export function sumOf(
  text: string,
  { source, sumsUrl, isWeakAllowed }: SumQuestion,
): { algorithm: string; hex: string } {
  const name = nameOf(source);
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const sum = readLine(line);
    if (!sum || (sum.name !== undefined && baseOf(sum.name) !== name)) continue;
    const checksum = parseChecksum(sum.value, { allowWeakChecksum: true });
    if (checksum.kind !== "digest") continue;
    const { algorithm, digest } = checksum;
    if ((found.get(algorithm) ?? digest) !== digest) throw refused(`${sumsUrl} has two ${algorithm} sums for ${name}`);
    found.set(algorithm, digest);
  }
  const algorithm = STRONGEST_FIRST.find((known) => found.has(known));
  if (algorithm === undefined) throw refused(`no checksum found in: ${sumsUrl}: it has no line for ${name}`);
  const hex = found.get(algorithm) ?? "";
  parseChecksum(`${algorithm}:${hex}`, { allowWeakChecksum: isWeakAllowed });
  return { algorithm, hex };
}

/** `<hex>  name`, `<hex> *name`, `SHA256 (name) = <hex>`; also a lone `<hex>`, which is of any name. */
function readLine(line: string): { readonly value: string; readonly name: string | undefined } | undefined {
  const bsd = /^(MD5|SHA1|SHA256|SHA512) ?\((.+)\) ?= ?([0-9a-fA-F]+)\s*$/.exec(line);
  if (bsd?.[1] !== undefined && bsd[3] !== undefined) return { value: `${bsd[1]}:${bsd[3]}`, name: bsd[2] };
  const gnu = /^([0-9a-fA-F]{32,128})(?:\s+\*?(.+?))?\s*$/.exec(line);
  return gnu?.[1] === undefined ? undefined : { value: gnu[1], name: gnu[2] };
}

function nameOf(source: string): string {
  const name = baseOf(source.split("?", 1)[0] ?? "");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const baseOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

function refused(text: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", text);
}
