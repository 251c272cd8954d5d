/** The demonstration's chain is the same each time: README shows its app hash. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toUpperHex } from "../../../../host/base/text/bytes.js";
import { smallGenesis } from "../../../../host/cli/demo/small-genesis.js";
import { exampleChain } from "../../../example-chain.js";
import { Chain } from "../../../scenario/chain.js";

test("smallGenesis() → a chain with the app hash that README shows after its first block", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../../README.md"), "utf8");
  const [, head, tail] = /4 validators, app hash ([0-9A-F]{8})…([0-9A-F]{4})/.exec(readme) ?? [];
  const process = new Chain({ genesis: JSON.stringify(smallGenesis(exampleChain.addresses)) }).start();
  const hash = toUpperHex(process.block().appHash);
  expect([hash.slice(0, 8), hash.slice(-4)]).toEqual([head, tail]);
});
