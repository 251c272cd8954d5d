/** Cosmovisor's cases of its file scanner, and its skip heights, with its texts. */
import { describe, expect, test } from "vitest";
import { readPlanFile } from "../../../../host/visor/decide/decision/plan-file.js";
import { returnedHeights } from "../../../../host/visor/decide/decision/returned.js";
import { skipHeights } from "../../../../host/visor/decide/decision/skips.js";
import { withSkips } from "../../../../host/visor/run/loop/returned.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { ScriptsHome } from "../scripts-home.js";

describe("readPlanFile()", () => {
  const read = (text: string, isCaseKept = false) =>
    readPlanFile(realMachine.files, new ScriptsHome().write("data/upgrade-info.json", text), isCaseKept);

  test.each([
    ['{"name":"upgrade1","info":"some info","height":123}', false, "upgrade1", 123n],
    ['{"name":"Upgrade2","info":"some info","height":125}', false, "upgrade2", 125n],
    ['{"name":"Upgrade2","info":"some info","height":125}', true, "Upgrade2", 125n],
    ['{"name":"a","time":"0001-01-01T00:00:00Z","height":7,"info":"","more":[1]}', false, "a", 7n],
  ])("%s → that plan", (text, isCaseKept, name, height) => {
    expect(read(text, isCaseKept)).toMatchObject({ kind: "plan", plan: { name, height } });
  });

  test.each([
    ['{"name":"upgrade1","info":123,"heigh":123}', "cannot unmarshal number into Go struct"],
    ['{"name":"upgrade1","heigh":"123"}', "height must be greater than 0: invalid request"],
    ["", "empty upgrade-info.json in"],
    ["{}", "invalid upgrade-info.json content: name cannot be empty"],
    ['{"name":"upgrade2"}', "height must be greater than 0"],
    ['{"height":1}', "name cannot be empty: invalid request"],
    ['{"name":"upgr', "JSON"],
    ["[]", "cannot unmarshal array"],
    ['{"name":"a","height":9e99}', "height must be an integer"],
  ])("%s → torn: %s", (text, why) => {
    expect(read(text)).toMatchObject({ kind: "torn", why: expect.stringContaining(why) });
  });

  test("no file → absent; a folder in its place → torn, and no exception", () => {
    const home = new ScriptsHome();
    expect(readPlanFile(realMachine.files, home.planFile, false)).toEqual({ kind: "absent" });
    expect(readPlanFile(realMachine.files, home.file("data"), false).kind).toBe("torn");
  });
});

describe("skipHeights()", () => {
  test.each([
    [[], []],
    [["appb", "start"], []],
    [["appb", "start", "--unsafe-skip-upgrades"], []],
    [["appb", "start", "--unsafe-skip-upgrades", "--abcd"], []],
    [["appb", "start", "--unsafe-skip-upgrades", "10", "--abcd"], [10n]],
    [
      ["appb", "start", "--unsafe-skip-upgrades", "10", "20", "--abcd"],
      [10n, 20n],
    ],
    [
      ["appb", "start", "--unsafe-skip-upgrades", "10", "20", "--abcd", "34"],
      [10n, 20n],
    ],
    [
      ["appb", "start", "--unsafe-skip-upgrades", "10", "as", "20", "--abcd"],
      [10n, 20n],
    ],
    [
      ["start", "--unsafe-skip-upgrades=10,20", "30"],
      [10n, 20n],
    ],
    [
      ["start", "--unsafe-skip-upgrades", "10,20", "--skip-upgrade-heights=5"],
      [10n, 20n, 5n],
    ],
  ])("%o → its heights", (args, heights) => {
    expect(skipHeights(args)).toEqual(heights);
  });
});

describe("withSkips()", () => {
  test("heights that were returned from → the flag, with those that are given; none → the same arguments", () => {
    expect(withSkips(["start"], [])).toEqual(["start"]);
    expect(withSkips(["start"], [9n])).toEqual(["start", "--unsafe-skip-upgrades=9"]);
    expect(withSkips(["start", "--unsafe-skip-upgrades=9"], [9n])).toEqual(["start", "--unsafe-skip-upgrades=9"]);
    expect(withSkips(["start", "--unsafe-skip-upgrades", "3", "9"], [9n, 12n]).at(-1)).toBe(
      "--unsafe-skip-upgrades=3,9,12",
    );
  });

  test("a record that is none → an error: a start without the flag would fork", () => {
    const home = new ScriptsHome();
    const file = home.write("cosmovisor/returned.json", '{"v":2}');
    expect(() => returnedHeights(realMachine.files, file)).toThrow("is no list of heights without their upgrades");
  });
});
