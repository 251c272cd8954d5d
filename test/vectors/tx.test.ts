import { expect, test } from "vitest";
import { loadVectors, runVectors } from "./harness.js";
import { runTxVectors } from "./tx.js";

test("runTxVectors() answers every case of tx.json as a real node did", () => {
  const report = runVectors("tx", runTxVectors);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.passed + report.differing).toBe(report.cases);
  expect(report.by).toEqual({ "source-crash": 2, "strict-decoder": 2 });
});

test("runTxVectors() with an expectation changed → fails", () => {
  const vectors = loadVectors("tx");
  const change = (kind: string, changed: Record<string, unknown>) => ({
    ...vectors.find((vector) => vector["kind"] === kind),
    ...changed,
  });
  const verdict = { accepted: true, code: 1, codespace: "", log: "" };
  for (const vector of [
    change("check", { verdict }),
    change("tx", { verdict }),
    change("tx", { memo: "another" }),
    change("module_account", { name: "another" }),
    change("bech32", { error: "another" }),
  ]) {
    expect(() => runTxVectors(vector)).toThrow();
  }
});
