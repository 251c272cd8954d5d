/** `chaind`: the command line and the node of the example chain; `chaind demo` takes it through its upgrade, visibly. */
import { demoCommand, runChain } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

export const runChaind = (): Promise<void> => runChain(exampleChain, demoCommand);
