import { expect, test } from "vitest";
import { loadVectors, runVectors } from "./harness.js";
import { runIavl } from "./iavl.js";

test("runIavl() answers every case of iavl.json as IAVL's trees did", () => {
  const report = runVectors("iavl", runIavl);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.cases).toBeGreaterThan(0);
  expect(report.passed).toBe(report.cases);
});

test("runIavl() with a digit of a root, a node or a proof changed → fails", () => {
  const cases = loadVectors("iavl");
  const change = (text: string) => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
  const withNodes = structuredClone(cases.find(({ versions }) => versions[0]?.nodes?.length > 0) ?? {});
  const withProofs = structuredClone(
    cases.find(({ versions }) => versions.some(({ proofs }: { proofs?: [] }) => proofs?.length)) ?? {},
  );
  const withRoot = structuredClone(cases[0] ?? {});
  withRoot["versions"][0].root = change(withRoot["versions"][0].root);
  withNodes["versions"][0].nodes[0][2] = change(withNodes["versions"][0].nodes[0][2]);
  const proof = withProofs["versions"].find(({ proofs }: { proofs?: [] }) => proofs?.length).proofs[0];
  proof.proof = typeof proof.proof === "string" ? change(proof.proof) : { ...proof.proof, sha256: "" };
  for (const tampered of [withRoot, withNodes, withProofs]) expect(() => runIavl(tampered)).toThrow(/expected/);
});
