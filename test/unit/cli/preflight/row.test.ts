/** Rows of `upgrade preflight` by themselves: how they are printed, and that of the memory. */
import { describe, expect, test } from "vitest";
import { memoryRow } from "../../../../host/cli/preflight/machine-rows.js";
import { type Row, tableText } from "../../../../host/cli/preflight/row.js";

describe("tableText()", () => {
  test("long messages → lines of at most 100 columns, indented; paths and commands stay whole", () => {
    const path = `/${"folder/".repeat(20)}file`;
    const words = `${"some words that go on ".repeat(12)}and ${path} at the end`;
    const rows: Row[] = [
      { check: "plan", state: "ok", words: "short" },
      { check: "sidecar", state: "missing", words, next: `cp ${path} ${path}` },
    ];
    const lines = tableText(rows).split("\n");
    const long = lines.filter((line) => line.length > 100);
    expect(long.map((line) => line.trim())).toEqual([path, `$ cp ${path} ${path}`]);
    expect(lines[0]).toBe("plan     ok       short");
    const own = lines.slice(1, -2);
    expect(own.slice(1).every((line) => line.startsWith(" ".repeat(18)))).toBe(true);
    expect(
      own
        .slice(0, -1)
        .map((line) => line.slice(18))
        .join(" "),
    ).toBe(words);
  });
});

describe("memoryRow()", () => {
  test("less than the rehearsal's peak → warning; as much → ok", () => {
    const rehearsal = { peakMemory: 1_000 };
    expect(memoryRow(rehearsal, 999).state).toBe("warning");
    expect(memoryRow(rehearsal, 1_000).state).toBe("ok");
  });
});
