/** What senders leave out and the Cosmos SDK writes all the same. */
import { create, createRegistry, type DescMessage, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { MsgExecLegacyContentSchema } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { MsgSoftwareUpgradeSchema } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { SoftwareUpgradeProposalSchema } from "../../../../host/base/gen/cosmos/upgrade/v1beta1/upgrade_pb.js";
import { ZERO_TIME } from "../../../../host/base/time/time.js";
import { withZeroValues } from "../../../../host/chain/messages/zero-values.js";
import { pack as packed } from "../../../scenario/wallet.js";

const registry = createRegistry(MsgSoftwareUpgradeSchema, SoftwareUpgradeProposalSchema, MsgExecLegacyContentSchema);
const resolve = (typeUrl: string) => registry.getMessage(typeUrl.slice(1));
const pack = <S extends DescMessage>(schema: S, message: MessageInitShape<S>): Any =>
  create(AnySchema, packed(schema, message));

/** A message without a time, packed so many times. */
const nested = (depth: number): Any =>
  depth === 0
    ? pack(MsgSoftwareUpgradeSchema, { plan: {} })
    : pack(MsgExecLegacyContentSchema, { content: nested(depth - 1) });

describe("withZeroValues()", () => {
  test("a plan without a time → year 1; one with a time, and everything else, as it was", () => {
    const plan = { name: "v2", height: 5n, info: "i" };
    const filled = withZeroValues(pack(MsgSoftwareUpgradeSchema, { plan }), resolve);
    expect(fromBinary(MsgSoftwareUpgradeSchema, filled.value)).toMatchObject({ plan: { ...plan, time: ZERO_TIME } });
    expect(withZeroValues(filled, resolve)).toEqual(filled);
    const given = pack(MsgSoftwareUpgradeSchema, { plan: { ...plan, time: { seconds: 7n, nanos: 1 } } });
    expect(withZeroValues(given, resolve)).toEqual(given);
  });

  test("no plan at all → an empty one with the time, packed in a message too", () => {
    const content = pack(SoftwareUpgradeProposalSchema, { title: "t" });
    const { value } = withZeroValues(pack(MsgExecLegacyContentSchema, { content }), resolve);
    const filled = fromBinary(MsgExecLegacyContentSchema, value).content;
    expect(filled && anyUnpack(filled, SoftwareUpgradeProposalSchema)).toMatchObject({
      title: "t",
      plan: { name: "", time: ZERO_TIME },
    });
  });

  test("a type that is not known → the same message; packed 16 deep → the same, 15 deep → filled", () => {
    const unknown = create(AnySchema, { typeUrl: "/a.B", value: Uint8Array.of(1) });
    expect(withZeroValues(unknown, resolve)).toBe(unknown);
    expect(withZeroValues(nested(16), resolve)).toEqual(nested(16));
    expect(withZeroValues(nested(15), resolve)).not.toEqual(nested(15));
  });
});
