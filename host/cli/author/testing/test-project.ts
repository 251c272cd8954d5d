/** `handler test`: a built handler through the standard checks, on the scenes of its project. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isEmbedded } from "../../../base/native/embedded.js";
import { usage } from "../../../base/terminal/usage.js";
import { PROGRAM } from "../../../base/text/program-text.js";
import { openMappedHandler } from "../map/mapped-handler.js";
import { HandlerProject, readFixture } from "../project.js";
import { type FixtureResult, testFixture, withDefault } from "./fixture-runs.js";
import { requireFresh } from "./stale-build.js";

export interface TestOptions {
  /** Folder of the project. */
  readonly project: string;
  /** The handler; the project's own build when left out, which must be one of its sources. */
  readonly file?: string | undefined;
  /** Scenes instead of the project's. */
  readonly fixture?: readonly string[] | undefined;
  /** What the gas went to, too. */
  readonly gas?: boolean | undefined;
  /** Folder of the package chain-upgrade; undefined in a program that is one file. */
  readonly packageRoot?: string | undefined;
}

const NO_SCENES =
  "no scene was tried, only one with nothing in it: the project has none in fixtures/, and --fixture names none";

/**
 * @param report hears each result as soon as it is there
 * @returns whether all is well
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO, UPG_HANDLER_*
 */
export function testProject(options: TestOptions, report: (result: FixtureResult) => void): boolean {
  const project = new HandlerProject(options.project);
  const path = options.file ?? join(options.project, project.wasmName);
  if (options.file === undefined && !existsSync(path)) {
    const make = isEmbedded() ? "" : `make it with \`${PROGRAM} handler build\`, or `;
    throw usage(`there is no ${path} yet; ${make}name a file`);
  }
  const handler = openMappedHandler(path);
  if (options.file === undefined) requireFresh(project, handler.hash, options.packageRoot);
  const fixtures = options.fixture?.map((each) => readFixture(each)) ?? project.fixtures();
  let isOk = true;
  for (const fixture of withDefault(fixtures)) {
    const tested = testFixture(handler, fixture, { gas: options.gas ?? false });
    const result = fixtures.length > 0 ? tested : { ...tested, warnings: [...tested.warnings, NO_SCENES] };
    isOk &&= result.ok;
    report(result);
  }
  return isOk;
}
