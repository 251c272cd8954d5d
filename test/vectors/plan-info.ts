/**
 * plan-info.json: what the Cosmos SDK's parser and validator say of info texts, with and without demanding checksums.
 *
 * Ours may refuse what the Cosmos SDK takes, and takes one thing that it refuses: an info with a handler alone. Every such refusal must be one that `stricterRule`
 * here, written apart from the checker, expects of that URL; it becomes the case's tag.
 */
import { checkPlanInfo, type PlanInfoReport } from "../../host/upgrade/plan-info/plan-info.js";
import { type CaseRunner, expectEqual, expectText, type VectorCase } from "./harness.js";
import { type ExpectedText, type GivenText, textOf } from "./short-forms.js";

const DIGEST_LENGTHS = new Map([
  ["sha256", [64]],
  ["sha512", [128]],
]);

export const runPlanInfo: CaseRunner = (vector) => {
  const info = textOf(vector["info"]);
  return [...compare(info, true, vector["enforce_checksum"]), ...compare(info, false, vector["no_checksum"])];
};

function compare(info: string, checksumRequired: boolean, expected: VectorCase): string[] {
  const report = checkPlanInfo(info, { checksumRequired });
  const mode = checksumRequired ? "enforce_checksum" : "no_checksum";
  if (expected["would_fetch"] === true) {
    expectEqual(report.info?.kind, "reference", `${mode}: kind`);
    expectEqual(report.stage, "parse", `${mode}: stage`);
    const url = report.info?.kind === "reference" ? report.info.url : "";
    return compareAccepted(report, [url], mode);
  }
  const stage = expected["ok"] === true ? "validate" : expected["stage"];
  expectEqual(report.stage, stage, `${mode}: stage`);
  // The registry's cases leave `binaries` out: there they are what the text says, without repetitions.
  if (stage === "validate") compareBinaries(report, expected["binaries"] ?? JSON.parse(info).binaries, mode);
  if (expected["ok"] !== true && report.ok && isHandlerOnly(info, expected["errors"])) return ["handler-only"];
  if (expected["ok"] !== true) {
    expectEqual(report.ok, false, `${mode}: ok`);
    for (const error of expected["errors"]) expectAmong(report.errors, error, `${mode}: errors`);
    return [];
  }
  const binaries = report.info?.kind === "document" ? report.info.binaries : new Map<string, string>();
  return compareAccepted(report, [...binaries.values()], mode);
}

/** The Cosmos SDK knows no handlers: to it such an info is one without binaries. */
function isHandlerOnly(info: string, errors: readonly unknown[]): boolean {
  const document: unknown = JSON.parse(info);
  const isDocument = typeof document === "object" && document !== null;
  return isDocument && Object.keys(document).join() === "handler" && errors.join() === 'no "binaries" entries found';
}

/** The Cosmos SDK takes these URLs: ours refuses just those for which a stricter rule is expected. */
function compareAccepted(report: PlanInfoReport, urls: readonly string[], mode: string): string[] {
  const rules = urls.map(stricterRule).filter((rule) => rule !== undefined);
  expectEqual(report.ok, rules.length === 0, `${mode}: ok, given ${report.errors.join(" · ")}`);
  expectEqual(report.errors.length, rules.length, `${mode}: number of errors`);
  return rules;
}

function compareBinaries(report: PlanInfoReport, expected: Record<string, unknown>, mode: string): void {
  if (report.info?.kind !== "document") throw new Error(`${mode}: expected a document`);
  expectEqual([...report.info.binaries.keys()].sort(), Object.keys(expected).sort(), `${mode}: platforms`);
  for (const [platform, url] of report.info.binaries) {
    expectEqual(url, textOf(expected[platform] as GivenText), `${mode}: binaries[${platform}]`);
  }
}

function expectAmong(texts: readonly string[], expected: ExpectedText, what: string): void {
  const found = texts.some((text) => {
    try {
      if (typeof expected === "object" && "len" in expected) expectText(text, expected, what);
      else expectEqual(withoutDetail(text), withoutDetail(textOf(expected)), what);
      return true;
    } catch {
      return false;
    }
  });
  if (!found) throw new Error(`${what}: expected ${JSON.stringify(expected)} among ${JSON.stringify(texts)}`);
}

/** Where our text differs from Go's: JSON that cannot be read (go-json.ts, plan-document.ts), and two places of go-url.ts. */
function withoutDetail(text: string): string {
  return text.replace(/(could not parse plan info: (?!parse )|invalid host: |invalid URL escape ).*/s, "$1");
}

/** The rule by which ours refuses a URL that the Cosmos SDK takes; undefined when it takes it too. */
function stricterRule(url: string): string | undefined {
  return locationRule(url) ?? checksumRule(url);
}

function locationRule(url: string): string | undefined {
  if (/^file:/i.test(url)) return /^file:(\/\/(localhost)?\/|\/(?!\/))/i.test(url) ? undefined : "host-rule";
  if (!/^https?:/i.test(url)) return "scheme-rule";
  const http = /^https?:\/\/(?:\[[^\]@]*\]|[^/?#@:[]+)(?::(\d*))?(?:[/?#]|$)/i.exec(url);
  return http === null || Number(http[1] ?? "") > 65_535 ? "host-rule" : undefined;
}

function checksumRule(url: string): string | undefined {
  const query = /^[^#?]*\?([^#]*)/.exec(url)?.[1] ?? "";
  const values = new URLSearchParams(query).getAll("checksum");
  const checksum = values[0] ?? "";
  if (checksum === "") return /[?&:;#]checksum=[^&#]/i.test(url) ? "lost-checksum" : undefined;
  if (checksum.startsWith("file:")) {
    return (
      locationRule(checksum.slice("file:".length)) ?? (/\?(.*&)?checksum=/.test(checksum) ? "checksum-rule" : undefined)
    );
  }
  const [, algorithm, digest = ""] = /^(?:([^:]*):)?(.*)$/s.exec(checksum) ?? [];
  if (/^(md5|sha1)$/i.test(algorithm ?? "")) return "weak-checksum";
  if (algorithm === undefined && /^([0-9a-f]{32}|[0-9a-f]{40})$/i.test(digest)) return "weak-checksum";
  const lengths = algorithm === undefined ? [64, 128] : DIGEST_LENGTHS.get(algorithm.toLowerCase());
  if (lengths === undefined) return "checksum-rule";
  return /^[0-9a-f]*$/i.test(digest) && lengths.includes(digest.length) ? undefined : "digest-rule";
}
