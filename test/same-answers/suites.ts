/**
 * `npm run same-answers:suites -- [FILE…]`: the suites of REST and gRPC where CometBFT keeps the blocks. Their node asks an RPC for
 * blocks, transactions and searches as it does with `--engine cometbft`. The RPC is the embedded engine's, so that a test can
 * have a block made when it needs one; `npm run same-answers` compares it with CometBFT's. `npm test` runs the same files where
 * the node keeps its blocks itself. Skipped are the bounds of our RPC and totals of searches that were cut, which CometBFT has not.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const SUITES = ["test/unit/serve/api", "test/e2e/grpcurl.test.ts"];

const given = process.argv.slice(2);
const args = ["node_modules/vitest/vitest.mjs", "run", ...(given.length > 0 ? given : SUITES)];
const env = { ...process.env, CHAIN_UPGRADE_TEST_ENGINE: "cometbft" };
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
process.exit(status ?? 1);
