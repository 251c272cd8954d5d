/** What `npm run build:executable` puts into one file: the program without `chaind demo`, which starts files beside it. */
import { runChain } from "chain-upgrade/node";
import { exampleChain } from "./chain.js";

const DEMO =
  "demo: it starts programs that are not in this executable: install the package, then run `npx chaind demo`";

if (process.argv[2] === "demo") {
  process.stderr.write(`Error: ${DEMO} [UPG_INVALID_CONFIG]\n`);
  process.exitCode = 2;
} else void runChain({ ...exampleChain, description: "A small chain that knows how to upgrade itself." });
