/**
 * The program of the chain in chain.ts: its recursions are those of the process, which V8 optimizes as blocks call them, or has optimized
 * before the first block where the environment has `WARMED`.
 */

import { keepFrames } from "../../host/chain/determinism/inlining.js";
import { runChain } from "../../host/cli/program/run-chain.js";
import { recursionChain, useShapes } from "./chain.js";
import { freshShapes, type Shape, WARMED, warmed } from "./shapes.js";

/** With V8's flags, which are otherwise set when the chain is opened. */
function warmedEarly(): Promise<Readonly<Record<string, Shape>>> {
  keepFrames();
  return warmed();
}

const shapes = process.env[WARMED] ? await warmedEarly() : freshShapes();
useShapes(() => shapes);
void runChain(recursionChain);
