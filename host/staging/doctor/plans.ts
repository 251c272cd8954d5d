/** The plans that are ahead: has each its program, and is it the one that the plan names? */
import { toHex } from "../../bytes.js";
import { archiveOf } from "../../download/archive-kind.js";
import { sha256 } from "../../native/sha256.js";
import { parsePlanInfo, selectBinary } from "../../plan-info/plan-info.js";
import { parsePlanUrl } from "../../plan-info/plan-url.js";
import { shellWord } from "../../shell-word.js";
import { type PlanAhead, plansAhead } from "./ahead.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";

/** Whose bytes are compared with the plan's checksum. */
const PROGRAM_BYTES_MAX = 2 ** 30;

export function planFindings(patient: Patient): Finding[] {
  const { files, read } = patient;
  if (files.facts(read.settings.root)?.kind !== "folder") return [];
  const { plans, past, problems } = plansAhead(files, read.settings, patient, patient.sidecar?.scheduled);
  return [
    ...problems.map((text) => wrong("plan", text)),
    ...past.map((text) => ok("plan", text)),
    ...(plans.length === 0 ? [ok("plan", noneAhead(patient.sidecar !== undefined))] : []),
    ...plans.flatMap((plan) => findingsOf(plan, patient)),
    ...sameHeights(plans),
  ];
}

function findingsOf(plan: PlanAhead, patient: Patient): Finding[] {
  const { name, height, problem, by, next } = plan;
  const what = `plan ${name}`;
  if (problem === undefined) return [ok(what, `at height ${height}: ${by}`), ...sumFindings(plan, patient)];
  const { isDownloadAllowed } = patient.read.settings;
  const isMissing = problem.endsWith(" is missing");
  if (isMissing && isDownloadAllowed && plan.info !== "")
    return [warning(what, `at height ${height}: ${problem}; it will be downloaded`, "chainvisor prepare")];
  return [wrong(what, `at height ${height}: ${problem}`, next)];
}

/** A plan that the chain has scheduled is in no file before its height. */
export const noneAhead = (isSidecarAsked: boolean): string =>
  isSidecarAsked
    ? "no upgrade is ahead, by the files and by the sidecar that runs"
    : "no upgrade is in the files; what the chain has scheduled only the node knows: `chainvisor status` while both run";

/** A sum in a plan is that of what is downloaded: of a program itself, where that is no archive. */
function sumFindings({ name, info, program }: PlanAhead, { files, platform, arch }: Patient): Finding[] {
  const expected = sumOf(info, platform, arch);
  if (expected === undefined) return [];
  const bytes = files.read(program, PROGRAM_BYTES_MAX);
  if (!bytes) return [];
  const found = toHex(sha256(bytes));
  if (found === expected) return [ok(`checksum ${name}`, `${program} is the program that the plan names`)];
  const detail = `${program} has SHA-256 ${found}, and the plan names ${expected}: another build, or not what was published`;
  return [wrong(`checksum ${name}`, detail, `chainvisor add-upgrade ${shellWord(name)} <program> --force`)];
}

/** The sha256 of this platform's program, where the plan has one and no archive. */
function sumOf(info: string, platform: string, arch: string): string | undefined {
  try {
    const url = selectBinary(parsePlanInfo(info), platform, arch)?.url;
    if (url === undefined) return undefined;
    const { source, checksum } = parsePlanUrl(url);
    const { packing, container } = archiveOf(source).archive;
    const isPlain = packing === "none" && container === "none";
    return isPlain && checksum?.kind === "digest" && checksum.algorithm === "sha256" ? checksum.digest : undefined;
  } catch {
    // What is wrong with a plan's info is reported where it is downloaded.
    return undefined;
  }
}

function sameHeights(plans: readonly PlanAhead[]): Finding[] {
  return plans
    .filter(({ height }, at) => plans.findIndex((each) => each.height === height) < at)
    .map(({ name, height }) =>
      wrong(`plan ${name}`, `another upgrade is at height ${height}, too: only one is made there`),
    );
}
