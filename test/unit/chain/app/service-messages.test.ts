/** defineChain() refuses a module that leaves out a message of its `service Msg`. */
import { create, createFileRegistry } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import { exampleChain } from "../../../example-chain.js";
import { failureOf } from "../../../scenario/chain.js";

const { modules } = exampleChain;

test("a message of `service Msg` that no module lists → UPG_INVALID_ARGUMENT with the service, the message and what to do", () => {
  const without = (typeUrl: string) =>
    modules.map((module) => ({
      ...module,
      messages: (module.messages ?? []).filter((kind) => kind.typeUrl !== typeUrl),
    }));
  const error = failureOf(() => defineChain({ name: "halfd", modules: without("/cosmos.gov.v1.MsgVote") }));
  expect(error).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(error.message).toBe(
    'defineChain: cosmos.gov.v1.Msg declares Vote, and module "gov" does not list cosmos.gov.v1.MsgVote: add ' +
      "messageKind({ schema: MsgVoteSchema, … }) to its messages, or remove the rpc from the .proto file",
  );
});

test("no message of a file with a `service Msg` is listed, and its queries are → UPG_INVALID_ARGUMENT", () => {
  const file = createFileRegistry(
    create(FileDescriptorSetSchema, {
      file: [
        create(FileDescriptorProtoSchema, {
          ...{ name: "n.proto", package: "n.v1", syntax: "proto3", messageType: [{ name: "MsgAdd" }] },
          service: [{ name: "Msg", method: [{ name: "Add", inputType: ".n.v1.MsgAdd", outputType: ".n.v1.MsgAdd" }] }],
        }),
      ],
    }),
  ).getFile("n.proto");
  const notes = { name: "notes", consensusVersion: 1n, files: file ? [file] : [] };
  const error = failureOf(() => defineChain({ name: "noted", modules: [...modules, notes] }));
  expect(error.message).toContain('n.v1.Msg declares Add, and module "notes" does not list n.v1.MsgAdd');
});
