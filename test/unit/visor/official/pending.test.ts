/** Cosmovisor's cases for a plan that waits at the start (process_pending_upgrade_test.go of its main branch, facts 10.12 no. 11). */
import { describe, expect, test } from "vitest";
import { encodeText } from "../../../../host/base/text/text.js";
import { decide, type Known } from "../../../../host/visor/decide/decision/decide.js";
import { type PlanFile, parsePlan } from "../../../../host/visor/decide/decision/plan-file.js";

const plan = { name: "v2", height: 49n, info: "" };
const written = (text: string): PlanFile => {
  try {
    return { kind: "plan", plan: parsePlan(encodeText(text), "/h/data/upgrade-info.json", false), print: "" };
  } catch (error) {
    return { kind: "torn", why: String(error), print: "" };
  }
};

/** A chain of the Cosmos SDK that has come to the height and whose program is started again. */
const known = (changes: Partial<Known>): Known => ({
  current: { name: "genesis", plan: undefined },
  planFile: { kind: "absent" },
  ...{ isOurs: false, haltedFor: undefined, restartsFor: undefined, operatorPlans: [], skips: [], passed: [] },
  reached: { height: 49n, source: "wal" },
  seen: undefined,
  ...{ isRunning: false, ended: undefined, isStaged: () => true },
  ...changes,
});

describe("decide() before the start", () => {
  test("no file → nothing to do", () => {
    expect(decide(known({}))).toMatchObject({ kind: "go-on", pending: undefined });
  });
  test("a staged program of another name → switch", () => {
    const planFile = written('{"name":"v2","height":49,"info":""}');
    expect(decide(known({ planFile }))).toMatchObject({ kind: "switch", plan });
  });
  test("the plan of the current program → nothing to do", () => {
    const planFile = written('{"name":"v2","height":49,"info":""}');
    expect(decide(known({ planFile, current: { name: "v2", plan } }))).toMatchObject({
      kind: "go-on",
      pending: undefined,
    });
  });
  test("its program is missing → switch all the same: the switch fetches it, or says that it is missing", () => {
    const planFile = written('{"name":"v2","height":49,"info":""}');
    expect(decide(known({ planFile, isStaged: () => false }))).toMatchObject({ kind: "switch", plan });
  });
  test("a malformed file → nothing to do yet: it is read again, and is no end", () => {
    expect(decide(known({ planFile: written('{"name":"v2","hei') }))).toMatchObject({
      kind: "go-on",
      pending: undefined,
    });
  });
  test("an empty name → nothing to do", () => {
    const planFile = written('{"name":"","height":49}');
    expect(decide(known({ planFile }))).toMatchObject({ kind: "go-on", pending: undefined });
  });
});
