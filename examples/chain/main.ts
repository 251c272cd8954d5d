#!/usr/bin/env node
/** `chaind`: the command line and the node of the example chain; `chaind demo` takes it through its upgrade, visibly. */
import { demoCommand, runChain } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

await runChain(exampleChain, demoCommand);
