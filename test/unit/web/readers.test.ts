import { describe, expect, test } from "vitest";
import { proposalOf, readProposals } from "../../../web/proposal.js";
import { evidenceName, reporterName, sourceName, sourceOf } from "../../../web/source.js";
import { readStatus } from "../../../web/status.js";
import { fragmentOf, readTrust, TrustError, trustOfFragment } from "../../../web/trust.js";

const HASH = "AB".repeat(32);

describe("trust.ts", () => {
  test("readTrust() a height and a hash, however they were typed → both; from an address they are not the reader's", () => {
    const trust = { height: 12_345n, hash: HASH.toLowerCase(), from: "yours" };
    expect(readTrust("12,345", ` 0x${HASH} `, "yours")).toEqual(trust);
    expect(trustOfFragment(fragmentOf(trust))).toEqual({ ...trust, from: "link" });
    expect(["", "#claims-title"].map(trustOfFragment)).toEqual([undefined, undefined]);
    for (const wrong of ["#trust=20:ABCD", "#trust", "#trust%3D20%3AAB", "#Trust=1", `${fragmentOf(trust)}:1`]) {
      expect(() => trustOfFragment(wrong), wrong).toThrow(TrustError);
    }
  });

  test.each([
    ["0", HASH, "height"],
    ["-1", HASH, "height"],
    ["1e3", HASH, "height"],
    ["9223372036854775808", HASH, "height"],
    ["12", HASH.slice(2), "hash"],
    ["12", `${HASH}00`, "hash"],
    ["12", "x".repeat(64), "hash"],
  ])("readTrust() %s, %s → an error about the %s", (height, hash, what) => {
    expect(() => readTrust(height, hash, "yours")).toThrow(what);
  });
});

describe("sourceOf()", () => {
  test("a page of a node, also below a path → its RPC and REST", () => {
    const source = sourceOf("https://node.example/chain/?x=1#trust=1:2");
    expect(source).toEqual({
      rpc: "https://node.example/chain/rpc/",
      api: "https://node.example/chain/",
      plan: "",
      isOwn: true,
    });
    expect(sourceName(source)).toBe("node.example/chain");
    expect(sourceOf("https://node.example/?api=https://evil.example").isOwn).toBe(false);
  });

  test("?rpc= and ?api= → those; an address of another kind → an error", () => {
    const source = sourceOf("https://site.example/?rpc=https%3A%2F%2Frpc.example&plan=v2");
    expect(source).toEqual({ rpc: "https://rpc.example/", api: undefined, plan: "v2", isOwn: false });
    const both = sourceOf("https://n.example/?rpc=https://n.example/rpc/&api=https://evil.example");
    expect([evidenceName(both), reporterName(both)]).toEqual(["n.example", "evil.example"]);
    expect(sourceName(both)).toBe("n.example (evidence) and evil.example (reports)");
    expect(() => sourceOf("https://n.example/?api=https://n.example@evil.example")).toThrow("user name");
    for (const wrong of ["javascript:alert(1)", "file:///etc", "rpc.example"]) {
      expect(() => sourceOf(`https://site.example/?rpc=${encodeURIComponent(wrong)}`)).toThrow("?rpc=");
    }
  });
});

describe("readStatus()", () => {
  const plan = { name: "v2", height: "20", proposal: { id: "1", title: "t", summary: "s" } };
  const status = { phase: "waiting", height: "19", block_time: "2026-11-23T14:05:09Z", plan };

  test("what a node sends → its status", () => {
    const stages = [{ store: "bank", phase: "scan", done: 5, total: 10 }, { store: "auth" }];
    const found = readStatus({
      ...status,
      block_seconds: [{ blocks: "100", seconds: "5.020" }, { blocks: "x" }],
      progress: { phase: "scan", store: "bank", done: 5, total: 10, seconds_left: 3, stages },
      last_upgrade: { name: "v1", height: "7" },
      halt: { code: "UPG_HALT_HEIGHT", message: "m", commands: ["a", 1], height: "20" },
    });
    expect(found).toMatchObject({
      ...{ phase: "waiting", height: 19n, plan: { name: "v2", height: 20n, info: "" }, proposal: { id: 1n } },
      blockTimes: [{ blocks: 100n, seconds: 5.02 }],
      progress: [{ store: "bank", work: "scan", done: 5, total: 10 }],
      ...{ secondsLeft: 3, last: { name: "v1", height: 7n } },
      halt: { code: "UPG_HALT_HEIGHT", message: "m", next: "", commands: ["a"], height: 20n },
    });
  });

  test("progress without stages → the step it names; nulls → absent", () => {
    const progress = { phase: "commit", store: "", done: 7, total: 0, seconds_left: null, stages: [] };
    const found = readStatus({ ...status, plan: null, progress, last_upgrade: null, halt: null, block_time: null });
    expect(found).toMatchObject({ progress: [{ work: "commit", store: "", done: 7, total: 0 }] });
    expect([found?.plan, found?.halt, found?.last, found?.time, found?.secondsLeft]).toEqual(Array(5).fill(undefined));
  });

  test.each([
    [null],
    [[]],
    ["waiting"],
    [{}],
    [{ ...status, phase: "constructor" }],
    [{ ...status, height: -1 }],
    [{ ...status, height: "0x13" }],
  ])("%j → undefined", (value) => {
    expect(readStatus(value)).toBeUndefined();
  });
});

describe("proposals", () => {
  const proposal = (id: string, status: string, height: string) => ({
    ...{ id, title: `title ${id}`, status: `PROPOSAL_STATUS_${status}` },
    messages: [
      { "@type": "/cosmos.bank.v1beta1.MsgSend" },
      { "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", plan: { name: "v2", height } },
    ],
  });
  const proposals = readProposals({
    proposals: [
      proposal("1", "REJECTED", "20"),
      proposal("2", "PASSED", "20"),
      proposal("3", "VOTING_PERIOD", "30"),
      proposal("4", "VOTING_PERIOD", "no height"),
      { id: "5", messages: [] },
    ],
  });

  test("readProposals() → those that schedule a plan", () => {
    expect(proposals.map(({ id, status }) => [id, status])).toEqual([
      [1n, "rejected"],
      [2n, "passed"],
      [3n, "voting period"],
    ]);
  });

  test("proposalOf() a plan → the one that passed; none → the one in its voting period", () => {
    expect(proposalOf(proposals, { name: "v2", height: 20n, info: "" })?.id).toBe(2n);
    expect(proposalOf(proposals, { name: "v2", height: 21n, info: "" })).toBeUndefined();
    expect(proposalOf(proposals, undefined)?.id).toBe(3n);
  });
});
