/** The chain of notes as one process after another: an account that writes notes, and plans that the app schedules by itself. */
import { notesChain } from "../../examples/notes-chain/chain.js";
import { MsgAddNoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import type { Height } from "../../host/base/types/types.js";
import { App, type BlockResult, type TxResult } from "../../host/chain/app/app.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { readdressed } from "../addresses.js";
import { failureOf } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { pack, Signer } from "./wallet.js";

const core = new Core();
const ACCOUNT_NUMBER = 500n;
const alice = new Signer("alice");

/** The small document with an account that has a key. */
function genesisText(): string {
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  const account = { address: alice.address, account_number: String(ACCOUNT_NUMBER), sequence: "0" };
  state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...account });
  return readdressed(JSON.stringify(document), notesChain.addresses);
}

export class Program {
  app: App;
  readonly database = new MemoryDatabase();
  readonly genesis;

  /** @param register adds handlers to each process */
  constructor(
    readonly chain = notesChain,
    private readonly register: (app: App) => void = () => undefined,
  ) {
    this.genesis = parseGenesis(chain, genesisText());
    this.app = this.start();
  }

  /** A new process of the same program. */
  start(): App {
    const { chain, database, genesis } = this;
    this.app = new App({ chain, database, genesis, sha256, core });
    this.register(this.app);
    this.app.load();
    return this.app;
  }

  block(change?: Parameters<typeof this.schedule>[0]): BlockResult {
    const { app } = this;
    const height = app.nextHeight;
    const time = { seconds: 1_700_000_000n + height, nanos: 0 };
    const changes = change ? [this.schedule(change)] : [];
    const result = app.finalizeBlock({ height, time, changes });
    app.commit();
    return result;
  }

  /** The plan is scheduled for the block after the next one; it is applied after one restart. */
  through(name: string): BlockResult {
    this.#upTo(name);
    this.start();
    return this.block();
  }

  /** The same in one process. */
  throughReopened(name: string): BlockResult {
    this.#upTo(name);
    this.app.reopen();
    return this.block();
  }

  #upTo(name: string): void {
    this.block({ name, height: this.app.nextHeight + 1n });
    if (failureOf(() => this.block()).code !== "UPG_HALT_RESTART") throw new Error(`no restart for ${name}`);
  }

  schedule({ name, height }: { readonly name: string; readonly height: Height }) {
    const { keeper } = this.app;
    return (context: Parameters<NonNullable<Parameters<App["finalizeBlock"]>[0]["changes"]>[number]>[0]) =>
      keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, {
        authority: keeper.authority,
        plan: { name, height, info: "" },
      });
  }

  #sequence = 0n;

  /** A block with a note; its result. */
  addNote(text: string): TxResult {
    const { app } = this;
    const message = pack(MsgAddNoteSchema, { author: notesChain.addresses.encode(alice.addressBytes), text });
    const facts = { chainId: "scenario-1", accountNumber: ACCOUNT_NUMBER, sequence: this.#sequence };
    const height = app.nextHeight;
    const time = { seconds: 1_700_000_000n + height, nanos: 0 };
    const [result] = app.finalizeBlock({ height, time, txs: [alice.sign([message], facts)] }).txResults;
    app.commit();
    if (result?.codespace !== "sdk" || result.code !== 2) this.#sequence++;
    return result as TxResult;
  }

  get versions(): ReadonlyMap<string, bigint> {
    const { keeper, multiStore } = this.app;
    return keeper.moduleVersions(multiStore.store(UPGRADE_STORE));
  }
}
