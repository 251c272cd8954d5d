/**
 * A chain whose messages recurse as deep as their text says: `pure:N`, `catch:N`, `store:N`, `branch:N`, `router:N`, `random:N`, `charge:N`, and
 * `NAME:N` of the recursions of test/recursion/shapes.ts, `in-NAME:N` inside of 20 messages.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { notesChain } from "../../examples/notes-chain/chain.js";
import { MsgAddNoteResponseSchema, MsgAddNoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { notes } from "../../examples/notes-chain/notes.js";
import { utf8 } from "../../host/bytes.js";
import { App } from "../../host/chain/app.js";
import { AppPort } from "../../host/chain/app-port.js";
import { type Chain, defineChain } from "../../host/chain/define-chain.js";
import { parseGenesis } from "../../host/chain/genesis/genesis.js";
import type { Module } from "../../host/chain/module.js";
import { messageKind } from "../../host/chain/tx/message-kind.js";
import { Core } from "../../host/core/core.js";
import { sha256 } from "../../host/native/sha256.js";
import { MemoryDatabase } from "../../host/store/disk/memory-database.js";
import type { KVStore, MultiStore } from "../../host/types.js";
import { readdressed } from "../addresses.js";
import { freshShapes, type Shape } from "../recursion/shapes.js";
import { genesisDocument } from "./genesis-text.js";
import { pack, Signer } from "./wallet.js";

const ACCOUNT_NUMBER = 500n;
const alice = new Signer("alice");
const KEY = utf8("deep");

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
  return each.store("notes").has(KEY);
}

let shapesNow: () => Readonly<Record<string, Shape>> = freshShapes;

/** What the chain's messages recurse with from now on: by default functions that are new to V8 in each message. */
export function useShapes(shapes: () => Readonly<Record<string, Shape>>): void {
  shapesNow = shapes;
}

const recurse = messageKind({
  schema: MsgAddNoteSchema,
  response: MsgAddNoteResponseSchema,
  signer: "author",
  run(context, { author, text }) {
    const [how = "", count = "0"] = text.split(":");
    const n = Number(count);
    const own = context.store("notes");
    const shapes = shapesNow();
    const send = (inner: string) => {
      const value = toBinary(MsgAddNoteSchema, create(MsgAddNoteSchema, { author, text: inner }));
      context.router.get("/mychain.notes.v1.MsgAddNote")?.read(value).run(context);
    };
    if (how === "pure") own.set(KEY, utf8(String(pure(n))));
    else if (how === "catch") own.set(KEY, utf8(caught(n)));
    else if (how === "random") own.set(KEY, utf8(random(n)));
    else if (how === "store") own.set(KEY, utf8(String(store(own, n))));
    else if (how === "charge") for (let at = 0; at < n; at++) context.consumeGas(0n, "loop");
    else if (how === "branch") own.set(KEY, utf8(String(branched(context.stores, n))));
    else if (how === "loop") for (let at = 0; at < n; at++) own.get(KEY);
    else if (how in shapes) own.set(KEY, utf8(String(shapes[how]?.(n))));
    else if (how.startsWith("in-")) {
      const [, name, at = "20"] = how.split("-");
      send(at === "0" ? `${name}:${n}` : `in-${name}-${Number(at) - 1}:${n}`);
    } else if (n > 0) send(`router:${n - 1}`);
    else own.set(KEY, utf8("bottom"));
    return { number: 1n };
  },
});

const deep: Module = { ...notes, messages: [recurse] };
const recursionChain: Chain = defineChain({
  name: "deepd",
  addressPrefix: notesChain.addresses.prefix,
  modules: notesChain.modules.map((module) => (module.name === "notes" ? deep : module)),
});

function genesisText(): string {
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  const account = { address: alice.address, account_number: String(ACCOUNT_NUMBER), sequence: "0" };
  state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...account });
  return readdressed(JSON.stringify(document), recursionChain.addresses);
}

/** One process with the chain, at its first block. */
export class RecursionProgram {
  readonly app: App;
  readonly port: AppPort;
  #sequence = 0n;

  constructor() {
    const genesis = parseGenesis(recursionChain, genesisText());
    this.app = new App({ chain: recursionChain, database: new MemoryDatabase(), genesis, sha256, core: new Core() });
    this.app.load();
    this.port = new AppPort({ app: this.app, genesis });
    this.block([]);
  }

  tx(text: string): Uint8Array {
    const author = recursionChain.addresses.encode(alice.addressBytes);
    const options = { chainId: CHAIN_ID, accountNumber: ACCOUNT_NUMBER };
    return alice.sign([pack(MsgAddNoteSchema, { author, text })], {
      ...options,
      sequence: this.#sequence,
      gas: 100_000_000_000n,
    });
  }

  /** What a block holds and leaves: code, gas and app hash of the only transaction. */
  block(txs: readonly Uint8Array[]) {
    const height = this.app.nextHeight;
    const result = this.port.finalizeBlock({ height, time: { seconds: 1_700_000_000n + height, nanos: 0 }, txs });
    this.port.commit();
    if (txs.length > 0) this.#sequence++;
    return result;
  }
}

const CHAIN_ID = String(genesisDocument()["chain_id"]);
