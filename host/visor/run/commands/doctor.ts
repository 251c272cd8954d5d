/** `chainvisor doctor`. */
import { resolve } from "node:path";
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { type Finding, type Level, wrong } from "../../stage/doctor/finding.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";
import { examineHome, isSaidIn, unsaid } from "../without-sidecar/examined.js";
import { exitOf, lackingOf } from "../without-sidecar/status-of.js";

const MARKS: Readonly<Record<Level, string>> = { ok: "✓", warning: "!", wrong: "✗" };

export function registerDoctor(program: Cobra, tools: VisorTools): void {
  program
    .command("doctor")
    .summary("Look for everything that can go wrong at the height")
    .description(
      "Looks at settings, folders, links, programs (can this machine run them, are they what the plan names?), plans, room for a\n" +
        "backup, other sidecars and unit files, and changes nothing. Of the chain's plan it knows what the sidecar that runs has\n" +
        "asked the node, else what the state of the home holds. Exit 30 when the node is not ready for its plan or the sidecar has failed, 2 when something else is wrong; a\n" +
        "warning may be meant.",
    )
    .example("doctor", "doctor --unit /etc/systemd/system/chaind.service")
    .option("--unit <file>", "a unit file to look at (default: those of systemd that name this home)", collect)
    .action(async ({ unit }: { unit?: readonly string[] }) => {
      const { found, findings: examined } = await examineHome(tools.readSettings(), realMachine, unit);
      const lacking = lackingOf(found).filter(({ detail }) => !isSaidIn(examined, detail));
      const findings = [
        ...unsaid(examined, lacking),
        ...lacking.map(({ what, detail, next }) => wrong(what, detail, next)),
      ];
      const counts = { wrong: count(findings, "wrong"), warnings: count(findings, "warning") };
      const summary = `${counts.wrong} wrong, ${counts.warnings} ${counts.warnings === 1 ? "warning" : "warnings"}`;
      await tools.output.print({ ...counts, findings }, [...findings.map(line), "", summary].join("\n"));
      const exit = exitOf(found);
      if (exit !== 0) tools.setExitStatus(exit);
      else if (counts.wrong > 0) throw new UpgradeError("UPG_INVALID_CONFIG", `the doctor found ${summary}`);
    });
}

const collect = (file: string, before: readonly string[] = []) => [...before, resolve(file)];

const count = (findings: readonly Finding[], level: Level) => findings.filter((each) => each.level === level).length;

function line({ level, what, detail, next }: Finding): string {
  const text = `${MARKS[level]} ${what}: ${detail}`;
  return next === null ? text : `${text}\n    → ${next}`;
}
