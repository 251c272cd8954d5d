/** What the programs of a home report of a start by a unit file: `pre-upgrade` judges its flags and variables as `start` reads them. */
import { join } from "node:path";
import { ASKED_START, askedStartText } from "../../../node/home/supervised-start.js";
import { childEnv } from "../../decide/child-env.js";
import type { Machine } from "../../decide/machine.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import type { Readiness } from "../../decide/status.js";
import { isOurHome } from "../plan-way.js";
import { askCurrent } from "../probe.js";
import { layoutOf } from "../stage-plan.js";
import { unitStart } from "./unit-start.js";
import { textOf, unitsOf } from "./units.js";

interface Asked {
  readonly read: ReadSettings;
  readonly machine: Machine;
  /** Unit files that the operator named; undefined: those of the system are searched. */
  readonly units: readonly string[] | undefined;
  /** Name of the plan that comes next. */
  readonly plan: string | undefined;
}

/** By unit file; what is wrong with another start as well is left out. Never rejects. */
export async function unitStarts(asked: Asked): Promise<ReadonlyMap<string, readonly string[]>> {
  const { files } = asked.machine;
  const found = new Map<string, readonly string[]>();
  if (!isOurHome(files, asked.read.settings.home)) return found;
  const units = unitsOf({ units: asked.units, files, read: asked.read });
  const plain = units.length === 0 ? [] : await answers(asked, {});
  for (const file of units) {
    const env = startEnv(file, asked);
    if (env) found.set(file, problemsIn(await answers(asked, env), plain));
  }
  return found;
}

/** Undefined: the unit does not run the program, or is not understood; the doctor reports it. */
function startEnv(file: string, { machine: { files }, read }: Asked): NodeJS.ProcessEnv | undefined {
  try {
    const { name, root } = read.settings;
    const unit = textOf(files, file);
    const start = unit && unitStart(unit, files, name);
    if (!start?.app?.includes("start")) return undefined;
    return { ...start.env, [ASKED_START]: askedStartText({ file, folder: root, args: start.app }) };
  } catch {
    return undefined;
  }
}

/** Of the program of the plan, where there is one, then of the program that runs until the height. */
async function answers({ read, machine: real, plan }: Asked, env: NodeJS.ProcessEnv): Promise<readonly Readiness[]> {
  const { settings } = read;
  const files = { ...real.files, chmod: () => undefined };
  const { home, root, name } = settings;
  const folder = files.linkFacts(join(root, "current")) ? "current" : "genesis";
  const current = { name: folder, folder, file: join(root, folder, "bin", name) };
  const staged = plan === undefined ? undefined : layoutOf({ settings, machine: { files } }).of(plan);
  const programs = staged && files.facts(staged.file) ? [staged, current] : [current];
  const { signal } = new AbortController();
  const found: Readiness[] = [];
  for (const program of programs) {
    const said = await askCurrent({
      ...{ program, home, isOurs: true, files, processes: real.processes, signal },
      env: childEnv({ settings, env }),
    });
    if (said) found.push(said.row);
  }
  return found;
}

function problemsIn(found: readonly Readiness[], plain: readonly Readiness[]): readonly string[] {
  const known = new Set(plain.map(({ detail }) => detail));
  const problems = found.filter(({ state, detail }) => state === "wrong" && !known.has(detail));
  return [...new Set(problems.map(({ detail }) => detail))];
}
