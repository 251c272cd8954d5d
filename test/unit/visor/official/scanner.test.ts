/** Cosmovisor's own cases for upgrade-info.json (scanner_test.go, facts 10.10), one test each, by number. */
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { encodeText } from "../../../../host/base/text/text.js";
import { parsePlan, readPlanFile } from "../../../../host/visor/decide/decision/plan-file.js";

const parse = (text: string, isCaseKept = false) =>
  parsePlan(encodeText(text), "/h/data/upgrade-info.json", isCaseKept);

describe("parsePlan()", () => {
  test("no. 1: a good file → the plan", () => {
    const plan = parse('{"name":"upgrade1","info":"some info","height":123}');
    expect(plan).toEqual({ name: "upgrade1", info: "some info", height: 123n });
  });
  test("no. 2: a name in mixed case → in lower case", () => {
    expect(parse('{"name":"Upgrade2","info":"some info","height":125}').name).toBe("upgrade2");
  });
  test("no. 3: the same where names are kept → as it is", () => {
    expect(parse('{"name":"Upgrade2","info":"some info","height":125}', true).name).toBe("Upgrade2");
  });
  test.each([
    [4, '{"name":"upgrade1","info":123,"heigh":123}', "cannot unmarshal number into Go struct"],
    [5, '{"name":"upgrade1","heigh":"123"}', "height must be greater than 0: invalid request"],
    [6, "", "empty upgrade-info.json in"],
    [7, "{}", "invalid upgrade-info.json content: name cannot be empty"],
    [8, '{"name":"upgrade2"}', "height must be greater than 0"],
    [9, '{"height":1}', "name cannot be empty: invalid request"],
  ])("no. %i: %s → %s", (_number, text, words) => {
    expect(() => parse(text)).toThrow(words);
  });
});

test("no. 10: readPlanFile() of a file that does not exist → absent, no error: the sidecar looks again", () => {
  expect(readPlanFile(diskFiles, "/no/such/upgrade-info.json", false)).toEqual({ kind: "absent" });
});
