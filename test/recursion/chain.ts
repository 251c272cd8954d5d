/**
 * A chain whose code recurses as deep as a text says. A message's text is `HOW:N` (pure, engine, catch, random, charge, store, loop, branch, router,
 * a recursion of shapes.ts, `in-NAME` for one inside of 20 messages, `warm` for N calls of each), which the message does at once; or `WHEN=HOW:N`, which is
 * done by the next begin blocker (`begin`), by the end blocker (`end`), by the migration of plan v2 (`migrate`), or by the begin or end
 * blocker of the migration's block (`migrate-begin`, `migrate-end`). `Note` is a message of proposals, which does its text.
 */
import { isMainThread } from "node:worker_threads";
import { create, toBinary } from "@bufbuild/protobuf";
import { MsgAddNoteResponseSchema, MsgAddNoteSchema, NoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { utf8 } from "../../host/base/text/bytes.js";
import type { KVStore, MultiStore } from "../../host/base/types/types.js";
import type { Chain } from "../../host/chain/app/chain.js";
import type { ModuleContext } from "../../host/chain/app/context.js";
import { defineChain, migrate } from "../../host/chain/app/define-chain.js";
import type { Module } from "../../host/chain/app/module.js";
import { messageKind } from "../../host/chain/app/tx/message-kind.js";
import { auth } from "../../host/chain/modules/auth/module.js";
import { bank } from "../../host/chain/modules/bank/module.js";
import { gov } from "../../host/chain/modules/gov/module.js";
import { staking } from "../../host/chain/modules/staking/module.js";
import { upgrade } from "../../host/chain/modules/upgrade/module.js";
import { GOVERNOR } from "../readiness/governor.js";
import { GOV_ADDRESS, type Packed, pack } from "../scenario/wallet.js";
import { freshShapes, type Shape } from "./shapes.js";

const STORE = "deep";
const KEY = utf8("deep");

/** Of the recursions that make V8 optimize. */
const WARM_DEPTH = 40;

/** What both a block and a migration have. */
type Place = Pick<ModuleContext, "store" | "stores"> & Partial<Pick<ModuleContext, "router" | "consumeGas">>;

const pure = (n: number): number => (n === 0 ? 0 : 1 + pure(n - 1));
const store = (of: KVStore, n: number): number => (n === 0 ? 0 : (of.get(KEY)?.length ?? 1) * 0 + 1 + store(of, n - 1));

function caught(n: number): string {
  try {
    return String(pure(n));
  } catch {
    return "caught";
  }
}

/** With 0 it catches what is thrown. */
function random(n: number): string {
  try {
    return String(Math.random());
  } catch (error) {
    if (n > 0) throw error;
    return "caught";
  }
}

function branched(stores: MultiStore, n: number): boolean {
  let each = stores;
  for (let at = 0; at < n; at++) each = each.branch();
  return each.store(STORE).has(KEY);
}

let shapesNow: () => Readonly<Record<string, Shape>> = freshShapes;

/** What the chain's code recurses with from now on: by default functions that are new to V8 each time. */
export function useShapes(shapes: () => Readonly<Record<string, Shape>>): void {
  shapesNow = shapes;
}

function perform(place: Place, text: string): void {
  const [how = "", count = "0"] = text.split(":");
  const n = Number(count);
  const own = place.store(STORE);
  const shapes = shapesNow();
  const send = (inner: string) => {
    const value = toBinary(MsgAddNoteSchema, create(MsgAddNoteSchema, { text: inner }));
    // Only a place with a router is given such a text.
    place.router
      ?.get(`/${MsgAddNoteSchema.typeName}`)
      ?.read(value)
      .run(place as ModuleContext);
  };
  if (how === "pure") own.set(KEY, utf8(String(pure(n))));
  // As deep as this on the engine's thread, and flat on the one that serves: no other way makes their stacks differ each time.
  else if (how === "engine") own.set(KEY, utf8(String(pure(isMainThread ? 0 : n))));
  else if (how === "catch") own.set(KEY, utf8(caught(n)));
  else if (how === "random") own.set(KEY, utf8(random(n)));
  else if (how === "store") own.set(KEY, utf8(String(store(own, n))));
  else if (how === "charge") for (let at = 0; at < n; at++) place.consumeGas?.(0n, "loop");
  else if (how === "branch") own.set(KEY, utf8(String(branched(place.stores, n))));
  else if (how === "loop") for (let at = 0; at < n; at++) own.get(KEY);
  else if (how === "warm") for (let at = 0; at < n; at++) for (const shape of Object.values(shapes)) shape(WARM_DEPTH);
  else if (how in shapes) own.set(KEY, utf8(String(shapes[how]?.(n))));
  else if (how.startsWith("in-")) {
    const [, name, at = "20"] = how.split("-");
    send(at === "0" ? `${name}:${n}` : `in-${name}-${Number(at) - 1}:${n}`);
  } else if (n > 0) send(`router:${n - 1}`);
  else own.set(KEY, utf8("bottom"));
}

/** Does what a message has left for this moment. */
function performScheduled(place: Place, when: "begin" | "end" | "migrate"): void {
  const own = place.store(STORE);
  const text = own.get(utf8(when));
  if (!text) return;
  own.delete(utf8(when));
  perform(place, Buffer.from(text).toString());
}

/** The hooks of this block do what messages have left for them, then the migration its own. */
function performMigration(place: Place): void {
  const own = place.store(STORE);
  for (const when of ["begin", "end"]) {
    const text = own.get(utf8(`migrate-${when}`));
    if (text) own.set(utf8(when), text);
  }
  performScheduled(place, "migrate");
}

const recurse = messageKind({
  schema: MsgAddNoteSchema,
  response: MsgAddNoteResponseSchema,
  signer: "author",
  run(context, { text }) {
    const [when = "", scheduled] = text.split("=");
    if (scheduled === undefined) perform(context, text);
    else context.store(STORE).set(utf8(when), utf8(scheduled));
    return { number: 1n };
  },
});

const recurseByVote = messageKind({
  schema: NoteSchema,
  response: MsgAddNoteResponseSchema,
  signer: "author",
  isForGovernance: true,
  run(context, { text }) {
    perform(context, text);
    return { number: 1n };
  },
});

const deep: Module = {
  name: STORE,
  consensusVersion: 2n,
  messages: [recurse, recurseByVote],
  beginBlock: (context) => performScheduled(context, "begin"),
  endBlock: (context) => performScheduled(context, "end"),
  migrations: { 1: performMigration },
};

export const recursionChainWith = (governance: Module): Chain =>
  defineChain({
    name: "deepd",
    description: "A chain whose code recurses as deep as a text says.",
    modules: [auth(), bank(), staking(), governance, upgrade(), deep],
    upgrades: [{ plan: "v2", from: { deep: 1n }, handler: migrate }],
  });
export const recursionChain = recursionChainWith(gov());

export const recursionMessage = (text: string): Packed => pack(MsgAddNoteSchema, { author: GOVERNOR.address, text });

export const votedRecursion = (text: string): Packed => pack(NoteSchema, { author: GOV_ADDRESS, text });
