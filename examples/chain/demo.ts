/** `npm start`: takes the example chain through an upgrade, visibly. */
import { runDemo } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

export const runExampleDemo = (): Promise<void> => runDemo(exampleChain);
