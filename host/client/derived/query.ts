/** `query <module> <method>` for modules without commands of their own: read from the descriptors of their services. */
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { messageFromJson } from "../../chain/query/message-json.js";
import { messageOf } from "../../errors.js";
import type { Cobra } from "../../shell/cobra.js";
import { parseUint64 } from "../../shell/options.js";
import type { Output } from "../../shell/output.js";
import { programChain } from "../../shell/program-chain.js";
import { usage } from "../../usage.js";
import { ask } from "../../wallet/ask.js";
import { addQueryFlags, type QueryFlags, rpcClient } from "../flags.js";
import { messageJson, messageRegistry } from "../message-json.js";
import {
  addFieldFlags,
  type FieldFlag,
  fieldJson,
  fieldNames,
  type Json,
  jsonOfFlags,
  kebab,
  PAGE_REQUEST,
} from "./fields.js";

/** Adds a group for each module of the chain that has queries and whose name is free. */
export function registerDerivedQueries(query: Cobra, output: Output): void {
  const taken = new Set(query.commands.map((command) => command.name()));
  for (const { name, queries = [] } of programChain().modules) {
    if (queries.length === 0 || taken.has(kebab(name))) continue;
    const group = query.command(kebab(name)).summary(`Queries of the ${name} module`);
    group.description(`Querying commands for the ${name} module`).group();
    const methods = new Map(
      queries.flatMap(({ descriptor }) => descriptor.methods.map((method) => [kebab(method.name), method])),
    );
    for (const [word, method] of methods) registerMethod(group, word, method, output);
  }
}

function registerMethod(group: Cobra, word: string, method: DescMethod, output: Output): void {
  const command = addQueryFlags(group.command(word));
  command
    .summary(`Query ${method.parent.typeName}/${method.name}`)
    .description(
      `Asks ${method.parent.typeName}/${method.name}.\n` +
        `The request has ${fieldNames(method.input)}; the answer has ${fieldNames(method.output)}.`,
    );
  const { fields } = method.input;
  const words: readonly DescField[] = fields.filter(
    (field) => field.fieldKind === "scalar" || field.fieldKind === "enum",
  );
  for (const field of words) command.argument(`[${kebab(field.name)}]`);
  const page = fields.find((field) => field.message?.typeName === PAGE_REQUEST);
  const flags = addFieldFlags(
    command,
    fields.filter((field) => !words.includes(field) && field !== page),
  );
  if (page) addPageFlags(command);
  command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as QueryFlags & Json;
    const request = requestOf(method, { words, given, flags, options, page });
    const answer = await ask(rpcClient(options), method, request, options.height);
    output.print(messageJson(method.output, answer));
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
function requestOf({ input }: DescMethod, { words, given, flags, options, page }: Given) {
  const json = jsonOfFlags(flags, options);
  words.forEach((field, at) => {
    const word = given[at];
    if (typeof word === "string") json[field.jsonName] = wordJson(field, word);
  });
  if (page) json[page.jsonName] = pageJson(options);
  try {
    return messageFromJson(messageRegistry(), input, json);
  } catch (cause) {
    throw usage(messageOf(cause));
  }
}

function wordJson(field: DescField, word: string): unknown {
  return word === "true" || word === "false" ? JSON.parse(word) : fieldJson(field, word);
}

function addPageFlags(command: Cobra): void {
  command
    .option("--limit <uint>", "at most so many", parseUint64, 100n)
    .option("--offset <uint>", "leave out the first so many", parseUint64, 0n)
    .option("--page-key <base64>", "next_key of the page before, in place of --offset")
    .option("--count-total", "count them all")
    .option("--reverse", "the last first");
}

function pageJson({ limit, offset, pageKey, countTotal, reverse }: Json): Json {
  return {
    ...{ limit: String(limit), offset: String(offset), countTotal: countTotal === true, reverse: reverse === true },
    ...(typeof pageKey === "string" ? { key: pageKey } : {}),
  };
}
