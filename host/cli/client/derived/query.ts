/** `query <module> <method>`, where it has no command written by hand: read from the descriptors of the services. */

import { create, type DescField, type DescMethod, toJson } from "@bufbuild/protobuf";
import { messageOf } from "../../../base/errors/errors.js";
import { PageRequestSchema } from "../../../base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { usage } from "../../../base/terminal/usage.js";
import { kebab } from "../../../base/text/text.js";
import type { Chain } from "../../../chain/app/chain.js";
import { messageFromJson } from "../../../chain/messages/message-json.js";
import type { Context } from "../../flags/context.js";
import { ask } from "../../wallet/ask.js";
import { addQueryFlags, type QueryFlags, queryClient } from "../flags.js";
import { messageJson, messageRegistry } from "../message-json.js";
import { addPageFlags, pageRequest } from "../page-flags.js";
import {
  addFieldFlags,
  type FieldFlag,
  fieldJson,
  fieldNames,
  type Json,
  jsonOfFlags,
  PAGE_REQUEST,
} from "./fields.js";
import { commandNames, groupOf } from "./groups.js";

/** By module: methods that a command of another name asks; the Cosmos SDK has no command for the last of upgrade's either. */
export const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  auth: ["ModuleAccountByName"],
  bank: ["AllBalances"],
  gov: ["TallyResult"],
  upgrade: ["CurrentPlan", "AppliedPlan", "UpgradedConsensusState"],
};

/** Adds a command for each query of the chain's modules whose name is free; of several services the first counts. */
export function registerDerivedQueries(query: Cobra, context: Context): void {
  const { chain } = context;
  for (const { name, queries = [] } of chain.modules) {
    if (queries.length === 0) continue;
    const group = groupOf(
      query,
      kebab(name),
      `Queries of the ${name} module`,
      `Querying commands for the ${name} module`,
    );
    for (const method of queries.flatMap(({ descriptor }) => descriptor.methods)) {
      if (BY_HAND[name]?.includes(method.name)) continue;
      if (!commandNames(group).has(kebab(method.name))) registerMethod(group, kebab(method.name), method, context);
    }
  }
}

function registerMethod(group: Cobra, word: string, method: DescMethod, context: Context): void {
  const { chain } = context;
  const command = addQueryFlags(group.command(word));
  command
    .summary(`Query ${method.parent.typeName}/${method.name}`)
    .description(
      `Asks ${method.parent.typeName}/${method.name}.\n` +
        `The request has ${fieldNames(method.input)}; the response has ${fieldNames(method.output)}.`,
    );
  const { fields } = method.input;
  const words: readonly DescField[] = fields.filter(
    (field) => field.fieldKind === "scalar" || field.fieldKind === "enum",
  );
  for (const field of words) command.argument(`[${kebab(field.name)}]`);
  const page = fields.find((field) => field.message?.typeName === PAGE_REQUEST);
  if (page) addPageFlags(command);
  const flags = addFieldFlags(
    command,
    fields.filter((field) => !words.includes(field) && field !== page),
  );
  command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as QueryFlags & Json;
    const request = requestOf(chain, method, { words, given, flags, options, page });
    const answer = await ask(queryClient(options), method, request, options.height);
    await context.print(messageJson(chain, method.output, answer));
  });
}

interface Given {
  readonly words: readonly DescField[];
  readonly given: readonly unknown[];
  readonly flags: readonly FieldFlag[];
  readonly options: Json;
  readonly page: DescField | undefined;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function requestOf(chain: Chain, { input }: DescMethod, { words, given, flags, options, page }: Given) {
  const json = jsonOfFlags(chain, flags, options);
  words.forEach((field, at) => {
    const word = given[at];
    if (typeof word === "string") json[field.jsonName] = wordJson(chain, field, word);
  });
  if (page) json[page.jsonName] = toJson(PageRequestSchema, create(PageRequestSchema, pageRequest(options)));
  try {
    return messageFromJson(messageRegistry(chain), input, json);
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

function wordJson(chain: Chain, field: DescField, word: string): unknown {
  return word === "true" || word === "false" ? JSON.parse(word) : fieldJson(chain, field, word, kebab(field.name));
}
