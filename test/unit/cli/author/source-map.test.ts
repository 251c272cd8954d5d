/** Source maps of the compiler: numbers of five bits a digit, each relative to the one before. */
import { describe, expect, test } from "vitest";
import { readSourceMap } from "../../../../host/cli/author/map/source-map.js";

describe("readSourceMap()", () => {
  test("of segments → absolute bytes, sources, lines and columns from 1", () => {
    // 5 bytes on, source 0, line 0, column 0; 16 on, source 1, line +2, column +4; 1 on, source 1, line -1, column -4.
    const map = JSON.stringify({ sources: ["a.ts", "b.ts"], mappings: "KAAA,gBCEI,CADJ" });
    expect(readSourceMap(map)).toEqual({
      sources: ["a.ts", "b.ts"],
      lines: [
        [5, 0, 1, 1],
        [21, 1, 3, 5],
        [22, 1, 2, 1],
      ],
    });
  });

  test("of a segment without a source → its bytes count, it has no line", () => {
    expect(readSourceMap(JSON.stringify({ sources: ["a.ts"], mappings: "K,KAAA" })).lines).toEqual([[10, 0, 1, 1]]);
  });
});
