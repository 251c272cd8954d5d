/** What the demo says when a node of its own ends otherwise than it should. */
import { describe, expect, test } from "vitest";
import { requireExit } from "../../../../host/cli/demo/child-node.js";
import { code } from "../../state/store/support.js";

const entry = (more: object) =>
  `${JSON.stringify({ time: "2026-01-01T00:00:00.000Z", level: "error", source: "node", ...more })}\n`;
const LOG = entry({ message: "node started" });

describe("requireExit()", () => {
  test("the exit status that was meant → nothing, whatever the log says", () => {
    expect(() =>
      requireExit({ exit: 10, log: entry({ message: "no", code: "UPG_STORE_IO" }) }, 10, "version 1"),
    ).not.toThrow();
  });

  test("another one, and the node gave a code → that code, the node's words and what ended", () => {
    const end = { exit: 30, log: LOG + entry({ message: "the disk is full", code: "UPG_STORE_FULL" }) };
    const full = expect.objectContaining({
      code: "UPG_STORE_FULL",
      message: "version 2 ended with 30: the disk is full",
    });
    expect(() => requireExit(end, 0, "version 2")).toThrow(full);
  });

  test.each([
    "",
    "no entry\n",
    ...["UPG_NO_SUCH_CODE", "toString", 7].map((no) => entry({ message: "odd", code: no })),
  ])("another one, and the log ends with %j → a fault of ours, with the log", (last) => {
    const end = { exit: 1, log: LOG + last };
    expect(() => requireExit(end, 0, "version 2")).toThrow(code("UPG_BUG_ASSERT"));
    expect(() => requireExit(end, 0, "version 2")).toThrow(`version 2 ended with 1 instead of 0:\n${LOG}${last}`);
  });
});
