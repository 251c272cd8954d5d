import { expect, test } from "vitest";
import { loadVectors, runVectors, type VectorCase } from "./harness.js";
import { runPlan } from "./plan.js";

test("runPlan() answers every case of plan.json as the Cosmos SDK's Plan did, or is stricter by a named rule", () => {
  const report = runVectors("plan", runPlan);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.cases).toBeGreaterThan(0);
  expect(report.passed + report.differing).toBe(report.cases);
  expect(["name-rule", "info-rule", "strict-wire"]).toEqual(expect.arrayContaining(Object.keys(report.by)));
});

test("runPlan() with any one field of any case changed → fails", () => {
  const changed = new Set<string>();
  for (const vector of loadVectors("plan")) {
    for (const field of Object.keys(vector)) {
      const value = change(field, vector);
      if (value === undefined) continue;
      expect(() => runPlan({ ...vector, [field]: value }), `${vector["label"]}: ${field}`).toThrow();
      changed.add(field);
    }
  }
  expect([...changed].sort()).toEqual(
    "bytes cli_json cli_json_error cli_yaml cli_yaml_error codec_error due_at error go_json go_json_error marshal marshal_error plan proto_json proto_json_error remarshal strict_error string validate".split(
      " ",
    ),
  );
});

/** Another value of a field, as far as one is wrong for any implementation; undefined when not. */
function change(field: string, vector: VectorCase): unknown {
  const value = vector[field];
  switch (field) {
    case "kind":
    case "label":
      return undefined;
    case "plan":
      return { ...value, height: String(BigInt(value.height) ^ 1n) };
    case "bytes":
      return isTaken(vector) ? `${value}1863` : undefined;
    case "strict_error":
      return isTaken(vector) ? "changed" : undefined;
    case "error":
    case "codec_error":
      return value === null ? "changed" : null;
    case "cli_yaml":
      if (value === null) return "changed";
      return typeof value === "string" ? value.replace("plan:", "plans:") : { ...value, len: 0 };
    case "remarshal":
      return typeof value === "string" ? `${value}1863` : { ...value, len: 0 };
    default:
      if (field.endsWith("_error")) return null;
      if (value === null) return "changed";
      return typeof value === "string" ? `${value} ` : { ...value, len: 0 };
  }
}

/** Bytes that the source and ours decode as they are. */
function isTaken(vector: VectorCase): boolean {
  return vector["error"] === null && !runPlan(vector).includes("strict-wire");
}
