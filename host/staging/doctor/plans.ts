/** The plans that are ahead: has each its program, and is it the one that the plan names? */
import { createHash } from "node:crypto";
import { toHex } from "../../bytes.js";
import { archiveOf } from "../../download/archive-kind.js";
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
  const { plans, past, problems } = plansAhead(files, read.settings, patient, {
    scheduled: patient.scheduled,
    node: patient.node,
  });
  return [
    ...problems.map((text) => wrong("plan", text)),
    ...past.map((text) => ok("plan", text)),
    ...(plans.length === 0
      ? [ok("plan", noneAhead(patient.sidecar !== undefined, patient.node?.isOurs === true))]
      : []),
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

/** A plan that the chain has scheduled is in no file before its height. @param isOurs the home's state was read */
export function noneAhead(isSidecarAsked: boolean, isOurs: boolean): string {
  if (isSidecarAsked) return "no upgrade is ahead, by the files and by the sidecar that runs";
  if (isOurs) return "no upgrade is ahead, by the files and the state of this home";
  return "no upgrade is in the files; what the chain has scheduled only the node knows: `chainvisor status` while both run";
}

/** A sum in a plan is that of what is downloaded: of a program itself, where that is no archive. */
function sumFindings({ name, info, program }: PlanAhead, { files, platform, arch }: Patient): Finding[] {
  const what = `checksum ${name}`;
  const sum = sumOf(info, platform, arch);
  if (!sum || !files.facts(program)) return [];
  if (sum.kind === "unknown") return [ok(what, `${program} was not compared: ${sum.why}`)];
  const bytes = files.read(program, PROGRAM_BYTES_MAX);
  if (!bytes) return [ok(what, `${program} was not compared: it cannot be read whole`)];
  const found = toHex(createHash(sum.algorithm).update(bytes).digest());
  if (found === sum.digest) return [ok(what, `${program} is the program that the plan names`)];
  const label = sum.algorithm.replace("sha", "SHA-");
  const detail = `${program} has ${label} ${found}, and the plan names ${sum.digest}: another build, or not what was published`;
  return [wrong(what, detail, `chainvisor add-upgrade ${shellWord(name)} <program> --force`)];
}

type Sum =
  | { readonly kind: "digest"; readonly algorithm: string; readonly digest: string }
  /** Of something else than the program's file. */
  | { readonly kind: "unknown"; readonly why: string };

/** Undefined: the plan names no program for this platform. */
function sumOf(info: string, platform: string, arch: string): Sum | undefined {
  try {
    const url = selectBinary(parsePlanInfo(info), platform, arch)?.url;
    if (url === undefined) return undefined;
    const { source, checksum } = parsePlanUrl(url, { checksumRequired: false });
    const unknown = (why: string): Sum => ({ kind: "unknown", why });
    if (!checksum) return unknown(`the plan offers ${source} without a checksum`);
    if (checksum.kind === "file")
      return unknown(`the plan names the sums file ${checksum.url}, which is not asked for`);
    const { packing, container } = archiveOf(source).archive;
    const isPlain = packing === "none" && container === "none";
    if (isPlain) return checksum;
    return unknown(`the plan pins the archive ${source}, from which it should have been taken`);
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
