/** What the page in Chromium offers to the tests. */
import { compileAndRun } from "./compile-work.js";
import { type EngineCase, runCases } from "./run-cases.js";

Object.assign(globalThis, {
  runCases: (cases: readonly EngineCase[]) => runCases(cases).join("\n"),
  compileAndRun: (base64: string) => compileAndRun(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))),
});
