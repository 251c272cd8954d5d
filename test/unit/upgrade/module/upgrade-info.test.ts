import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { HEIGHT_MAX } from "../../../../host/base/types/limits.js";
import { parseUpgradeInfo } from "../../../../host/upgrade/module/upgrade-info.js";

const info = (height: string) => parseUpgradeInfo(utf8(`{"name":"v2","height":${height},"info":""}`));

describe("parseUpgradeInfo()", () => {
  test("a height from 1 to 2^53 - 1 → exactly that", () => {
    expect(info("1")?.height).toBe(1n);
    expect(info("9007199254740991")?.height).toBe(HEIGHT_MAX);
  });

  test.each(["0", "-1", "9007199254740992", "9007199254740993", "9223372036854775807", "1e400", "1.5", '"5"', "null"])(
    "a height of %s → nothing",
    (height) => expect(info(height)).toBeUndefined(),
  );
});
