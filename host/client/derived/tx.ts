/** `tx <module> <message>` for modules without commands of their own: read from the descriptors of their messages. */
import {
  create,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { messageFromJson } from "../../chain/query/message-json.js";
import type { MessageKind } from "../../chain/tx/message-kind.js";
import { messageOf } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";
import type { Output } from "../../shell/output.js";
import { programChain } from "../../shell/program-chain.js";
import { usage } from "../../usage.js";
import { messageRegistry } from "../message-json.js";
import { addTxFlags, type TxFlags } from "../tx/flags.js";
import { addFieldFlags, fieldNames, type Json, jsonOfFlags, kebab } from "./fields.js";

/** Adds a group for each module of the chain that has messages for accounts and whose name is free. */
export function registerDerivedTxs(tx: Cobra, output: Output): void {
  const taken = new Set(tx.commands.map((command) => command.name()));
  for (const { name, messages = [] } of programChain().modules) {
    const signed = messages.filter(({ isForGovernance }) => !isForGovernance);
    if (signed.length === 0 || taken.has(kebab(name))) continue;
    const group = tx.command(kebab(name)).summary(`Transactions of the ${name} module`);
    group.description(`Transactions subcommands for the ${name} module`).group();
    for (const kind of signed) registerMessage(group, kind, output);
  }
}

function registerMessage(group: Cobra, kind: MessageKind, output: Output): void {
  const { schema } = kind;
  const signer = signerField(kind);
  const command = addTxFlags(group.command(kebab(schema.name.replace(/^Msg(?=[A-Z])/, ""))));
  const flags = addFieldFlags(
    command,
    schema.fields.filter((field) => field !== signer),
  );
  const own = signer ? ` --from is its ${signer.name}, which signs.` : "";
  command
    .summary(`Send ${schema.typeName}`)
    .description(`Signs and sends ${schema.typeName}, which has ${fieldNames(schema)}.${own}`)
    .action(async (_: unknown, self: Cobra) => {
      const given = self.optsWithGlobals<TxFlags & Json>();
      const json = jsonOfFlags(flags, given);
      packed(schema, json);
      const { send } = await import("../tx/send.js");
      await send(given, output, ({ address }) => [
        packed(schema, signer ? { ...json, [signer.jsonName]: address } : json),
      ]);
    });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function packed(schema: DescMessage, json: Json) {
  try {
    const value = toBinary(schema, messageFromJson(messageRegistry(), schema, json));
    return { $typeName: "google.protobuf.Any" as const, typeUrl: `/${schema.typeName}`, value };
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

/** The field that names the signer: of a message whose texts are their own names, the one that the kind reads. */
function signerField({ schema, read }: Pick<MessageKind, "schema" | "read">): DescField | undefined {
  const texts = schema.fields.filter((field) => field.fieldKind === "scalar" && field.scalar === ScalarType.STRING);
  const names = Object.fromEntries(texts.map(({ localName }) => [localName, localName]));
  try {
    const { signer } = read(toBinary(schema, create(schema, names as MessageInitShape<DescMessage>)));
    return texts.find(({ localName }) => localName === signer);
  } catch {
    return undefined;
  }
}
