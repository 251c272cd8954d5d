/** The program of before the upgrade, as an executable of its own. */
import { runChain } from "chain-upgrade/node";
import { exampleChain } from "../../examples/chain/chain.js";

process.env["CHAIND_APP_VERSION"] = "1";
void runChain(exampleChain);
