/** What the demo says when a node of its own ends otherwise than it should. */
import { describe, expect, test } from "vitest";
import { requireExit } from "../../../host/demo/child-node.js";
import { code } from "../store/support.js";

const LOG = '{"level":30,"msg":"node started"}\n';

describe("requireExit()", () => {
  test("the exit status that was meant → nothing, whatever the log says", () => {
    expect(() => requireExit({ exit: 10, log: "Error: no [UPG_STORE_IO]\n" }, 10, "version 1")).not.toThrow();
  });

  test("another one, and the node gave a code → that code, the node's words and what ended", () => {
    const end = { exit: 30, log: `${LOG}Error: the disk is full [UPG_STORE_FULL]\n` };
    const full = expect.objectContaining({
      code: "UPG_STORE_FULL",
      message: "version 2 ended with 30: the disk is full",
    });
    expect(() => requireExit(end, 0, "version 2")).toThrow(full);
  });

  test.each(["", "Error: words without a code\n", "Error: odd [UPG_NO_SUCH_CODE]\n", "Error: odd [toString]\n"])(
    "another one, and the log ends with %j → a fault of ours, with the log",
    (last) => {
      const end = { exit: 1, log: LOG + last };
      expect(() => requireExit(end, 0, "version 2")).toThrow(code("UPG_BUG_ASSERT"));
      expect(() => requireExit(end, 0, "version 2")).toThrow(`version 2 ended with 1 instead of 0:\n${LOG}${last}`);
    },
  );
});
