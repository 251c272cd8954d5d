/** `chainvisor plan`: the upgrades that are ahead, by what is on disk. */
import type { Cobra } from "../../shell/cobra.js";
import { shellWord } from "../../shell-word.js";
import { type Ahead, type PlanAhead, plansAhead } from "../../staging/doctor/ahead.js";
import type { VisorTools } from "../tools.js";

export function registerPlan(program: Cobra, tools: VisorTools): void {
  program
    .command("plan")
    .summary("Print the upgrades that are ahead, and what they need")
    .description(
      "Prints the upgrades that are ahead: the plan of data/upgrade-info.json, and the heights that operators set; for each whether\n" +
        "its program is in its folder. A plan that the chain has scheduled and not reached is known to the node alone: the sidecar\n" +
        "that runs asks it (`chainvisor status`).",
    )
    .action(() => {
      const { platform, arch } = process;
      const ahead = plansAhead(tools.files, tools.settings(), { platform, arch });
      tools.output.print(asJson(ahead), asText(ahead));
    });
}

function asJson({ current, plans, past, problems }: Ahead) {
  return {
    current: current ?? null,
    plans: plans.map(({ problem, ...plan }) => ({
      ...plan,
      is_ready: problem === undefined,
      missing: problem ?? null,
    })),
    past,
    problems,
  };
}

function asText({ current, plans, past, problems }: Ahead): string {
  const runs = current ? `now: "${current.name}", from height ${current.height} on` : "now: the program of genesis";
  const none = plans.length === 0 ? ["no upgrade is ahead"] : [];
  return [runs, ...none, ...plans.flatMap(planLines), ...past.map((text) => `passed over: ${text}`), ...problems].join(
    "\n",
  );
}

function planLines({ name, height, origin, program, problem }: PlanAhead): string[] {
  const by = origin === "chain" ? "the chain" : "an operator";
  const head = `"${name}" at height ${height}, set by ${by}`;
  if (problem === undefined) return [head, `  ready: ${program}`];
  return [head, `  missing: ${problem}`, `  → chainvisor add-upgrade ${shellWord(name)} <program>`];
}
