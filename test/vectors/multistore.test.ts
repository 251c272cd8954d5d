import { expect, test } from "vitest";
import { loadVectors, runVectors, type VectorCase } from "./harness.js";
import { runMultistore } from "./multistore.js";

test("runMultistore() answers every case of multistore.json as the Cosmos SDK's multistore did, or differs by a named rule", () => {
  const report = runVectors("multistore", runMultistore);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.cases).toBeGreaterThan(0);
  expect(report.passed + report.differing).toBe(report.cases);
  const rules = ["rename-missing", "delete-missing", "re-add", "unmounted", "interrupted-commit"];
  expect(rules).toEqual(expect.arrayContaining(Object.keys(report.by)));
});

test("runMultistore() with a digit of an app hash or of a proof changed → fails", () => {
  const plain = loadVectors("multistore").filter(({ differs }) => !differs?.length);
  const change = (text: string) => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
  const tamper = (op: string, at: (step: VectorCase) => { [name: string]: string }, name: string) => {
    const isIt = (step: VectorCase) => step["op"] === op && !step["error"];
    const tampered = structuredClone(plain.find(({ steps }) => steps.some(isIt)) ?? {});
    const target = at(tampered["steps"].find(isIt));
    target[name] = change(target[name] as string);
    return tampered;
  };
  const cases = [tamper("commit", (step) => step, "app_hash"), tamper("query", (step) => step["proof_ops"][1], "data")];
  for (const tampered of cases) expect(() => runMultistore(tampered)).toThrow(/expected/);
});
