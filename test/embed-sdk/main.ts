/**
 * `npm run embed:sdk`: a chain of the Cosmos SDK goes through gov, halt, new binary, handler and next block; its app hash is
 * that of the same migration in Go, bad handlers write nothing, a rehearsal predicts. Minutes; the first time Go compiles
 * the Cosmos SDK. `--build` compiles alone, `--bench [--pairs N --rounds N]` measures a handler beside Go.
 */
import { bench, build, campaign, checkHandlers, unitTests } from "./steps.js";

const [mode, ...rest] = process.argv.slice(2);
if (mode === "--build") build();
else if (mode === "--bench") bench(...rest);
else if (mode === undefined) {
  checkHandlers();
  build();
  unitTests();
  campaign();
} else {
  console.error(`unknown option ${mode}: --build, --bench`);
  process.exitCode = 2;
}
