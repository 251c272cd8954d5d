/** What the page in Chromium offers to the test. */
import { type EngineCase, runCases } from "./run-cases.js";

Object.assign(globalThis, { runCases: (cases: readonly EngineCase[]) => runCases(cases).join("\n") });
