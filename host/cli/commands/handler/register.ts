/** `chaind handler …`: what the author of an upgrade handler, and who is to trust one, work with. */
import { isEmbedded } from "../../../base/native/embedded.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Output } from "../../../base/terminal/output.js";
import { registerAbsent } from "./absent.js";
import { registerBuild } from "./build.js";
import { registerCheck } from "./check.js";
import { registerDiff } from "./diff.js";
import { registerInspect } from "./inspect.js";
import { registerMeter } from "./meter.js";
import { registerNew } from "./new.js";
import { registerPack } from "./pack.js";
import { registerRun } from "./run.js";
import { registerScene } from "./scene.js";
import { registerTest } from "./test.js";

export function registerHandler(program: Cobra, output: Output): void {
  const handler = program
    .command("handler")
    .summary("Write, check and try upgrade handlers")
    .description("Upgrade handlers: one .wasm each, which migrates state in the upgrade block.")
    .group();
  if (isEmbedded()) for (const name of ["new", "build"]) registerAbsent(handler, name);
  else {
    registerNew(handler, output);
    registerBuild(handler, output);
  }
  registerPack(handler, output);
  registerScene(handler, output);
  registerTest(handler, output);
  registerCheck(handler, output);
  registerInspect(handler, output);
  registerMeter(handler, output);
  registerRun(handler, output);
  registerDiff(handler, output);
}
