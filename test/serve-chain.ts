/** Imported by tests that run commands in their own process: the commands serve the example chain. */
import { serveChain } from "../host/cli/flags/program-chain.js";
import { exampleChain } from "./example-chain.js";

serveChain(exampleChain);
