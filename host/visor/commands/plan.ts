/** `chainvisor plan`: the upgrades that are ahead, by what is on disk. */
import type { Cobra } from "../../shell/cobra.js";
import { nodeFacts } from "../../sidecar/heights/node-facts.js";
import { type Ahead, type PlanAhead, plansAhead } from "../../staging/doctor/ahead.js";
import { noneAhead } from "../../staging/doctor/plans.js";
import { askSidecar } from "../ask-sidecar.js";
import type { VisorTools } from "../tools.js";

export function registerPlan(program: Cobra, tools: VisorTools): void {
  program
    .command("plan")
    .summary("Print the upgrades that are ahead, and what they need")
    .description(
      "Prints the upgrades that are ahead: the plan of data/upgrade-info.json, and the heights that operators set; for each whether\n" +
        "its program is in its folder. A plan that the chain has scheduled and not reached is known to the node alone: the sidecar\n" +
        "that runs has asked it, and is asked.",
    )
    .action(async () => {
      const { platform, arch } = process;
      const settings = tools.settings();
      const sidecar = await askSidecar(settings.root);
      const node = await nodeFacts({ files: tools.files, settings, sidecar });
      const ahead = plansAhead(tools.files, settings, { platform, arch }, { scheduled: sidecar?.scheduled, node });
      tools.output.print(asJson(ahead), asText(ahead, sidecar !== undefined));
    });
}

function asJson({ current, plans, past, problems }: Ahead) {
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

function asText({ current, plans, past, problems }: Ahead, isSidecarAsked: boolean): string {
  const runs = current ? `now: "${current.name}", from height ${current.height} on` : "now: the program of genesis";
  const none = plans.length === 0 ? [noneAhead(isSidecarAsked)] : [];
  return [runs, ...none, ...plans.flatMap(planLines), ...past.map((text) => `passed over: ${text}`), ...problems].join(
    "\n",
  );
}

function planLines({ name, height, origin, by, problem, next }: PlanAhead): string[] {
  const setBy = origin === "chain" ? "the chain" : "an operator";
  const head = `"${name}" at height ${height}, set by ${setBy}`;
  if (problem === undefined) return [head, `  ready: ${by}`];
  return [head, `  missing: ${problem}`, `  → ${next}`];
}
