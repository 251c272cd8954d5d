/** `chainvisor version`: of the sidecar, and of the program that runs. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { VERSION } from "../../../base/terminal/version.js";
import { Layout } from "../../../node/programs/layout.js";
import { childEnv } from "../../decide/child-env.js";
import type { RunEnd } from "../../decide/machine.js";
import type { VisorTools } from "../tools.js";

const MILLIS_MAX = 30_000;

interface Flags {
  readonly cosmovisorOnly?: boolean;
  readonly chainvisorOnly?: boolean;
}

export function registerVersion(program: Cobra, tools: VisorTools): void {
  program
    .command("version")
    .summary("Print the versions of the sidecar and of the program")
    .description(
      "Prints the version of the sidecar, then what the current program prints as its own. With -o json one object, by the names\n" +
        "that Cosmovisor has: the program is asked for `version --long --output json`.",
    )
    .option("--chainvisor-only", "only the sidecar's own; needs no home")
    .option("--cosmovisor-only", "the same, as Cosmovisor calls it")
    .action(async ({ cosmovisorOnly, chainvisorOnly }: Flags) => {
      const { output } = tools;
      const own = { chainvisor_version: VERSION, cosmovisor_version: VERSION };
      if (!output.isJson) tools.io.stdout.write(`chainvisor version: ${VERSION}\n`);
      if (cosmovisorOnly || chainvisorOnly) {
        if (output.isJson) await output.print(own);
        return;
      }
      if (output.isJson)
        await output.print({ ...own, app_version: jsonOf(await ask(tools, ["--long", "--output", "json"])) });
      else {
        const { stdout, stderr } = await ask(tools, []);
        tools.io.stdout.write(stdout);
        tools.io.stderr.write(stderr);
      }
    });
}

/** @throws UpgradeError UPG_INVALID_CONFIG: the program cannot be run, or has no such command */
async function ask(tools: VisorTools, flags: readonly string[]): Promise<RunEnd> {
  const settings = tools.settings();
  const { home, name, isCaseKept } = settings;
  const layout = new Layout({ home, name, program: undefined, upgrades: new Map(), own: "", isCaseKept });
  const { file } = layout.current();
  const { realMachine } = await import("../real-machine.js");
  const end = await realMachine.processes.run(file, {
    ...{ args: ["version", ...flags], env: childEnv({ settings, env: tools.env }), cwd: settings.root },
    ...{ millisMax: MILLIS_MAX },
  });
  if (end.exit === 0) return end;
  const why = end.error?.message ?? `exit ${end.exit ?? end.signal}: ${(end.stderr || end.stdout).trim()}`;
  throw new UpgradeError("UPG_INVALID_CONFIG", `error running version command of ${file}: ${why}`);
}

/** Programs of the Cosmos SDK before 0.50 print it to stderr. */
function jsonOf({ stdout, stderr }: RunEnd): unknown {
  const text = stdout.trim() === "" ? stderr : stdout;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const message = `can't print version output, expected valid json from APP, got: ${text.trim()}`;
    throw new UpgradeError("UPG_INVALID_CONFIG", message);
  }
}
