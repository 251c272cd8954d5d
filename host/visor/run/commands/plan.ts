/** `chainvisor plan`: the upgrades that are ahead, by what is on disk. */
import type { Cobra } from "../../../base/terminal/cobra.js";
import { isUnderWay } from "../../decide/readiness.js";
import { unreadPlan } from "../../decide/unseen-plan.js";
import { noneAhead } from "../../stage/doctor/plans.js";
import type { UpcomingPlan, UpcomingPlans } from "../../stage/doctor/upcoming-plans.js";
import { unsupervised } from "../../stage/supervision.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";
import { exitOf, type FoundStatus, lackingOf, statusOf, upcomingOf } from "../without-sidecar/status-of.js";

export function registerPlan(program: Cobra, tools: VisorTools): void {
  program
    .command("plan")
    .summary("Print the upgrades that are ahead, and what they need")
    .description(
      "Prints the upgrades that are ahead: the plan of data/upgrade-info.json, and the heights that operators set; for each whether\n" +
        "its program is in its folder. A plan that the chain has scheduled and not reached is in no file: the sidecar that\n" +
        "runs has asked the node; without one the state of the home says, for chains of this project. Exit 30: the node is not ready for the next one.",
    )
    .example("plan", "plan -o json")
    .action(async () => {
      const settings = tools.settings();
      const found = await statusOf(settings, realMachine);
      const { isOurs, ...ahead } = await upcomingOf(found, settings, tools.files);
      const judged = { ...ahead, plans: ahead.plans.map((plan) => withStatus(plan, found)) };
      const unread = unreadPlan(found.status);
      const withUnread = (text: string | undefined) => ({
        ...judged,
        problems: text === undefined ? judged.problems : [...judged.problems, text],
      });
      const none = unread ? undefined : noneAhead(found.sidecar !== undefined, isOurs);
      await tools.output.print(
        asJson(withUnread(unread?.detail)),
        asText(withUnread(unread && `${unread.detail}\n  → ${unread.next}`), none, unsupervised(tools.files, settings)),
      );
      // A sidecar that has switched reports no plan; why the exit status is not 0 has to be said all the same.
      if (isUnderWay(found.status))
        tools.output.say(
          lackingOf(found)
            .map(({ detail }) => detail)
            .join("; "),
        );
      if (exitOf(found) !== 0) tools.setExitStatus(exitOf(found));
    });
}

/** What was found of the plan that comes first counts, besides its file. */
function withStatus(plan: UpcomingPlan, found: FoundStatus): UpcomingPlan {
  const first = found.status.plan;
  const [lack] = lackingOf(found);
  if (!lack || first?.name !== plan.name || first.height !== String(plan.height)) return plan;
  // A command that puts a file in its place fits where the file is missing.
  const next = lack.next ?? (plan.problem === undefined ? "chainvisor status" : plan.next);
  return { ...plan, problem: plan.problem ?? lack.detail, next };
}

function asJson({ current, plans, past, problems }: UpcomingPlans) {
  return {
    current: current ?? null,
    plans: plans.map(({ problem, by: _, next, ...plan }) => ({
      ...plan,
      is_ready: problem === undefined,
      missing: problem ?? null,
      next: problem === undefined ? null : next,
    })),
    past,
    problems,
  };
}

function asText(
  { current, plans, past, problems }: UpcomingPlans,
  none: string | undefined,
  nobody: string | undefined,
): string {
  const runs = current ? `now: "${current.name}", from height ${current.height} on` : "now: the program of genesis";
  const without = plans.length === 0 ? none : nobody;
  const passed = past.map((text) => `passed over: ${text}`);
  return [runs, ...plans.flatMap(planLines), ...(without === undefined ? [] : [without]), ...passed, ...problems].join(
    "\n",
  );
}

function planLines({ name, height, origin, by, problem, next }: UpcomingPlan): string[] {
  const setBy = origin === "chain" ? "the chain" : "an operator";
  const head = `"${name}" at height ${height}, set by ${setBy}`;
  if (problem === undefined) return [head, `  ready: ${by}`];
  return [head, `  missing: ${problem}`, `  → ${next}`];
}
