/** The plans that are ahead: has each its program, and is it the one that the plan names? */
import { sumReadiness } from "../plan-checksum.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";
import { type UpcomingPlan, upcomingPlans } from "./upcoming-plans.js";

export function planFindings(patient: Patient): Finding[] {
  const { files, read } = patient;
  if (files.facts(read.settings.root)?.kind !== "folder") return [];
  const { plans, past, problems } = upcomingPlans(files, read.settings, patient, {
    scheduled: patient.scheduled,
    chain: patient.chain,
    node: patient.node,
  });
  return [
    ...problems.map((text) => wrong("plan", text)),
    ...past.map((text) => ok("plan", text)),
    ...(patient.unread ? [warning("plan", patient.unread.detail, patient.unread.next)] : []),
    ...(plans.length === 0 && !patient.unread
      ? [ok("plan", noneAhead(patient.sidecar !== undefined, patient.node?.isOurs === true))]
      : []),
    ...plans.flatMap((plan) => findingsOf(plan, patient)),
    ...sameHeights(plans),
  ];
}

function findingsOf(plan: UpcomingPlan, patient: Patient): Finding[] {
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

/** A program that nobody compared is never in order: it may be any. */
function sumFindings({ name, info, program }: UpcomingPlan, patient: Patient): Finding[] {
  const { files, platform, arch, read } = patient;
  const { settings } = read;
  const found = sumReadiness({ plan: { name, info }, program, files, settings, platform, arch });
  if (!found) return [];
  const { state, detail, next } = found;
  const level = state === "ready" ? "ok" : state === "skipped" ? "warning" : "wrong";
  return [{ level, what: `checksum ${name}`, detail, next }];
}

function sameHeights(plans: readonly UpcomingPlan[]): Finding[] {
  return plans
    .filter(({ height }, at) => plans.findIndex((each) => each.height === height) < at)
    .map(({ name, height }) =>
      wrong(`plan ${name}`, `another upgrade is at height ${height}, too: only one is made there`),
    );
}
