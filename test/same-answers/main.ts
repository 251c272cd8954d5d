/**
 * `npm run same-answers -- [--rounds N] [--seed S] [--json]`: chains that CometBFT decides, each made again by the embedded engine of
 * the same transactions at the same heights and times, through an upgrade at which the old version ends. Every header, verdict
 * of the mempool, and response of REST, gRPC and the RPC must be the same. Exit 1 when one is not.
 */
import { parseArgs } from "node:util";
import { cometbft } from "../e2e/cometbft.js";
import { story } from "./story.js";

const { rounds, seed, json } = parseArgs({
  options: {
    rounds: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    json: { type: "boolean", default: false },
  },
}).values;
if (![rounds, seed].every((each) => /^[0-9]{1,9}$/.test(each))) {
  process.stderr.write("usage: npm run same-answers -- [--rounds N] [--seed S] [--json]\n");
  process.exit(2);
}
const comet = cometbft();
if (!comet) throw new Error("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
for (let round = 0; round < Number(rounds); round++) {
  const own = Number(seed) + round;
  const result = await story({ comet, seed: own, transfers: 60, halts: true, every: 1 });
  const { blocks, txs, refusals, equalBlocks, asked, good, differences } = result;
  if (json) process.stdout.write(`${JSON.stringify({ seed: own, ...result })}\n`);
  else {
    for (const each of differences) process.stdout.write(`${each}\n\n`);
    const requests = `${asked.rest} of REST, ${asked.grpc} of gRPC, ${asked.rpc} of the RPC, ${good} not refused`;
    process.stdout.write(
      `seed ${own}: ${equalBlocks} of ${blocks} blocks have the same hash; ${txs} transactions, ${refusals} refused; ` +
        `requests: ${requests}; differences: ${differences.length}\n`,
    );
  }
  if (differences.length > 0 || equalBlocks < blocks) process.exitCode = 1;
}
