/** What is run between the old program and the new one: the operator's script, and the new program's `pre-upgrade`. */
import { join } from "node:path";
import { type Log, programLines } from "../../../base/text/log-line.js";
import { visible } from "../../../base/text/visible.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { endText, type Machine, type ProcessEnd, type RunEnd } from "../../decide/machine.js";
import { askPreUpgrade, NO_SUCH_COMMAND, REFUSED } from "../../decide/pre-upgrade.js";
import type { Settings } from "../../decide/settings.js";
import { waitForProgram } from "../../decide/wait-for-program.js";

const EXECUTE = 0o111;
const OWNER_EXECUTE = 0o100;
const MINUTE_MILLIS = 60_000;
const LINE_LENGTH_MAX = 500;

export interface ScriptOptions {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** It cannot go on with this upgrade; `exit`: of the sidecar. */
export class StepFailure extends Error {
  constructor(
    message: string,
    readonly exit = 1,
  ) {
    super(message);
  }
}

/** COSMOVISOR_CUSTOM_PREUPGRADE with the plan's name and height, in the home. @throws StepFailure with Cosmovisor's texts */
export async function customPreUpgrade(
  { settings, machine, env, signal, log }: ScriptOptions,
  plan: Plan,
): Promise<void> {
  const { customPreUpgrade: name, root, home } = settings;
  if (name === "") return;
  const file = join(root, name);
  const facts = machine.files.facts(file);
  if (!facts) {
    log("error", "COSMOVISOR_CUSTOM_PREUPGRADE file missing");
    throw new StepFailure(`stat ${file}: no such file or directory`);
  }
  if (facts.kind !== "file") throw new StepFailure(`COSMOVISOR_CUSTOM_PREUPGRADE: ${name} is not a regular file`);
  if (!(facts.mode & EXECUTE)) machine.files.chmod(file, facts.mode | OWNER_EXECUTE);
  const args = [plan.name, String(plan.height)];
  const work = machine.processes.run(file, { args, env, cwd: home, onLine: programLines(log), signal });
  const end = await reminding(work, file, { machine, log });
  if (end.exit !== 0) throw new StepFailure(`COSMOVISOR_CUSTOM_PREUPGRADE: ${file} failed: ${endText(end)}`);
  log("info", `${name} has run for "${plan.name}"`);
}

/** @throws StepFailure with Cosmovisor's texts: the new program refuses, or cannot be asked */
export async function appPreUpgrade(
  { settings, machine, env, signal, log }: ScriptOptions,
  file: string,
): Promise<void> {
  const { root: cwd, preUpgradeRetriesMax: retriesMax } = settings;
  const options = { args: ["pre-upgrade"], env, cwd, onLine: programLines(log), signal };
  const run = () => reminding(machine.processes.run(file, options), `${file} pre-upgrade`, { machine, log });
  const { verdict, end } = await askPreUpgrade({ run, retriesMax, clock: machine.clock, signal, log });
  if (signal.aborted) throw new StepFailure("pre-upgrade command was stopped");
  if (verdict === "refused")
    throw new StepFailure(`pre-upgrade command failed : exit status ${REFUSED}${said(end)}`, REFUSED);
  if (verdict === "not run") throw new StepFailure(`${file} cannot be run: pre-upgrade ended with ${endText(end)}`);
  if (verdict === "busy")
    throw new StepFailure(`pre-upgrade command failed. reached max attempt of retries - ${retriesMax}`);
  reportEnd(end, log);
}

/** No block is made meanwhile: the log has each minute what is waited for. */
function reminding<T>(work: Promise<T>, what: string, { machine, log }: Pick<ScriptOptions, "machine" | "log">) {
  const onReminder = (passed: number) =>
    log("warn", `${what} has run for ${passed / MINUTE_MILLIS} min and has not ended: the node waits for it`);
  return waitForProgram(work, { clock: machine.clock, reminderMillis: MINUTE_MILLIS, onReminder });
}

function reportEnd(end: ProcessEnd, log: ScriptOptions["log"]): void {
  if (end.exit === 0) log("info", "pre-upgrade successful");
  else if (end.exit === NO_SUCH_COMMAND) log("info", "pre-upgrade command does not exist. continuing the upgrade.");
  else log("warn", `pre-upgrade ended with ${endText(end)}, which is no refusal (30): the upgrade goes on`);
}

/** The reason is in its last line, if anywhere. */
function said({ stdout, stderr }: RunEnd): string {
  const last = (text: string) => text.trim().split("\n").at(-1)?.trim() ?? "";
  const line = last(stderr) || last(stdout);
  return line === "" ? "" : `: ${visible(line.slice(0, LINE_LENGTH_MAX))}`;
}
