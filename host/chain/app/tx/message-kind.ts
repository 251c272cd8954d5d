/** Kinds of messages: how one is read, who signs it, what it does. A kind is data; the router finds it by its type URL. */

import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  getOption,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { hostCall } from "../../../base/errors/engine-limit.js";
import { UpgradeError } from "../../../base/errors/errors.js";
import { callModule } from "../../../base/errors/synchronous.js";
import { signer as signerOption } from "../../../base/gen/cosmos/msg/v1/msg_pb.js";
import { scalar } from "../../../base/gen/cosmos_proto/cosmos_pb.js";
import type { VersionMap } from "../../../base/types/types.js";
import { isInVersionMap } from "../../../upgrade/core/version-map.js";
import type { Addresses } from "../../values/address.js";
import { defining } from "../../values/definition-errors.js";
import { requireFunction, requireMembers } from "../../values/members.js";
import { undefinedError } from "../../values/tx-error.js";
import type { MessageKind, MessageRouter, ModuleContext } from "../context.js";

const ROUTERS = new WeakMap<RouterFacts, MessageRouter>();
/** Modules by the type URLs of a router. */
const OWNERS = new WeakMap<MessageRouter, ReadonlyMap<string, string>>();
/** Modules by the type URLs that a router lacks although the program has code for them. */
const REMOVED = new WeakMap<MessageRouter, ReadonlyMap<string, string>>();

interface MessageModule {
  readonly name: string;
  readonly messages?: readonly MessageKind[];
}

interface RouterFacts {
  /** The app version. */
  readonly number: bigint;
  /** The version map of the state. */
  readonly modules: VersionMap;
  /** Modules whose code reads the state. */
  readonly layouts: VersionMap;
}

/**
 * The messages of one version. A message of a module that the version lacks, that an upgrade removed, or one that came with a
 * later version, is as unknown as to a program that never heard of it: both must give the same results.
 */
export function routerAt(modules: readonly MessageModule[], version: RouterFacts): MessageRouter {
  const made = ROUTERS.get(version);
  if (made) return made;
  const coded = modules.filter(({ name }) => version.layouts.has(name));
  const isThere = ({ name }: { readonly name: string }) => isInVersionMap(name, version.modules);
  const known = coded
    .filter(isThere)
    .flatMap(({ messages = [] }) => messages)
    .filter(({ since }) => version.number >= since);
  const router = new Map(known.map((kind) => [kind.typeUrl, kind]));
  ROUTERS.set(version, router);
  OWNERS.set(router, modulesByType(coded.filter(isThere)));
  REMOVED.set(router, modulesByType(coded.filter((module) => !isThere(module))));
  return router;
}

function modulesByType(modules: readonly MessageModule[]): ReadonlyMap<string, string> {
  return new Map(modules.flatMap(({ name, messages = [] }) => messages.map(({ typeUrl }) => [typeUrl, name] as const)));
}

/** A message for people: its type URL, and its module where the router knows it. */
export function messageName(router: MessageRouter, typeUrl: string): string {
  const module = OWNERS.get(router)?.get(typeUrl);
  return module === undefined ? typeUrl : `${typeUrl} of module ${module}`;
}

/** Why a router does not have a message that the program knows; undefined: the program does not know it, or not yet. */
export function removedMessage(router: MessageRouter, typeUrl: string): string | undefined {
  const module = REMOVED.get(router)?.get(typeUrl);
  return module && `${typeUrl} belongs to module "${module}", which is not in the version map of this chain`;
}

/** What a message is made of. */
export interface KindOptions<In extends DescMessage, Out extends DescMessage> {
  /** The message: its generated `…Schema`. */
  readonly schema: In;
  /** The response. */
  readonly response: Out;
  /** Whether only a passed proposal may run it, with the gov account as its signer; it then has no `tx` command. Default: false. */
  readonly isForGovernance?: boolean;
  /**
   * The app version from which the chain knows it, for a message that comes to a module of chains that exist: programs of
   * before refuse it, so no block may hold it until an upgrade has left them. Default: every version.
   */
  readonly since?: bigint;
  /**
   * Promises that how deep its functions recurse, and how much they allocate at once, follows neither from what a user sends nor
   * from state, and that they run no other messages. It then is not tried on less stack (docs/build-a-chain.md). Default: false.
   */
  readonly isBounded?: boolean;
  /** Promises the same of its own functions, which run other messages; it is tried on less stack, as those are. Default: false. */
  readonly runsMessages?: boolean;
  /** Types other than messages that may be packed in it, in a `google.protobuf.Any`. */
  readonly packs?: readonly DescMessage[];
  /**
   * The field that names the account which must sign. Left out where the .proto file says it, as
   * `option (cosmos.msg.v1.signer) = "from_address"`.
   */
  readonly signer?: keyof MessageShape<In> & string;
  /** Refuses what its bytes may hold by their form, without state: the transaction then cannot be decoded. @throws TxError sdk 2 */
  decoded?(message: MessageShape<In>): void;
  /**
   * Refuses before `run`, with state. A proposal with the message is refused by it when it is submitted, not only when it has
   * passed. @throws TxError
   */
  check?(context: ModuleContext, message: MessageShape<In>): void;
  /**
   * Runs it; returns the fields of the response, or undefined for an empty one. A `TxError` fails the transaction and drops
   * what the message wrote. @throws TxError
   */
  run(context: ModuleContext, message: MessageShape<In>): MessageInitShape<Out> | undefined;
}

