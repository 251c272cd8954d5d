/** `chaind handler …`: what the author of an upgrade handler, and who is to trust one, work with. */

import { isEmbedded } from "../../../base/native/embedded.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Context } from "../../flags/context.js";
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

export function registerHandler(program: Cobra, context: Context): void {
  const handler = program
    .command("handler")
    .summary("Write, check and try upgrade handlers")
    .description("Upgrade handlers: one .wasm each, which migrates state in the upgrade block.")
    .group();
  if (isEmbedded()) for (const name of ["new", "build"]) registerAbsent(handler, name);
  else {
    registerNew(handler, context);
    registerBuild(handler, context);
  }
  registerPack(handler, context);
  registerScene(handler, context);
  registerTest(handler, context);
  registerCheck(handler, context);
  registerInspect(handler, context);
  registerMeter(handler, context);
  registerRun(handler, context);
  registerDiff(handler, context);
}
