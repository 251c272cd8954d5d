/** defineChain(): what it takes from its options, and messages that no chain can have. */
import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { defineChain } from "../../../host/chain/define-chain.js";
import { messageKind } from "../../../host/chain/tx/message-kind.js";
import { MsgSendResponseSchema } from "../../../host/gen/cosmos/bank/v1beta1/tx_pb.js";
import { exampleChain } from "../../example-chain.js";
import { failureOf } from "../../scenario/chain.js";

const { modules } = exampleChain;

test("no prefix and no description → cosmos and a neutral text; both given → taken; a wrong prefix → UPG_INVALID_ARGUMENT", () => {
  const plain = defineChain({ name: "plaind", modules });
  expect([plain.addresses.prefix, plain.description]).toEqual([
    "cosmos",
    expect.stringContaining("program of a chain"),
  ]);
  const own = defineChain({ name: "ownd", modules, addressPrefix: "own", description: "Mine." });
  expect([own.addresses.operators.prefix, own.description]).toEqual(["ownvaloper", "Mine."]);
  const wrong = failureOf(() => defineChain({ name: "ownd", modules, addressPrefix: "Own" }));
  expect(wrong).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
});

/** `MsgTag { string author; Tags tags }` with `Tags { map<string, string> pairs }`. */
function messageWithMap(): DescMessage {
  const field = (name: string, number: number, typeName = "", label = 1) => ({
    ...{ name, number, label, typeName },
    type: typeName === "" ? Type.STRING : Type.MESSAGE,
  });
  const entry = { name: "PairsEntry", field: [field("key", 1), field("value", 2)], options: { mapEntry: true } };
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: "t.proto", package: "t.v1", syntax: "proto3" },
    messageType: [
      { name: "MsgTag", field: [field("author", 1), field("tags", 2, ".t.v1.Tags")] },
      { name: "Tags", field: [field("pairs", 1, ".t.v1.Tags.PairsEntry", 3)], nestedType: [entry] },
    ],
  });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage("t.v1.MsgTag") as DescMessage;
}

test("a message with a map anywhere in it → UPG_INVALID_ARGUMENT with its name", () => {
  const response = MsgSendResponseSchema;
  const signer = "author" as "$typeName";
  const kind = messageKind<DescMessage, DescMessage>({
    schema: messageWithMap(),
    response,
    signer,
    run: () => undefined,
  });
  const tags = { name: "tags", consensusVersion: 1n, messages: [kind] };
  const error = failureOf(() => defineChain({ name: "tagd", modules: [...modules, tags] }));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(error.message).toContain('the message t.v1.Tags has a map, "pairs"');
});
