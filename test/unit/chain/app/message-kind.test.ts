/** messageKind(): who signs a message, by its .proto file or by its module. */
import { create, createFileRegistry, type DescMessage, setExtension } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MessageOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { MsgSendResponseSchema, MsgSendSchema } from "../../../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { signer as signerOption } from "../../../../host/base/gen/cosmos/msg/v1/msg_pb.js";
import { messageKind } from "../../../../host/chain/app/tx/message-kind.js";
import { failureOf } from "../../../scenario/chain.js";

/** A message with a text `from_account`, a text `to` and a number `amount`, whose option names these signers. */
function describedMessage(...signers: string[]): DescMessage {
  const options = create(MessageOptionsSchema);
  if (signers.length > 0) setExtension(options, signerOption, signers);
  const field = (name: string, number: number, type: Type) => ({ name, number, type, label: 1 });
  const fields = [field("from_account", 1, Type.STRING), field("to", 2, Type.STRING), field("amount", 3, Type.UINT64)];
  const file = create(FileDescriptorProtoSchema, {
    name: "t.proto",
    package: "t.v1",
    syntax: "proto3",
    messageType: [{ name: "MsgPay", field: fields, options }],
  });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage("t.v1.MsgPay") as DescMessage;
}

const kindOf = (schema: DescMessage, signer?: string) =>
  messageKind<DescMessage, DescMessage>({
    schema,
    response: MsgSendResponseSchema,
    ...(signer === undefined ? {} : { signer: signer as "$typeName" }),
    run: () => undefined,
  });

test("a message whose .proto file names its signer → read from there; the same given once more → as well", () => {
  expect(
    messageKind({ schema: MsgSendSchema, response: MsgSendResponseSchema, run: () => undefined }).signer.name,
  ).toBe("from_address");
  for (const given of [undefined, "fromAccount"]) {
    const kind = kindOf(describedMessage("from_account"), given);
    expect(kind.signer.name).toBe("from_account");
    expect(kind.read(Uint8Array.of(0x0a, 1, 0x61, 0x12, 1, 0x62)).signer).toBe("a");
  }
});

test("a message whose .proto file names none → that which the module gives", () => {
  const kind = kindOf(describedMessage(), "to");
  expect(kind.signer.name).toBe("to");
  expect(kind.read(Uint8Array.of(0x0a, 1, 0x61, 0x12, 1, 0x62)).signer).toBe("b");
});

test.each([
  ["none at all", describedMessage(), undefined, "names no signer"],
  ["two", describedMessage("from_account", "to"), undefined, "names 2 signers, from_account and to"],
  ["one, and the module another", describedMessage("from_account"), "to", "has the signer fromAccount by its .proto"],
  ["a number", describedMessage("amount"), undefined, 'has no text "amount"'],
  ["one that is absent", describedMessage("payer"), undefined, 'has no text "payer"'],
  ["none, and the module an absent one", describedMessage(), "payer", 'has no text "payer"'],
])("a message that names as its signer %s → UPG_INVALID_ARGUMENT", (_, schema, given, text) => {
  const error = failureOf(() => kindOf(schema, given));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(error.message).toContain(text);
});

test("a message whose run or check returns a promise → UPG_INVALID_ARGUMENT by its name", () => {
  const later = () => Promise.resolve() as never;
  const options = { schema: MsgSendSchema, response: MsgSendResponseSchema };
  const bytes = Uint8Array.of();
  const says = (where: string) => ({
    code: "UPG_INVALID_ARGUMENT",
    message: `${where} returned a promise; it is synchronous`,
  });
  const running = messageKind({ ...options, run: later as never }).read(bytes);
  expect(failureOf(() => running.run({} as never))).toMatchObject(says("/cosmos.bank.v1beta1.MsgSend"));
  const checking = messageKind({ ...options, run: () => undefined, check: later }).read(bytes);
  expect(failureOf(() => checking.check({} as never))).toMatchObject(says("the check of /cosmos.bank.v1beta1.MsgSend"));
});

test("a misspelt option → UPG_INVALID_ARGUMENT with the one that was probably meant", () => {
  const options = {
    schema: MsgSendSchema,
    response: MsgSendResponseSchema,
    run: () => undefined,
    chek: () => undefined,
  };
  const error = failureOf(() => messageKind(options));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining('mean "check"?') });
});

const valid = { schema: MsgSendSchema, response: MsgSendResponseSchema, run: () => undefined };

test.each([
  ["nothing", undefined, "give { schema"],
  ["no schema", { ...valid, schema: undefined }, "schema is missing"],
  ["no response", { ...valid, response: undefined }, "cosmos.bank.v1beta1.MsgSend: response is missing"],
  ["a schema that is no message", { ...valid, schema: "MsgSend" }, "schema is no message"],
  ["no run", { schema: valid.schema, response: valid.response }, "MsgSend has no function run"],
  ["a run that is no function", { ...valid, run: 1 }, "MsgSend: run is no function, it is number"],
  ["an async check", { ...valid, check: async () => undefined }, "MsgSend: check is async"],
])("a program without types that gives %s → UPG_INVALID_ARGUMENT that names it", (_, options, named) => {
  const error = failureOf(() => messageKind(options as typeof valid));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(named) });
});
