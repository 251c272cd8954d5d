/** How the `binaries` maps of real chains fare under the checker: the tables of docs/plan-info.md. */
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { checkPlanInfo } from "../../host/upgrade/plan-info/plan-info.js";
import { parsePlanUrl } from "../../host/upgrade/plan-info/plan-url.js";

/** chain-upgrades.json, as far as it is looked at. */
export interface ChainUpgrades {
  readonly chain: string;
  readonly versions: readonly { readonly name: string; readonly binaries?: Readonly<Record<string, string>> }[];
}

interface Row {
  maps: number;
  urls: number;
  readonly chains: Set<string>;
}

const MISSING = "missing checksum query parameter";

/** The two tables as Markdown: maps by verdict, URLs by the reason for which they are refused. */
export function planInfoTables(chains: readonly ChainUpgrades[]): string {
  const verdicts = new Map<string, Row>();
  const reasons = new Map<string, Row>();
  for (const { chain, versions } of chains) {
    for (const { binaries } of versions) {
      if (binaries === undefined) continue;
      const urls = Object.values(binaries);
      count(verdicts, verdictOf(binaries), chain, urls.length);
      const found = urls.map(reasonOf);
      for (const reason of new Set(found)) {
        count(reasons, reason, chain, found.filter((other) => other === reason).length);
      }
    }
  }
  return `${markdown("`binaries` maps", verdicts)}\n\n${markdown("URLs", reasons)}`;
}

function verdictOf(binaries: Readonly<Record<string, string>>): string {
  const { ok, errors } = checkPlanInfo(JSON.stringify({ binaries }));
  if (ok) return "well-formed: every URL has a checksum that can fit";
  if (!errors.every((error) => error.endsWith(MISSING))) return "malformed: a checksum is given and wrong";
  return errors.length === Object.keys(binaries).length ? "no URL has a checksum" : "some URLs have no checksum";
}

/** Without what varies, so that equal faults count together. */
function reasonOf(url: string): string {
  const reason = refusal(url, true);
  if (reason !== MISSING) return reason;
  const lost = refusal(url, false);
  return lost === "accepted" ? reason : `${reason}; ${lost}`;
}

function refusal(url: string, checksumRequired: boolean): string {
  try {
    parsePlanUrl(url, { checksumRequired });
    return "accepted";
  } catch (error) {
    if (isUpgradeError(error)) return error.message.replace(/"[^"]{20,}"/g, "…");
    throw error;
  }
}

function count(rows: Map<string, Row>, name: string, chain: string, urls: number): void {
  const row = rows.get(name) ?? { maps: 0, urls: 0, chains: new Set() };
  rows.set(name, row);
  row.maps++;
  row.urls += urls;
  row.chains.add(chain);
}

function markdown(what: string, rows: ReadonlyMap<string, Row>): string {
  const sorted = [...rows].sort(([a, one], [b, other]) => other.urls - one.urls || (a < b ? -1 : 1));
  const lines = sorted.map(([name, row]) => `| ${name} | ${row.maps} | ${row.urls} | ${chainsOf(row.chains)} |`);
  return [`| ${what} | maps | URLs | chains |`, "| --- | ---: | ---: | --- |", ...lines].join("\n");
}

function chainsOf(chains: ReadonlySet<string>): string {
  return chains.size > 3 ? String(chains.size) : [...chains].sort().join(", ");
}
