#!/usr/bin/env node
/** `chaind`: the command line and the node of the example chain. */
import { runChain } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

await runChain(exampleChain);
