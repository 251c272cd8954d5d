/** The last lines of a rehearsal's report: what to do, with commands that repeat it. */
import { describe, expect, test } from "vitest";
import { type ErrorCode, UpgradeError } from "../../../../host/base/errors/errors.js";
import { appliesWithFindings, endsWith } from "../../../../host/cli/rehearsal/report/verdict.js";

const facts = {
  program: "chaind",
  home: "node",
  plan: "v3",
  height: "40",
  handler: "",
  flags: ["--plan", "v3.json"],
  isGiven: false,
  isKept: true,
};
const given = { ...facts, handler: "v3.wasm", isGiven: true };
const ends = (code: ErrorCode, of = facts) => endsWith(new UpgradeError(code, "why"), of);
const AGAIN = "chaind upgrade rehearse --home node --plan v3.json";

describe("endsWith()", () => {
  test.each<[ErrorCode, string]>([
    ["UPG_MIGRATION_FAILED", AGAIN],
    ["UPG_BUG_MODULE", AGAIN],
    ["UPG_BUG_NO_RESULT", AGAIN],
    ["UPG_STORE_UPGRADE", AGAIN],
    ["UPG_HALT_UPGRADE_NEEDED", `${AGAIN} --handler FILE`],
  ])("%s → the command has --plan as it was given", (code, command) => {
    expect(ends(code).commands).toContain(command);
  });

  test("with --handler → a corrected file in its place; the same file where nothing is to be corrected", () => {
    expect(ends("UPG_MIGRATION_FAILED", given).commands).toContain(`${AGAIN} --handler FILE`);
    expect(ends("UPG_BUG_NO_RESULT", given).commands).toEqual([`${AGAIN} --handler v3.wasm`]);
    expect(appliesWithFindings(given, ["supply"]).commands).toEqual([`${AGAIN} --handler v3.wasm --accept supply`]);
  });

  test("a file that is no handler, and no plan → no plan is named", () => {
    expect(ends("UPG_HANDLER_EXPORT", { ...given, plan: "" }).next).toContain(
      "Nodes would refuse this handler before it runs.",
    );
  });

  test("findings in a report that is not kept → nothing about being ready", () => {
    expect(appliesWithFindings(facts, ["supply"]).next).toContain("this node does not count as ready");
    expect(appliesWithFindings({ ...facts, isKept: false }, ["supply"]).next).not.toContain("ready");
  });

  test("stores that do not fit → where to correct the store upgrades, and how nodes would end", () => {
    expect(ends("UPG_STORE_UPGRADE").next).toContain(
      'nodes would exit with 30 and would not start again with this program. Correct the storeUpgrades in the upgrade "v3" of the program',
    );
    expect(ends("UPG_STORE_UPGRADE", given).next).toContain("storeUpgrades in the manifest of the handler");
  });
});
