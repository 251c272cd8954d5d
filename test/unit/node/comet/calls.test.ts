/** What is served beside the thread that makes blocks. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RequestInfoSchema, RequestSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { answerBeside, type SidePort } from "../../../../host/node/comet/calls.js";
import { encodeResponse } from "../../../../host/node/comet/messages.js";

const refused = () => {
  throw new Error("not asked");
};
const NOBODY: SidePort = { checkTx: refused, query: refused };

async function ask(value: NonNullable<MessageInitShape<typeof RequestSchema>["value"]>) {
  const { value: call } = create(RequestSchema, { value });
  if (call.case === undefined) throw new Error("no call");
  const answer = await answerBeside(NOBODY, call);
  return answer && { case: answer.case, bytes: Buffer.from(encodeResponse(answer)).toString("hex") };
}

test.each([1n, 7n])(
  "answerBeside() of proposals without transactions for block %d → empty, accepted",
  async (height) => {
    expect(await ask({ case: "prepareProposal", value: { height, maxTxBytes: 5n } })).toEqual({
      case: "prepareProposal",
      bytes: "8a0100",
    });
    expect(await ask({ case: "processProposal", value: { height } })).toEqual({
      case: "processProposal",
      bytes: "9201020801",
    });
  },
);

test("answerBeside() of info → from what is beside the application; undefined there → the application is asked", async () => {
  const info = { name: "a", version: "b", appVersion: 2n, lastHeight: 7n, lastAppHash: Uint8Array.of(1) };
  const call = { case: "info" as const, value: create(RequestInfoSchema) };
  expect(await answerBeside({ ...NOBODY, info: () => info }, call)).toMatchObject({
    case: "info",
    value: { data: "a", appVersion: 2n, lastBlockHeight: 7n },
  });
  expect(await answerBeside({ ...NOBODY, info: () => undefined }, call)).toBeUndefined();
  expect(await answerBeside(NOBODY, call)).toBeUndefined();
});

test.each(["prepareProposal", "processProposal"] as const)(
  "answerBeside() of %s with a transaction, of no bytes even → the application decides",
  async (name) => {
    expect(await ask({ case: name, value: { height: 1n, txs: [new Uint8Array(0)] } })).toBeUndefined();
  },
);
