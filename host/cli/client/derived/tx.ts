/** `tx <module> <message>`, where it has no command written by hand: read from the descriptors of the messages. */

import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import { messageOf } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { usage } from "../../../base/terminal/usage.js";
import { kebab } from "../../../base/text/text.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { MessageKind } from "../../../chain/app/context.js";
import { messageFromJson } from "../../../chain/messages/message-json.js";
import type { Context } from "../../flags/context.js";
import { messageRegistry } from "../message-json.js";
import { addTxFlags, type TxFlags } from "../tx/flags.js";
import { addFieldFlags, fieldNames, type Json, jsonOfFlags, requireEnums } from "./fields.js";
import { commandNames, groupOf } from "./groups.js";

/** Adds a command for each message of the chain's modules that accounts sign and whose name is free; the first counts. */
export function registerDerivedTxs(tx: Cobra, context: Context): void {
  const { chain } = context;
  for (const { name, messages = [] } of chain.modules) {
    const signed = messages.filter(({ isForGovernance }) => !isForGovernance);
    if (signed.length === 0) continue;
    const about = `Transactions subcommands for the ${name} module`;
    const group = groupOf(tx, kebab(name), `Transactions of the ${name} module`, about);
    for (const kind of signed) if (!commandNames(group).has(wordOf(kind))) registerMessage(group, kind, context);
  }
}

const wordOf = ({ schema }: MessageKind) => kebab(schema.name.replace(/^Msg(?=[A-Z])/, ""));

function registerMessage(group: Cobra, kind: MessageKind, context: Context): void {
  const { chain } = context;
  const { schema, signer, signerAddresses } = kind;
  const command = addTxFlags(group.command(wordOf(kind)));
  const flags = addFieldFlags(
    command,
    schema.fields.filter((field) => field !== signer),
  );
  command
    .summary(`Send ${schema.typeName}`)
    .description(
      `Signs and sends ${schema.typeName}, which has ${fieldNames(schema)}. --from is its ${signer.name}, which signs.`,
    )
    .action(async (_: unknown, self: Cobra) => {
      const given = self.optsWithGlobals<TxFlags & Json>();
      const json = jsonOfFlags(chain, flags, given);
      requireEnums(flags, given);
      packed(chain, schema, json);
      const { send } = await import("../tx/send.js");
      await send(given, context, ({ address }) => {
        const { addresses } = chain;
        const text = signerAddresses(addresses).encode(addresses.decodeAny(address));
        return [packed(chain, schema, { ...json, [signer.jsonName]: text })];
      });
    });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function packed(chain: Chain, schema: DescMessage, json: Json) {
  try {
    const value = toBinary(schema, messageFromJson(messageRegistry(chain), schema, json));
    return { $typeName: "google.protobuf.Any" as const, typeUrl: `/${schema.typeName}`, value };
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}
