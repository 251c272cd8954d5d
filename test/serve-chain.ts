/** Before each test file: commands that tests run in this process serve the example chain. */
import { serveChain } from "../host/cli/program-chain.js";
import { exampleChain } from "./example-chain.js";

serveChain(exampleChain);
