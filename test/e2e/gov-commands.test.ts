import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandLine, stopped } from "./command-line.js";

import { ADDRESS, MNEMONIC } from "./known-key.js";

describe("governance beside upgrades", () => {
  test("submit-proposal from a file, deposit, weighted-vote, cancel-proposal", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    await line.run(["keys", "add", "alice", "--recover"], `${MNEMONIC}\n`);
    await line.json("genesis", "add-account", "alice", "1000000000ustake", "--validator", "50");
    const file = join(line.home, "proposal.json");
    const authority = String(await authorityOf(line));
    const plan = { name: "v2", height: "1000000", info: "" };
    const message = { "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", authority, plan };
    const texts = { metadata: "", deposit: "200000ustake", title: "T", summary: "S", expedited: false };
    writeFileSync(file, JSON.stringify({ messages: [message], ...texts }));
    const node = await line.startNode();
    try {
      const tx = (...words: string[]) => line.json("tx", "gov", ...words, "--from", "alice", "--yes", "-b", "block");
      await tx("submit-proposal", file);
      const first = { id: "1", status: "PROPOSAL_STATUS_DEPOSIT_PERIOD", messages: [message] };
      expect(await line.json("query", "gov", "proposal", "1")).toMatchObject({ proposal: first });
      await tx("deposit", "1", "9800000ustake");
      await tx("weighted-vote", "1", "yes=0.75,no=0.25");
      expect(await line.json("query", "gov", "tally", "1")).toMatchObject({
        tally: { yes_count: "37500000", no_count: "12500000" },
      });
      await tx("submit-proposal", file);
      await tx("cancel-proposal", "2");
      expect((await line.run(["query", "gov", "proposal", "2"])).exit).toBe(3);
      const failed = await line.run([
        "tx",
        "gov",
        "vote",
        "2",
        "yes",
        "--from",
        "alice",
        "-y",
        "-b",
        "block",
        "--gas",
        "200000",
      ]);
      expect(failed.exit).toBe(1);
      expect(JSON.parse(failed.stdout)).toMatchObject({ codespace: "gov", raw_log: expect.stringContaining("2") });
      for (const [text, exit] of [
        ["{", 2],
        ["[]", 2],
        ['{"messages":[{"@type":"/nope"}],"title":"T","summary":"S"}', 2],
      ] as const) {
        writeFileSync(file, text);
        expect((await line.run(["tx", "gov", "submit-proposal", file, "--from", "alice", "-y"])).exit).toBe(exit);
      }
    } finally {
      await stopped(node);
    }
  });
});

async function authorityOf(line: CommandLine): Promise<string> {
  const words = ["tx", "upgrade", "cancel-software-upgrade", "--title", "t", "--summary", "s", "--from", ADDRESS];
  const made = await line.json(...words, "--generate-only");
  return /"authority":"([^"]+)"/.exec(JSON.stringify(made))?.[1] ?? "";
}
