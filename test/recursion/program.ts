/** The program of the chain in chain.ts: its recursions are those of the process, which V8 optimizes as blocks call them. */
import { runChain } from "../../host/cli/run-chain.js";
import { recursionChain, useShapes } from "./chain.js";
import { freshShapes } from "./shapes.js";

const shapes = freshShapes();
useShapes(() => shapes);
void runChain(recursionChain);
