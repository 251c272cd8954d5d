/** Services: protobuf descriptors with functions for their methods. */
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import { unknownName } from "../../../base/text/text.js";
import { defining } from "../../values/definition-errors.js";
import { requireMembers } from "../../values/members.js";
import type { NodeCall, QueryCall } from "./call.js";

type Typed = Omit<DescService, "method"> & { readonly method: Readonly<Record<string, DescMethod>> };

/** One function a method; what it returns is made into the method's message. */
type Handlers<S extends Typed, C> = {
  readonly [K in keyof S["method"]]: (
    request: MessageShape<S["method"][K]["input"]>,
    call: C,
  ) => MessageInitShape<S["method"][K]["output"]> | Promise<MessageInitShape<S["method"][K]["output"]>>;
};

interface Described {
  readonly descriptor: DescMethod;
  /** `/package.Service/Method` */
  readonly path: string;
}

/** Reads state at a height, or speaks of the node, before the first block too. */
export type QueryMethod =
  | (Described & {
      readonly isOfState: true;
      /** The answer follows from the request and the state of the height alone, so servers may keep it for that height. */
      readonly isKept: boolean;
      run(request: Message, call: QueryCall): Promise<Message>;
    })
  | (Described & {
      readonly isOfState: false;
      readonly isKept: false;
      run(request: Message, call: NodeCall): Promise<Message>;
    });

export interface QueryService {
  readonly descriptor: DescService;
  readonly methods: readonly QueryMethod[];
}

type Run<C> = (request: Message, call: C) => Promise<Message>;

/**
 * A query service of a module, for REST, gRPC, `abci_query` and `query` of the command line.
 *
 * @param kept methods whose answer follows from the request and the state of the height alone: no clock, no mempool, no
 * running upgrade, nothing that a search may cut
 * @throws UpgradeError UPG_INVALID_ARGUMENT when a method has no function, or a name is no method's
 *
 * @example
 * import { Query } from "./gen/notes_pb.js";
 * const query = implement(Query, ["notes"], { notes: () => ({ notes: [], total: 0n }) });
 * console.log(query.methods.map(({ path }) => path)); // → [ '/mychain.notes.v1.Query/Notes' ]
 */
export function implement<S extends Typed>(
  service: S,
  kept: readonly (keyof S["method"])[],
  handlers: Handlers<S, QueryCall>,
): QueryService {
  return defining(() => {
    requireNames(service, kept, handlers);
    const methods = service.methods.map((each) => ({
      ...describe(service, each),
      isOfState: true as const,
      isKept: kept.includes(each.localName),
      run: runner<QueryCall>(handlers, each),
    }));
    return { descriptor: service as DescService, methods };
  });
}

/** The types hold programs to this that have types. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireNames(service: Typed, kept: readonly PropertyKey[], handlers: object): void {
  if (service?.kind !== "service")
    throw wrong("the first argument is no service: give the generated one, such as Query");
  const { typeName } = service;
  const methods = service.methods.map(({ localName }) => localName);
  if (!Array.isArray(kept))
    throw wrong(`${typeName}: the second argument is no list of methods: implement(Query, [], { … })`);
  const unknown = kept.map(String).find((name) => !methods.includes(name));
  if (unknown !== undefined) throw wrong(`${typeName} has no method "${unknown}"${unknownName(unknown, methods)}`);
  if (typeof handlers !== "object" || handlers === null) throw wrong(`${typeName}: give a function for each method`);
  requireMembers(handlers, methods, `implement: ${typeName}`, "the service");
}

function wrong(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `implement: ${what}`);
}

/** A service about the node. */
export function implementOfNode<S extends Typed>(service: S, handlers: Handlers<S, NodeCall>): QueryService {
  const methods = service.methods.map((each) => ({
    ...describe(service, each),
    isOfState: false as const,
    isKept: false as const,
    run: runner<NodeCall>(handlers, each),
  }));
  return { descriptor: service as DescService, methods };
}

function describe({ typeName }: Typed, descriptor: DescMethod): Described {
  return { descriptor, path: `/${typeName}/${descriptor.name}` };
}

/** The types above hold a service's functions to its descriptor; here they are found by name. */
function runner<C>(handlers: object, { localName, output, parent }: DescMethod): Run<C> {
  const table = handlers as Readonly<Record<string, (request: Message, call: C) => object | Promise<object>>>;
  const handler = table[localName];
  if (typeof handler !== "function") {
    const what = `the service ${parent.typeName} has the method ${localName}, and no function was given for it`;
    throw wrong(`${what}: add ${localName}: (request, call) => ({ … })`);
  }
  return async (request, call) => createMessage(output, await handler(request, call));
}

function createMessage(schema: DescMessage, init: object): Message {
  return create(schema, init as MessageInitShape<DescMessage>);
}
