#!/usr/bin/env node
/** `chaind`: the command line and the node of the example chain; `chaind demo` takes it through its upgrade, visibly. */
import { runChain, runDemo } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

if (process.argv[2] === "demo") {
  process.argv.splice(2, 1);
  await runDemo(exampleChain);
} else await runChain(exampleChain);
