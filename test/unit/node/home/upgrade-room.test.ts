/** What a node says of its disk before an upgrade. */
import { describe, expect, test } from "vitest";
import { completeText } from "../../../../host/base/text/program-text.js";
import { roomLine } from "../../../../host/node/home/upgrade-room.js";

const MIB = 2 ** 20;
const NEEDS = { spill: 8_192 * MIB, growth: 200 * MIB, reserve: 64 * MIB };
const NEEDED = 8_456 * MIB;

describe("roomLine()", () => {
  test("as much as is needed → enough, with both figures; one byte less → short, with what to do", () => {
    const enough = roomLine({ ...NEEDS, free: NEEDED }, "v3", "/home/node");
    expect(enough).toEqual({
      isShort: false,
      text: 'disk: 8.2 GiB free, the upgrade "v3" may need at most 8.2 GiB',
    });
    const short = roomLine({ ...NEEDS, free: NEEDED - 1 }, "v3", "/home/my node");
    expect(short.isShort).toBe(true);
    for (const part of [
      "8.0 GiB for what its handler writes before the commit (--handler-disk-max)",
      "200.0 MiB for the commit",
      "64.0 MiB as a reserve",
      "chaind handler run FILE --state '/home/my node'",
    ]) {
      expect(completeText(short.text, "chaind")).toContain(part);
    }
  });

  test("small and huge figures, a plan's name that does not show → readable", () => {
    const { text } = roomLine({ spill: 0, growth: 0, reserve: 0, free: 1_023 }, "v\u202e", "/h");
    expect(text).toBe('disk: 1023 bytes free, the upgrade "v\\u202e" may need at most 0 bytes');
    const huge = roomLine({ ...NEEDS, spill: Number.MAX_SAFE_INTEGER, free: 1_024 }, "v3", "/h");
    expect(huge.text).toMatch(/^disk: 1\.0 KiB free, .* may need at most 8\.0 PiB:/);
  });
});
