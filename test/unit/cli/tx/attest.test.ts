/** `tx upgrade attest` makes its message of flags, a handler's file or a report; two things at once, and too little, are refused. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Home } from "../../../../host/node/home/home.js";
import { encodeAddress, operators } from "../../../addresses.js";
import { runHere } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-tx-attest-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ACCOUNT = new Uint8Array(20).fill(9);
const SENDER = [
  "--from",
  encodeAddress(ACCOUNT),
  "--generate-only",
  "--offline",
  "--home",
  folder,
  "--chain-id",
  "c-1",
];
const upgrade = (...args: string[]) => runHere("tx", "upgrade", ...args, ...SENDER);
const messageOf = (tx: unknown) => (tx as { body: { messages: unknown[] } }).body.messages[0];
const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
const [ARTIFACT, RESULT] = ["1a".repeat(32), "2B".repeat(32)];

function report(change: object = {}): string {
  const path = join(folder, "report.json");
  const plan = { name: "v2", height: "20", info: "" };
  const handler = { kind: "wasm", sha256: ARTIFACT, file: "v2.wasm" };
  const whole = {
    ...{ exit: 0, verdict: "would apply", chain_id: "c-1", plan, handler },
    state: { height: "12", app_hash: "3C".repeat(32), block_height: "20" },
    applied: { app_hash: RESULT },
  };
  writeFileSync(path, JSON.stringify({ ...whole, ...change }));
  return path;
}

describe("tx upgrade attest", () => {
  const said = (appHash: string | null, height: string) => ({
    "@type": "/chain.upgrade.v1.MsgAttest",
    ...{ validator_address: operators.encode(ACCOUNT), plan: "v2", artifact_sha256: base64(ARTIFACT) },
    ...{ app_hash: appHash, rehearsed_height: height },
  });

  test.each<[string, () => string[], ReturnType<typeof said>]>([
    ["a hash", () => ["--artifact-sha256", ARTIFACT], said(null, "0")],
    [
      "a hash and a result",
      () => ["--artifact-sha256", ARTIFACT, "--app-hash", RESULT, "--at", "12"],
      said(base64(RESULT), "12"),
    ],
    ["a report", () => ["--rehearsal", report()], said(base64(RESULT), "12")],
    [
      "a report whose findings were accepted",
      () => ["--rehearsal", report({ findings: [{ check: "supply", message: "less" }], accepted: ["supply"] })],
      said(base64(RESULT), "12"),
    ],
    [
      "a report and the same again",
      () => ["--rehearsal", report(), "--artifact-sha256", ARTIFACT, "--app-hash", RESULT, "--at", "12"],
      said(base64(RESULT), "12"),
    ],
    [
      "a report of a handler in the program",
      () => [
        "--rehearsal",
        report({ handler: { kind: "typescript", sha256: "", file: "" } }),
        "--artifact-sha256",
        ARTIFACT,
      ],
      said(base64(RESULT), "12"),
    ],
  ])("%s → MsgAttest of the operator", async (_, args, message) => {
    expect(messageOf(await upgrade("attest", "v2", ...args()))).toMatchObject(message);
  });

  test.each<[string, () => string[], string]>([
    ["nothing", () => [], "say with what"],
    ["31 bytes", () => ["--artifact-sha256", ARTIFACT.slice(2)], "--artifact-sha256 must be 64 hexadecimal digits"],
    ["an app hash without its height", () => ["--artifact-sha256", ARTIFACT, "--app-hash", RESULT], "give both"],
    [
      "a report and another file",
      () => ["--rehearsal", report(), "--artifact-sha256", RESULT],
      "the flags name different files",
    ],
    [
      "a report and another result",
      () => ["--rehearsal", report(), "--app-hash", RESULT, "--at", "13"],
      "differ from the report",
    ],
    [
      "a report of another plan",
      () => ["--rehearsal", report({ plan: { name: "v3", height: "20", info: "" } })],
      'rehearses the plan "v3", not "v2"',
    ],
    [
      "a report of a failure",
      () => ["--rehearsal", report({ exit: 20, verdict: "would fail", applied: null })],
      "came to no app hash, the upgrade would fail",
    ],
    [
      "a report with findings",
      () => {
        const findings = [{ check: "supply", message: "less" }];
        return ["--rehearsal", report({ exit: 1, verdict: "would apply with findings", findings })];
      },
      "has findings of supply, which nobody has accepted",
    ],
    [
      "a report with findings of an earlier program",
      () => ["--rehearsal", report({ findings: [{ check: "queries", message: "less" }] })],
      `upgrade rehearse --home ${folder} --accept queries`,
    ],
    [
      "a report with findings whose verdict has none",
      () => ["--rehearsal", report({ exit: 1 })],
      'no rehearsal ends with 1 and "would apply"',
    ],
    ["a report that is none", () => ["--rehearsal", report({ plan: 7 })], "plan"],
    [
      "a report with a broken hash",
      () => ["--rehearsal", report({ applied: { app_hash: "12" } })],
      "expected 64 hexadecimal digits",
    ],
    [
      "a report of another chain",
      () => ["--rehearsal", report({ chain_id: "other-1" })],
      `is of the chain "other-1", and this is "c-1": \`chaind upgrade rehearse --home ${folder}\` makes one`,
    ],
    [
      "a report of another block than the plan's",
      () => ["--rehearsal", report({ plan: { name: "v2", height: "9", info: "" } })],
      "state.block_height: the plan's height is 9, got 20",
    ],
    [
      "a report of a state that is none",
      () => ["--rehearsal", report({ state: { height: "20", app_hash: RESULT, block_height: "20" } })],
      "block 20 is not made on the state of block 20",
    ],
    [
      "a report whose exit and verdict differ",
      () => ["--rehearsal", report({ verdict: "would fail" })],
      'no rehearsal ends with 0 and "would fail"',
    ],
    ["a report without a verdict", () => ["--rehearsal", report({ verdict: null })], "verdict: expected a text"],
  ])("%s → refused", async (_, args, words) => {
    await expect(upgrade("attest", "v2", ...args())).rejects.toThrow(words);
  });

  test("a report that the home keeps → attested without a flag, and by --rehearsal alone; other flags leave it out; none → refused", async () => {
    const kept = new Home(folder).rehearsalFile("v2");
    await expect(upgrade("attest", "v2", "--rehearsal")).rejects.toThrow(
      /keeps no rehearsal of "v2": `chaind upgrade rehearse --home .*add --plan with a file/,
    );
    mkdirSync(dirname(kept), { recursive: true });
    renameSync(report(), kept);
    try {
      for (const flags of [[], ["--rehearsal"], ["--rehearsal", "--artifact-sha256", ARTIFACT]])
        expect(messageOf(await upgrade("attest", "v2", ...flags))).toMatchObject(said(base64(RESULT), "12"));
      expect(messageOf(await upgrade("attest", "v2", "--artifact-sha256", ARTIFACT))).toMatchObject(said(null, "0"));
      await expect(upgrade("attest", "v3")).rejects.toThrow("say with what");
    } finally {
      rmSync(kept);
    }
  });

  test("no name and no node to ask → refused", async () => {
    await expect(upgrade("attest", "--rehearsal", report())).rejects.toThrow("name the plan: with --offline");
  });

  test("withdraw-attestation NAME → MsgWithdrawAttestation", async () => {
    expect(messageOf(await upgrade("withdraw-attestation", "v2"))).toEqual({
      "@type": "/chain.upgrade.v1.MsgWithdrawAttestation",
      ...{ validator_address: operators.encode(ACCOUNT), plan: "v2" },
    });
  });
});
