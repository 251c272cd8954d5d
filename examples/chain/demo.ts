#!/usr/bin/env node
/** `npm start`: takes the example chain through an upgrade, visibly. */
import { runDemo } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

await runDemo(exampleChain);
