/** `chaind handler test [FILE]`: the checks that every handler must pass, on the scenes of a project. */

import { fileURLToPath } from "node:url";
import { isUpgradeError } from "../../../base/errors/errors.js";
import { isEmbedded } from "../../../base/native/embedded.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Output } from "../../../base/terminal/output.js";
import { usage } from "../../../base/terminal/usage.js";
import { buildProject, buildText, requireEntry } from "../../author/build.js";
import { packageRoot } from "../../author/compiler.js";
import { HandlerProject } from "../../author/project.js";
import { fixtureText } from "../../author/testing/fixture-text.js";
import { type TestOptions, testProject } from "../../author/testing/test-project.js";
import { watchFolders } from "../../author/testing/watch.js";
import type { Context } from "../../flags/context.js";
import { absent } from "./absent.js";

const FAILED_EXIT = 20;

type Options = TestOptions & { readonly watch?: boolean };

export function registerTest(handler: Cobra, context: Context): void {
  handler
    .command("test")
    .argument("[file]", "handler file (default: build/handler.wasm in the project)")
    .summary("Put a built handler through the standard checks")
    .description(
      "Runs each scene of fixtures/*.json: batches of three sizes must agree, a run that is out of gas anywhere must leave\n" +
        "nothing, memory must not grow with the pairs, other layouts must be refused, and what the scene expects must come.\n" +
        "Shows what the handler logged. Exit status 20 if anything fails; 2: there is no such handler, 21: nodes would refuse\n" +
        "it, or it was built of other sources than there are now, 30: a scene cannot be read.",
    )
    .option("--project <dir>", "folder of the project", ".")
    .option("--fixture <file...>", "a scene instead of the project's; again for each further one")
    .option("--gas", "print what the gas went to")
    .option("--watch", "build and test again whenever a source or a scene changes")
    .example("handler test", "handler test v3.wasm --fixture fixtures/three-holders.json", "handler test --watch")
    .action(async (file: string | undefined, options: Options) => {
      const root = isEmbedded() ? undefined : packageRoot(fileURLToPath(import.meta.url));
      const tests = { ...options, file, packageRoot: root };
      if (!options.watch) context.setExitStatus(runTests(tests, context) ? 0 : FAILED_EXIT);
      else if (file !== undefined) throw usage("--watch builds the project and tests that: name no file with it");
      else if (root === undefined) throw absent("test --watch");
      else await watch(tests, root, context);
    });
}

function runTests(options: TestOptions, output: Output): boolean {
  return testProject(options, (result) => output.print(result, fixtureText(result)));
}

async function watch(tests: TestOptions, root: string, output: Output): Promise<void> {
  const project = new HandlerProject(tests.project);
  requireEntry(project);
  const { folder, watched } = project;
  await watchFolders(watched, async () => {
    try {
      const built = await buildProject({ project: tests.project, packageRoot: root });
      output.say(buildText(built));
      runTests(tests, output);
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      if (error.details["compiler"]) output.say(error.details["compiler"]);
      output.say(`${error.code}: ${error.template}`);
    }
    output.say(`watching ${folder}: Ctrl-C ends it`);
  });
}
