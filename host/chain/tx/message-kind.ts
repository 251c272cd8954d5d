/** Kinds of messages: how one is read, who signs it, what it does. A kind is data; the router finds it by its type URL. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { Any } from "../../types.js";
import type { ModuleContext } from "../context.js";

/** A message that was decoded, ready to run. */
export interface ReadMessage {
  readonly typeUrl: string;
  /** The address that must sign, as it is in the message. */
  readonly signer: string;
  /** Refusals that need state but are made when a proposal with this message is submitted. @throws UpgradeError */
  check(context: ModuleContext): void;
  /** Runs it and returns its response. @throws UpgradeError; what it wrote must be dropped then */
  run(context: ModuleContext): Any;
}

export interface MessageKind {
  readonly typeUrl: string;
  readonly schema: DescMessage;
  /** May a passed proposal run it, with the gov account as its signer? */
  readonly isForGovernance: boolean;
  /** Types other than messages that may be packed in it. */
  readonly packs: readonly DescMessage[];
  /** Strictly checked bytes in, message out. @throws TxError when they are of no such message */
  read(value: Uint8Array): ReadMessage;
}

export type MessageRouter = ReadonlyMap<string, MessageKind>;

const ROUTERS = new WeakMap<RouterFacts, MessageRouter>();

interface RouterFacts {
  /** Modules whose code reads the state. */
  readonly layouts: ReadonlyMap<string, bigint>;
}

/**
 * The messages of one version. A message of a module that the version lacks is as unknown as to a program that never
 * heard of it: both must give the same results.
 */
export function routerAt(
  modules: readonly { readonly name: string; readonly messages?: readonly MessageKind[] }[],
  version: RouterFacts,
): MessageRouter {
  const known = ROUTERS.get(version);
  if (known) return known;
  const kinds = modules.flatMap(({ name, messages = [] }) => (version.layouts.has(name) ? messages : []));
  const router = new Map(kinds.map((kind) => [kind.typeUrl, kind]));
  ROUTERS.set(version, router);
  return router;
}

export interface KindOptions<In extends DescMessage, Out extends DescMessage> {
  readonly schema: In;
  readonly response: Out;
  readonly isForGovernance?: boolean;
  readonly packs?: readonly DescMessage[];
  signer(message: MessageShape<In>): string;
  /** What its decoding refuses beyond the form of its bytes. @throws TxError sdk 2 */
  decoded?(message: MessageShape<In>): void;
  check?(context: ModuleContext, message: MessageShape<In>): void;
  run(context: ModuleContext, message: MessageShape<In>): MessageInitShape<Out> | undefined;
}

export function messageKind<In extends DescMessage, Out extends DescMessage>(
  options: KindOptions<In, Out>,
): MessageKind {
  const { schema, response } = options;
  const typeUrl = `/${schema.typeName}`;
  return {
    typeUrl,
    schema,
    isForGovernance: options.isForGovernance ?? false,
    packs: options.packs ?? [],
    read: (value) => {
      const message = fromBinary(schema, value);
      options.decoded?.(message);
      return {
        typeUrl,
        signer: options.signer(message),
        check: (context) => options.check?.(context, message),
        run: (context) => {
          const answer = create(response, options.run(context, message));
          return { typeUrl: `/${response.typeName}`, value: toBinary(response, answer) };
        },
      };
    },
  };
}
