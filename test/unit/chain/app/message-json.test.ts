import { fromBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { MsgSubmitProposalSchema } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { TxSchema } from "../../../../host/base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { messageFromJson } from "../../../../host/chain/messages/message-json.js";
import { exampleChain } from "../../../example-chain.js";

const upgrade = {
  "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade",
  authority: "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn",
  plan: { name: "v2", height: "5", time: "0001-01-01T00:00:00Z", upgraded_client_state: null },
};
const proposal = { "@type": "/cosmos.gov.v1.MsgSubmitProposal", messages: [upgrade], title: "T" };

const { registry } = exampleChain;

describe("messageFromJson()", () => {
  test("type URLs stay as they were written, in what is inside too", () => {
    const tx = messageFromJson(registry, TxSchema, { body: { messages: [proposal] } });
    const [outer] = tx.body?.messages ?? [];
    expect(outer?.typeUrl).toBe("/cosmos.gov.v1.MsgSubmitProposal");
    const inner = fromBinary(MsgSubmitProposalSchema, outer?.value ?? new Uint8Array());
    expect(inner.messages.map(({ typeUrl }) => typeUrl)).toEqual(["/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade"]);
  });

  test("a longer URL is written in the short form", () => {
    const any = messageFromJson(registry, AnySchema, {
      ...upgrade,
      "@type": "type.googleapis.com/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade",
    });
    expect(any.typeUrl).toBe("/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade");
  });

  test("an unknown field or name of an enum, at any depth → an error with its path", () => {
    const wrong = (json: object, message: string) =>
      expect(() => messageFromJson(registry, AnySchema, json, "m")).toThrow(message);
    wrong({ ...upgrade, more: 1 }, "m.more: cosmos.upgrade.v1beta1.MsgSoftwareUpgrade has no such field");
    wrong({ ...proposal, messages: [{ ...upgrade, plan: { nam: "v2" } }] }, "m.messages[0].plan.nam");
    wrong(
      { "@type": "/cosmos.gov.v1.MsgVote", option: "yes" },
      'm.option: cosmos.gov.v1.VoteOption has no value "yes"',
    );
  });

  test("an unknown type, a wrong field, messages too deep in one another → an error", () => {
    expect(() => messageFromJson(registry, AnySchema, { "@type": "/nope" })).toThrow("nope");
    expect(() => messageFromJson(registry, AnySchema, { ...upgrade, plan: 5 })).toThrow();
    let deep: object = upgrade;
    for (let i = 0; i < 20; i++) deep = { ...proposal, messages: [deep] };
    expect(() => messageFromJson(registry, AnySchema, deep)).toThrow("too deep");
  });
});
