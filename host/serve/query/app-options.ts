/**
 * `cosmos.autocli.v1`: the commands that a client without a chain's program makes for its services. All of it is read from the
 * list of modules: their query services, and the Msg services of the .proto files that declare their messages.
 */
import {
  create,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  type ServiceCommandDescriptor as Commands,
  type ModuleOptionsSchema,
  type RpcCommandOptionsSchema,
  ServiceCommandDescriptorSchema,
} from "../../base/gen/cosmos/autocli/v1/options_pb.js";
import { Query } from "../../base/gen/cosmos/autocli/v1/query_pb.js";
import { service as isMsgService } from "../../base/gen/cosmos/msg/v1/msg_pb.js";
import { http } from "../../base/gen/google/api/annotations_pb.js";
import { kebab } from "../../base/text/text.js";
import type { MessageKind } from "../../chain/app/context.js";
import type { Module } from "../../chain/app/module.js";
import { implementOfNode, type QueryService } from "../../chain/app/query/service.js";

type CommandOptions = MessageInitShape<typeof RpcCommandOptionsSchema>;
type Messages = ReadonlyMap<string, MessageKind>;

/** @param isServed whether a node serves a module's query service */
export function appOptionsService(
  modules: readonly Module[],
  isServed: (service: DescService) => boolean,
): QueryService {
  const moduleOptions: Record<string, MessageInitShape<typeof ModuleOptionsSchema>> = {};
  for (const { name, messages = [], queries = [] } of modules) {
    const kinds: Messages = new Map(messages.map((kind) => [kind.schema.typeName, kind]));
    const services = queries.map(({ descriptor }) => descriptor).filter(isServed);
    const tx = commandsOf(messageServices(messages), (method) => messageCommand(method, kinds));
    const query = commandsOf(services, queryCommand);
    if (tx || query) moduleOptions[name] = { ...(tx ? { tx } : {}), ...(query ? { query } : {}) };
  }
  return implementOfNode(Query, { appOptions: () => ({ moduleOptions }) });
}

/** Services whose methods are messages, of the files that declare these. */
function messageServices(messages: readonly MessageKind[]): DescService[] {
  const services = new Set(messages.flatMap(({ schema }) => schema.file.services));
  return [...services].filter((service) => getOption(service, isMsgService));
}

/** The first service's commands are the module's own; those of each further one are in a group named like its package. */
function commandsOf(
  services: readonly DescService[],
  optionsOf: (method: DescMethod) => CommandOptions,
): Commands | undefined {
  const commands = services.map((service) => ({
    name: service.file.proto.package.replaceAll(".", "-"),
    group: create(ServiceCommandDescriptorSchema, {
      service: service.typeName,
      rpcCommandOptions: service.methods.map(optionsOf),
    }),
  }));
  const [first, ...others] = commands;
  for (const { name, group } of others) if (first) first.group.subCommands[name] = group;
  return first?.group;
}

const PATH_FIELD = /\{(\w+)\}/g;

/**
 * What a route has in its path is an argument, in the order of the request's fields; what it has besides is a flag. The last
 * argument may be left out where another route of the method lacks it.
 */
function queryCommand(method: DescMethod): CommandOptions {
  const [fields = [], ...others] = pathsOf(method).map((path) =>
    method.input.fields.filter(({ name }) => path.has(name)),
  );
  const last = fields.at(-1);
  const isOptional = last !== undefined && others.some((other) => !other.includes(last));
  return {
    rpcMethod: method.name,
    use: [kebab(method.name), ...fields.map(({ name }) => `[${kebab(name)}]`)].join(" "),
    short: `Query ${method.parent.typeName}/${method.name}`,
    positionalArgs: fields.map((field) => ({ protoField: field.name, optional: isOptional && field === last })),
  };
}

/** Names of the fields in the path of each route. */
function pathsOf(method: DescMethod): ReadonlySet<string>[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map(({ pattern }) => {
    const path = pattern.case === "get" ? pattern.value : "";
    return new Set([...path.matchAll(PATH_FIELD)].map(([, name = ""]) => name));
  });
}

function messageCommand({ name, input }: DescMethod, kinds: Messages): CommandOptions {
  const kind = kinds.get(input.typeName);
  if (!kind) return { rpcMethod: name, skip: true };
  if (!kind.isForGovernance) return { rpcMethod: name, use: kebab(name), short: `Send ${input.typeName}` };
  const short = `Submit a proposal that holds ${input.typeName}`;
  return { rpcMethod: name, use: `${kebab(name)}-proposal`, short, govProposal: true };
}