const OPTIONS = Object.keys({
  ...{ schema: 1, response: 1, isForGovernance: 1, since: 1, isBounded: 1, runsMessages: 1, packs: 1, signer: 1 },
  ...{ decoded: 1, check: 1, run: 1 },
} satisfies Record<keyof KindOptions<DescMessage, DescMessage>, 1>);

/**
 * A message of a module: its protobuf types, who signs it, and what runs it. `check` sees it before `run`; an error of either
 * fails the transaction.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when neither the message nor `options` names its signer, or both do, differently
 *
 * @example
 * import { MsgAddNoteResponseSchema, MsgAddNoteSchema } from "./gen/notes_pb.js";
 * const addNote = messageKind({
 *   schema: MsgAddNoteSchema,
 *   response: MsgAddNoteResponseSchema,
 *   signer: "author",
 *   run: (_context, { text }) => ({ number: BigInt(text.length) }),
 * });
 * console.log(addNote.typeUrl); // → /mychain.notes.v1.MsgAddNote
 */
export function messageKind<In extends DescMessage, Out extends DescMessage>(
  options: KindOptions<In, Out>,
): MessageKind {
  return defining(() => checkedKind(options));
}

function checkedKind<In extends DescMessage, Out extends DescMessage>(options: KindOptions<In, Out>): MessageKind {
  requireTypes(options);
  const { schema, response, isBounded = false, runsMessages = false } = options;
  const typeUrl = `/${schema.typeName}`;
  requireMembers(options, OPTIONS, `messageKind: ${schema.typeName}`, "a kind of message");
  for (const member of ["decoded", "check", "run"] as const)
    requireFunction(options[member], `messageKind: ${schema.typeName}: ${member}`);
  if (!options.run) throw wrongKind(`${schema.typeName} has no function run: add run: (context, message) => …`);
  const signer = signerOf(schema, options.signer);
  const isOperator = getOption(signer, scalar) === "cosmos.ValidatorAddressString";
  const signerAddresses = (addresses: Addresses) => (isOperator ? addresses.operators : addresses);
  return {
    typeUrl,
    schema,
    signer,
    signerAddresses,
    isForGovernance: options.isForGovernance ?? false,
    since: options.since ?? 0n,
    packs: options.packs ?? [],
    isBounded,
    runsMessages,
    read: (value) => {
      const message = fromBinary(schema, value);
      options.decoded?.(message);
      return {
        typeUrl,
        isBounded,
        // A field that a descriptor names, and that was found to be a text above: generated types do not know it by name.
        signer: (message as unknown as Readonly<Record<string, string>>)[signer.localName] as string,
        signerAddresses,
        check: (context) =>
          nested(typeUrl, () => callModule(`the check of ${typeUrl}`, () => options.check?.(context, message))),
        run: (context) =>
          nested(typeUrl, () => {
            const answer = create(
              response,
              callModule(typeUrl, () => options.run(context, message)),
            );
            return { typeUrl: `/${response.typeName}`, value: toBinary(response, answer) };
          }),
      };
    },
  };
}

function wrongKind(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `messageKind: ${what}`);
}

/** A misspelt import gives undefined to programs without types. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireTypes(options: object): void {
  if (typeof options !== "object" || options === null)
    throw wrongKind("give { schema: MsgAddNoteSchema, response: MsgAddNoteResponseSchema, run }");
  const { schema, response } = options as Partial<KindOptions<DescMessage, DescMessage>>;
  for (const [member, given] of Object.entries({ schema, response })) {
    if (given?.kind === "message") continue;
    const of = schema?.kind === "message" ? `${schema.typeName}: ` : "";
    throw wrongKind(`${of}${member} is ${given === undefined ? "missing" : "no message"}: give the generated …Schema`);
  }
}

/** Messages that run inside one another, as the ones that a module runs through the router. */
const MESSAGE_DEPTH_MAX = 32;
let depth = 0;

/** @throws TxError undefined 1 for a message too deep in others, long before any native stack is used up */
function nested<T>(typeUrl: string, run: () => T): T {
  if (depth >= MESSAGE_DEPTH_MAX) {
    throw undefinedError(`${typeUrl} is run by more than ${MESSAGE_DEPTH_MAX} messages around it: nest fewer`);
  }
  depth++;
  try {
    return hostCall(run);
  } finally {
    depth--;
  }
}

/** The one field of text that is named by the message's own option or by the module. */
function signerOf(schema: DescMessage, given: string | undefined): DescField {
  const named = getOption(schema, signerOption);
  const [name = given, ...others] = named.map(
    (each) => schema.fields.find(({ name }) => name === each)?.localName ?? each,
  );
  const wrong = (what: string) => wrongKind(`${schema.typeName} ${what}`);
  if (name === undefined)
    throw wrong("names no signer: give `signer`, or the option cosmos.msg.v1.signer in its .proto file");
  if (others.length > 0)
    throw wrong(`names ${named.length} signers, ${named.join(" and ")}: messages with one are supported`);
  if (given !== undefined && given !== name)
    throw wrong(`has the signer ${name} by its .proto file, and ${given} was given`);
  const field = schema.fields.find(({ localName }) => localName === name);
  if (field?.fieldKind !== "scalar" || field.scalar !== ScalarType.STRING)
    throw wrong(`has no text "${name}", its signer`);
  return field;
}
