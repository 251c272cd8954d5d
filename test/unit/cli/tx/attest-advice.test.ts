/** Advice of `tx upgrade attest` about a plan that is only proposed: the command rehearses that plan, with the same handler. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { QueryCurrentPlanResponseSchema } from "../../../../host/base/gen/chain/upgrade/v1beta1/query_pb.js";
import { ProposalStatus } from "../../../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { QueryProposalsResponseSchema } from "../../../../host/base/gen/cosmos/gov/v1/query_pb.js";
import { MsgSoftwareUpgradeSchema } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { packAny } from "../../../../host/chain/values/any.js";
import { appliedReport, requireOwn } from "../../../../host/cli/client/tx/attested-report.js";
import type { NamedPlans } from "../../../../host/cli/client/tx/rehearsed-chain.js";
import { encodeAddress } from "../../../addresses.js";
import { runHere } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-attest-advice-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const [HOME, HANDLER] = [join(folder, "home"), join(folder, "v2.wasm")];
writeFileSync(HANDLER, "");
const REHEARSE = `\`chaind upgrade rehearse --home ${HOME}`;
const A = { name: "v2", height: 300n, info: "a" };
const B = { name: "v2", height: 500n, info: "b" };
const [FILE_A, FILE_B] = ['{"name":"v2","height":"300","info":"a"}', '{"name":"v2","height":"500","info":"b"}'];
const PROPOSED: NamedPlans = { isScheduled: false, plans: [A, B] };

/** No plan is scheduled, and two proposals name v2. */
async function proposingNode(): Promise<string> {
  const messages = [A, B].map((plan) => packAny(MsgSoftwareUpgradeSchema, create(MsgSoftwareUpgradeSchema, { plan })));
  const proposal = { messages, status: ProposalStatus.VOTING_PERIOD };
  const proposals = toBinary(
    QueryProposalsResponseSchema,
    create(QueryProposalsResponseSchema, { proposals: [proposal] }),
  );
  const none = toBinary(QueryCurrentPlanResponseSchema, create(QueryCurrentPlanResponseSchema));
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += String(part);
    });
    request.on("end", () => {
      const value = Buffer.from(text.includes("CurrentPlan") ? none : proposals).toString("base64");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { response: { code: 0, value, height: "5" } } }));
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function report(change: object = {}): string {
  const file = join(folder, "report.json");
  const whole = {
    ...{ exit: 0, verdict: "would apply", chain_id: "c-1", plan: { ...A, height: "300" }, home: HOME },
    handler: { kind: "wasm", sha256: "1a".repeat(32), file: HANDLER },
    state: { height: "12", app_hash: "3C".repeat(32), block_height: "300" },
    applied: { app_hash: "2B".repeat(32) },
  };
  writeFileSync(file, JSON.stringify({ ...whole, ...change }));
  return file;
}

const rehearsal = (plans?: NamedPlans) => ({ plan: "v2", home: HOME, plansNamed: async () => plans });
const messageOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
};
const attest = async (...args: string[]) => {
  const from = ["--from", encodeAddress(new Uint8Array(20).fill(9)), "--chain-id", "c-1", "--home", HOME];
  const node = ["--node", await proposingNode(), "--generate-only"];
  return messageOf(() => runHere("tx", "upgrade", "attest", "v2", ...args, ...from, ...node));
};
const FINDINGS = { exit: 1, verdict: "would apply with findings", findings: [{ check: "supply", message: "less" }] };

describe("tx upgrade attest, a report with findings", () => {
  test("of a proposed plan → its file, its handler and the state that it began with", async () => {
    const message = await attest("--rehearsal", report(FINDINGS));
    expect(message).toContain(
      `${REHEARSE} --accept supply --plan FILE --handler ${HANDLER}\`, with the file ${FILE_A}, makes one that can be attested`,
    );
    expect(message).toContain("; --at 12 begins with the same state");
  });

  test("of the scheduled plan → no file; of no known plan → the file of the report's plan, which is right either way", async () => {
    const file = report({
      ...FINDINGS,
      handler: { kind: "wasm", sha256: "1a".repeat(32), file: `${HOME}/handlers/v2.wasm` },
    });
    const scheduled = { isScheduled: true, plans: [A] } as const;
    expect(await messageOf(() => appliedReport(file, rehearsal(scheduled)))).toContain(
      `${REHEARSE} --accept supply\` makes one`,
    );
    expect(await messageOf(() => appliedReport(file, rehearsal()))).toContain(
      `${REHEARSE} --accept supply --plan FILE\`, with the file ${FILE_A}, makes one`,
    );
  });
});

describe("tx upgrade attest --rehearsal, and the home keeps none", () => {
  test("a proposed plan → the files of both proposals, and the flags that were given", async () => {
    expect(await attest("--rehearsal", "--handler", HANDLER, "--at", "12", "--app-hash", "2B".repeat(32))).toContain(
      `${REHEARSE} --plan FILE --handler ${HANDLER} --at 12\`, with the file ${FILE_A} or ${FILE_B}, makes one, --rehearsal FILE`,
    );
  });
});

describe("requireOwn(), two proposals of one name", () => {
  test.each([
    [
      "another height",
      { height: "9" },
      'a plan "v2" at height 9, and those that are proposed are at 300 and 500',
      `${FILE_A} or ${FILE_B}`,
    ],
    ["the second one's height, other info", { height: "500" }, "with other info than the one that is proposed", FILE_B],
  ])("%s → what differs, and the files to rehearse", async (_what, plan, words, files) => {
    const state = { height: "5", app_hash: "3C".repeat(32), block_height: plan.height };
    const file = report({ plan: { ...A, ...plan }, state });
    const read = await appliedReport(file, rehearsal(PROPOSED));
    const message = await messageOf(() => requireOwn(read, { plans: PROPOSED }, HOME));
    expect(message).toContain(words);
    expect(message).toContain(`--plan FILE --handler ${HANDLER}\`, with the file ${files}, makes one`);
  });

  test("the second one → attested", async () => {
    const state = { height: "5", app_hash: "3C".repeat(32), block_height: "500" };
    const read = await appliedReport(report({ plan: { ...B, height: "500" }, state }), rehearsal(PROPOSED));
    requireOwn(read, { plans: PROPOSED }, HOME);
  });
});
