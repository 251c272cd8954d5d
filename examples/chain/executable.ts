/** What `npm run build:executable` puts into one file: the program without `chaind demo`, which starts files beside it. */
import { runChain } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

void runChain(exampleChain);
