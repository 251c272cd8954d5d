import { expect, test } from "vitest";
import { runComet } from "./comet.js";
import { loadVectors, runVectors } from "./harness.js";

test("runComet() answers every case of comet.json as CometBFT did", () => {
  const report = runVectors("comet", runComet);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.cases).toBeGreaterThan(0);
  expect(report.passed).toBe(report.cases);
});

test("runComet() with an expectation changed, whatever the kind → fails", () => {
  for (const kind of new Set(loadVectors("comet").map((vector) => String(vector["kind"])))) {
    const vector = loadVectors("comet").findLast((candidate) => candidate["kind"] === kind) ?? {};
    expect(() => runComet(tampered(vector)), kind).toThrow();
  }
});

const EXPECTATIONS = ["hash", "root", "data_hash", "last_results_hash", "signature", "proto_sha256"];

function tampered(vector: Record<string, unknown>): Record<string, unknown> {
  const name = EXPECTATIONS.find((candidate) => candidate in vector) ?? "hash";
  const text = String(vector[name]);
  return { ...vector, [name]: `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}` };
}
