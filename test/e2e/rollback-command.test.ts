import { describe, expect, test } from "vitest";
import { CommandLine, stopped } from "./command-line.js";

import { ADDRESS, MNEMONIC } from "./known-key.js";

describe("rollback", () => {
  test("of a block with a transaction → it is in no block, and can be sent again", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    await line.run(["keys", "add", "alice", "--recover"], `${MNEMONIC}\n`);
    await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator");
    const send = () => line.json("tx", "bank", "send", "alice", ADDRESS, "1ustake", "--yes", "-b", "block");
    let node = await line.startNode();
    const sent = await send();
    await stopped(node);
    const height = BigInt(String(sent["height"]));
    let last: Record<string, unknown> = {};
    while (last["removed"] !== String(height)) last = await line.json("rollback");
    expect(last).toMatchObject({ height: String(height - 1n) });
    node = await line.startNode();
    try {
      expect((await line.run(["query", "tx", String(sent["txhash"])])).exit).toBe(3);
      // By an event, and by the height alone: two indexes.
      for (const query of ["message.module='bank'", "tx.height>0", `tx.height=${height}`]) {
        expect(await line.json("query", "txs", "--query", query)).toMatchObject({ total_count: "0" });
      }
      expect(await send()).toMatchObject({ txhash: sent["txhash"], code: 0 });
    } finally {
      await stopped(node);
    }
  });
});
