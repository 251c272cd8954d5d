/** What `query upgrade readiness` says of groups that differ: which of them cannot both be right. */
import { describe, expect, test } from "vitest";
import { readinessNotes } from "../../../host/cli/client/query/readiness-notes.js";

const bytes = (byte: number) => new Uint8Array(byte === 0 ? 0 : 32).fill(byte);
const group = (file: number, result: number, height: bigint) => ({
  artifactSha256: bytes(file),
  appHash: bytes(result),
  rehearsedHeight: height,
});
type Group = ReturnType<typeof group>;

describe("readinessNotes()", () => {
  test.each<[string, Group[], string[]]>([
    ["none", [], []],
    ["one", [group(1, 1, 5n)], []],
    ["another file", [group(1, 1, 5n), group(2, 1, 5n)], ["they differ about the file"]],
    [
      "the same file and block, another result",
      [group(1, 1, 5n), group(1, 2, 5n)],
      ["two app hashes on the same block"],
    ],
    ["another block", [group(1, 1, 5n), group(1, 2, 6n)], ["all may be right"]],
    ["without a rehearsal", [group(1, 1, 5n), group(1, 0, 0n)], ["all may be right"]],
    [
      "all of these",
      [group(1, 1, 5n), group(1, 2, 5n), group(1, 1, 6n), group(2, 1, 6n)],
      ["they differ about the file", "two app hashes on the same block", "all may be right"],
    ],
  ])("%s → a line for each kind of difference", (_, groups, words) => {
    const notes = readinessNotes(groups);
    expect(notes).toHaveLength(words.length);
    for (const [at, part] of words.entries()) expect(notes[at]).toContain(part);
  });
});
