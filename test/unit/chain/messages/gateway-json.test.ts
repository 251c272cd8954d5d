/** Single values as the Cosmos SDK's gateway writes them (gogoproto's jsonpb); whole answers are compared over REST. */
import { create, createRegistry, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack, DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { CoinSchema } from "../../../../host/base/gen/cosmos/base/v1beta1/coin_pb.js";
import { MsgVoteSchema } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { GatewayJson } from "../../../../host/chain/messages/gateway-json.js";

const writer = new GatewayJson(createRegistry(CoinSchema, AnySchema, DurationSchema));
const coin = create(CoinSchema, { denom: "a<b>&c\u2028\u2029", amount: "7" });

/** `Any` inside `Any`, so many times; the innermost holds a coin. */
function nested(depth: number): Any {
  let any = anyPack(CoinSchema, coin);
  for (let at = 0; at < depth; at++) any = anyPack(AnySchema, any);
  return any;
}

describe("GatewayJson.write()", () => {
  test.each([
    [0n, 0, "0s"],
    [172_800n, 0, "172800s"],
    [1n, 1, "1.000000001s"],
    [1n, 500_000_000, "1.500s"],
    [1n, 1_500_000, "1.001500s"],
    [0n, 100, "0.000000100s"],
    [-1n, -500_000_000, "-1.500s"],
    [0n, -1, "-0.000000001s"],
  ])("a duration of %s s and %s ns → %s", (seconds, nanos, text) => {
    expect(writer.write(DurationSchema, create(DurationSchema, { seconds, nanos }))).toBe(JSON.stringify(text));
  });

  test.each([
    [0n, 0, "1970-01-01T00:00:00Z"],
    [1_700_000_000n, 120_000_000, "2023-11-14T22:13:20.120Z"],
    [1_700_000_000n, 1, "2023-11-14T22:13:20.000000001Z"],
    [1_700_000_000n, 1_000, "2023-11-14T22:13:20.000001Z"],
  ])("a time of %s s and %s ns → %s", (seconds, nanos, text) => {
    expect(writer.write(TimestampSchema, create(TimestampSchema, { seconds, nanos }))).toBe(JSON.stringify(text));
  });

  test("characters that end a script in HTML → escaped, as Go's encoder does", () => {
    expect(writer.write(CoinSchema, coin)).toBe('{"denom":"a\\u003cb\\u003e\\u0026c\\u2028\\u2029","amount":"7"}');
  });

  test("an enumeration → its name; a number that has none → the number", () => {
    const vote = (option: number) => writer.write(MsgVoteSchema, create(MsgVoteSchema, { option }));
    expect(vote(1)).toContain('"option":"VOTE_OPTION_YES"');
    expect(vote(99)).toContain('"option":99');
  });

  test("an Any of a known type → its fields; of what has no fields → value; unknown or damaged → its bytes", () => {
    const any = (message: Any) => JSON.parse(writer.write(AnySchema, message)) as unknown;
    expect(any(anyPack(CoinSchema, coin))).toEqual({
      "@type": "type.googleapis.com/cosmos.base.v1beta1.Coin",
      ...json(),
    });
    const duration = anyPack(DurationSchema, create(DurationSchema, { seconds: 3n }));
    expect(any(duration)).toEqual({ "@type": "type.googleapis.com/google.protobuf.Duration", value: "3s" });
    const unknown = create(AnySchema, { typeUrl: "/no.such.Type", value: Uint8Array.of(1, 2) });
    expect(any(unknown)).toEqual({ "@type": "/no.such.Type", value: "AQI=" });
    const cut = create(AnySchema, { typeUrl: "/cosmos.base.v1beta1.Coin", value: Uint8Array.of(10, 9) });
    expect(any(cut)).toEqual({ "@type": "/cosmos.base.v1beta1.Coin", value: "Cgk=" });
  });

  test("an Any in sixteen others → opened up to the sixteenth, the rest are bytes", () => {
    expect(writer.write(AnySchema, nested(15))).toContain('"denom"');
    const deep = writer.write(AnySchema, nested(16));
    expect(deep).not.toContain('"denom"');
    expect(deep).toContain(Buffer.from(toBinary(CoinSchema, coin)).toString("base64"));
  });
});

function json(): object {
  return { denom: coin.denom, amount: coin.amount };
}
