import { create, createFileRegistry, type DescMessage, setExtension } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  MessageOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { messageOf } from "../../../../host/base/errors/errors.js";
import { MsgVoteSchema } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { file_cosmos_msg_v1_msg, signer } from "../../../../host/base/gen/cosmos/msg/v1/msg_pb.js";
import { WireWriter } from "../../../../host/base/wire/wire.js";
import { checkStrictly } from "../../../../host/chain/messages/strict.js";

/** A message of a module of others, with one text: its signer, where the option says so. */
function noteMessage(field: string, isSigner: boolean): DescMessage {
  const options = create(MessageOptionsSchema);
  if (isSigner) setExtension(options, signer, [field]);
  const text = { type: FieldDescriptorProto_Type.STRING, label: FieldDescriptorProto_Label.OPTIONAL };
  const file = create(FileDescriptorProtoSchema, {
    name: "notes.proto",
    package: "notes",
    syntax: "proto3",
    dependency: [file_cosmos_msg_v1_msg.proto.name],
    messageType: [{ name: "MsgAddNote", field: [{ name: field, number: 1, ...text }], options }],
  });
  const registry = createFileRegistry(file, () => file_cosmos_msg_v1_msg);
  return registry.getMessage("notes.MsgAddNote") as DescMessage;
}

function refusalOf(desc: DescMessage, number: number): string {
  const bytes = new WireWriter().bytes(number, Uint8Array.of(0x63, 0xff, 0x31)).finish();
  try {
    checkStrictly(bytes, desc, { resolve: () => undefined, mayHoldNotCritical: false });
    return "none";
  } catch (error) {
    return messageOf(error);
  }
}

test("a signer that is not UTF-8 → refused as an address, whatever its field is called", () => {
  const voter = refusalOf(MsgVoteSchema, 2);
  expect(voter).toContain("decoding bech32 failed");
  expect(refusalOf(noteMessage("author", true), 1)).toBe(voter);
  expect(refusalOf(noteMessage("voter", true), 1)).toBe(voter);
  expect(refusalOf(noteMessage("voter", false), 1)).toBe("field voter of notes.MsgAddNote is not UTF-8");
});
