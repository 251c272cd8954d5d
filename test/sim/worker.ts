/** The process that the simulator kills: `chaind` itself, with a hand on its steps. */
import "./kill-points.js";
import { runChain } from "chain-upgrade/node";
import { exampleChain } from "../../examples/chain/chain.js";

void runChain(exampleChain);
