import { expect, test } from "vitest";
import { RequestSchema, ResponseSchema } from "../../host/base/gen/tendermint/abci/messages_pb.js";
import { runAbci } from "./abci.js";
import { loadVectors, runVectors } from "./harness.js";

test("runAbci() every frame of CometBFT's → decoded to what it says, and the same bytes again; every kind is among them", () => {
  const report = runVectors("abci", runAbci);
  expect(report.failures.map(({ label, message }) => `${label}: ${message}`)).toEqual([]);
  expect(report.passed).toBe(report.cases);
  const kinds = new Set(loadVectors("abci").map((vector) => `${vector["kind"]} ${vector["case"]}`));
  const ours = [
    ...RequestSchema.oneofs.flatMap(({ fields }) => fields.map(({ localName }) => `request ${localName}`)),
    ...ResponseSchema.oneofs.flatMap(({ fields }) => fields.map(({ localName }) => `response ${localName}`)),
  ];
  expect([...kinds].sort()).toEqual(ours.sort());
});

test("runAbci() with one byte of any frame changed, or another text → fails", () => {
  for (const vector of loadVectors("abci").filter(({ fill }) => fill === "greatest" || fill === "odd")) {
    const frame = Buffer.from(vector["frame"] as string, "hex");
    frame[frame.length - 1] = (frame[frame.length - 1] ?? 0) ^ 1;
    if (frame.length > 4) expect(() => runAbci({ ...vector, frame: frame.toString("hex") })).toThrow();
    expect(() => runAbci({ ...vector, json: { other: {} } })).toThrow();
  }
});
