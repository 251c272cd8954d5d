/** `status` for scripts. */
import { expect, test } from "vitest";
import { CommandLine } from "../../e2e/command-line.js";
import { useTestNode } from "../../unit/serve/api/test-node.js";

test("chaind status without -o json → one object of JSON all the same", () =>
  useTestNode(async ({ rpc }) => {
    const { stdout } = await new CommandLine().run(["status", "--node", rpc]);
    expect(JSON.parse(stdout).sync_info.latest_block_height).toBe("2");
  }));
