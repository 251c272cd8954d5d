/** `chaind handler test [FILE]`: the checks that every handler must pass, on the scenes of a project. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FixtureResult, testFixture, withDefault } from "../../../author/fixture-runs.js";
import { HandlerProject, readFixture } from "../../../author/project.js";
import { openHandlerFile } from "../../../author/wasm-file.js";
import { isEmbedded } from "../../../native/embedded.js";
import { programName } from "../../../program-name.js";
import type { Cobra } from "../../../shell/cobra.js";
import type { Output } from "../../../shell/output.js";
import { usage } from "../../../usage.js";

const FAILED_EXIT = 20;

interface TestOptions {
  readonly project: string;
  readonly fixture?: readonly string[];
}

export function registerTest(handler: Cobra, output: Output): void {
  handler
    .command("test")
    .argument("[file]", "handler file (default: build/handler.wasm in the project)")
    .summary("Put a built handler through the standard checks")
    .description(
      "Runs each scene of fixtures/*.json: batches of three sizes must agree, a run that is out of gas anywhere must leave\n" +
        "nothing, other layouts must be refused, and what the scene expects must come. Exit status 20 if anything fails;\n" +
        "2: there is no such handler, 21: nodes would refuse it, 30: a scene cannot be read.",
    )
    .option("--project <dir>", "folder of the project", ".")
    .option("--fixture <file...>", "these scenes instead of the project's")
    .example("handler test", "handler test v3.wasm --fixture fixtures/three-holders.json")
    .action((file: string | undefined, options: TestOptions) => {
      const project = new HandlerProject(options.project);
      const path = file ?? join(options.project, project.wasmName);
      if (file === undefined && !existsSync(path)) {
        const make = isEmbedded() ? "" : `make it with \`${programName()} handler build\`, or `;
        throw usage(`there is no ${path} yet; ${make}name a file`);
      }
      const wasm = openHandlerFile(path);
      const fixtures = options.fixture?.map((path) => readFixture(path)) ?? project.fixtures();
      for (const fixture of withDefault(fixtures)) {
        const result = testFixture(wasm, fixture);
        if (!result.ok) process.exitCode = FAILED_EXIT;
        output.print(result, resultText(result));
      }
    });
}

function resultText({ fixture, ok, gas, checks, warnings }: FixtureResult): string {
  return [
    `${fixture}: ${ok ? "ok" : "FAILED"}${gas === null ? "" : `, gas ${gas}`}`,
    ...checks.map(({ name, ok: holds, message }) => `  ${holds ? "ok    " : "FAILED"}  ${name}: ${message}`),
    ...warnings.map((warning) => `  warning  ${warning}`),
  ].join("\n");
}
