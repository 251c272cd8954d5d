/** What the relay reads of messages, beside the generated code. */
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { QueryCurrentPlanResponseSchema } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { RequestSchema, ResponseSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import * as message from "../../../../host/visor/hot/abci-message.js";

type RequestValue = NonNullable<MessageInitShape<typeof RequestSchema>["value"]>;
type ResponseValue = NonNullable<MessageInitShape<typeof ResponseSchema>["value"]>;
const request = (value: RequestValue) => toBinary(RequestSchema, create(RequestSchema, { value }));
const response = (value: ResponseValue) => toBinary(ResponseSchema, create(ResponseSchema, { value }));
const HASH = new Uint8Array(32).fill(7);
const TX = new Uint8Array(300).fill(1);

describe("message", () => {
  test("every request → its number and name; its response → one more; bytes that are none → 0", () => {
    for (const field of RequestSchema.fields) {
      const bytes = request({ case: field.localName, value: {} } as RequestValue);
      expect(message.messageNumber(bytes)).toBe(field.number);
      expect(message.requestName(field.number).toLowerCase()).toBe(field.localName.toLowerCase());
      expect(message.messageNumber(response({ case: field.localName, value: {} } as ResponseValue))).toBe(
        field.number + 1,
      );
    }
    for (const bytes of [[], [0], [0x80], [0x80, 0x80, 0x01], [0x08, 0x01]])
      expect(message.messageNumber(Uint8Array.from(bytes))).toBe(0);
  });

  test("places, heights, hashes, checks, exceptions, plans → as the generated code has them", () => {
    const info = { lastBlockHeight: 300n, lastBlockAppHash: HASH, data: "x" };
    expect(message.lastBlockOfInfo(response({ case: "info", value: info }))).toEqual({ height: 300n, appHash: HASH });
    expect(message.lastBlockOfInfo(response({ case: "info", value: {} }))).toEqual({
      height: 0n,
      appHash: new Uint8Array(),
    });
    expect(message.heightOfBlock(request({ case: "finalizeBlock", value: { height: 9n, txs: [TX, TX] } }))).toBe(9n);
    expect(
      message.appHashOf(response({ case: "finalizeBlock", value: { appHash: HASH, txResults: [{ code: 5 }] } })),
    ).toEqual(HASH);
    expect(message.appHashOf(response({ case: "initChain", value: { appHash: HASH } }))).toEqual(HASH);
    expect(message.isRecheck(request({ case: "checkTx", value: { tx: TX, type: 1 } }))).toBe(true);
    expect(message.isRecheck(request({ case: "checkTx", value: { tx: TX } }))).toBe(false);
    expect(message.exceptionText(response({ case: "exception", value: { error: "no" } }))).toBe("no");
    const plan = (name: string) => {
      const value = toBinary(
        QueryCurrentPlanResponseSchema,
        create(QueryCurrentPlanResponseSchema, { plan: { name, height: 70n } }),
      );
      return response({ case: "query", value: { key: TX, value, height: 1n } });
    };
    expect(message.planOf(plan("v2"))).toEqual({ name: "v2", height: 70n, info: "" });
    expect(message.planOf(response({ case: "query", value: { code: 1, log: "no" } }))).toBeUndefined();
  });

  test("messages of the relay's own → the generated code's bytes", () => {
    expect(message.FLUSH).toEqual(request({ case: "flush", value: {} }));
    expect(message.COMMITTED).toEqual(response({ case: "commit", value: {} }));
    expect(message.STILL_VALID).toEqual(response({ case: "checkTx", value: {} }));
    const refused = { code: 1, log: "no", codespace: "sdk" };
    expect(message.failed(message.REQUEST.query, "no")).toEqual(response({ case: "query", value: refused }));
    expect(message.failed(message.REQUEST.checkTx, "no")).toEqual(response({ case: "checkTx", value: refused }));
  });
});
