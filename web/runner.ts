/** "Run it here": what it costs is shown first; then witness, handler and the program that runs them are fetched. */
import { element, say, setHidden, show } from "./elements.js";
import { fetchFile, fileSize } from "./fetching.js";
import type { BlockSource, ReceiptView, Refused, RunAsked, RunSaid, TrustedHeaders, VerifyAsked } from "./messages.js";
import type { SavedRun } from "./saved.js";
import { evidenceName, type Source } from "./source.js";
import type { Child } from "./tree.js";
import type { TypedTrust } from "./trust.js";
import { paragraph } from "./views/parts.js";
import { refusedView } from "./views/refused.js";
import { costView, type RunCost, ranView, tooLateView } from "./views/run.js";
import { ask } from "./worker-text.js";

/** Put in by the build: the program's bytes and its hash, which the browser holds it to. */
declare const RUN_PROGRAM: { readonly file: string; readonly bytes: number; readonly integrity: string };

interface Files {
  readonly witness: Uint8Array;
  readonly handler: Uint8Array;
  readonly program: string;
}

interface Offered {
  readonly trust: TypedTrust | undefined;
  readonly receipt: ReceiptView;
}

const NO_WITNESS = "This source has no witness of the upgrade, so it cannot be run here.";

const NOT_RUN = "Nothing is shown of this run; the claims above do not rest on it.";

export class Runner {
  #offered: Offered | undefined;
  #cost: RunCost | undefined;
  #files: Files | undefined;
  #evidence: unknown;

  constructor(
    private readonly verifier: string,
    private readonly source: Source | undefined,
    saved: SavedRun | undefined,
  ) {
    if (!saved) return;
    const { witness, handler, program, evidence } = saved;
    this.#files = { witness: bytesOf(witness), handler: bytesOf(handler), program };
    this.#evidence = evidence;
  }

  /** What a saved page takes along: nothing, unless the upgrade was run here. */
  get kept(): SavedRun | undefined {
    if (!this.#files || this.#evidence === undefined) return undefined;
    const { witness, handler, program } = this.#files;
    return { witness: base64Of(witness), handler: base64Of(handler), program, evidence: this.#evidence };
  }

  /** Shows what a run would fetch, once for each receipt. */
  async offer(receipt: ReceiptView, trust: TypedTrust | undefined): Promise<void> {
    const isSame = this.#offered?.receipt.handler === receipt.handler && this.#offered.receipt.plan === receipt.plan;
    const isSameTrust = this.#offered?.trust === trust;
    this.#offered = { receipt, trust };
    if (isSame && isSameTrust) return;
    show("run-result", []);
    this.#cost = isSame ? this.#cost : await this.#askedCost(receipt);
    show("run-cost", this.#cost ? costView(this.#cost) : [paragraph(NO_WITNESS)]);
    setHidden("run", this.#cost === undefined);
  }

  async #askedCost(receipt: ReceiptView): Promise<RunCost | undefined> {
    if (this.#files) {
      const { witness, handler, program } = this.#files;
      return { witness: witness.length, handler: handler.length, program: program.length };
    }
    const [witness, handler] = await Promise.all(
      this.#urls(receipt).map((url) => fileSize(url).catch(() => undefined)),
    );
    if (witness === undefined || handler === undefined) return undefined;
    return { witness, handler, program: RUN_PROGRAM.bytes };
  }

  #urls({ plan, handler }: ReceiptView): string[] {
    const api = this.source?.api;
    if (api === undefined) return [];
    return [`${api}chain/upgrade/v1/witness/${encodeURIComponent(plan)}`, `${api}chain/upgrade/v1/handler/${handler}`];
  }

  async run(): Promise<void> {
    const offered = this.#offered;
    if (!offered || !this.#cost) return;
    const button = element<HTMLButtonElement>("run");
    button.disabled = true;
    say("run-result", "Running…");
    try {
      this.#files ??= await this.#fetched(offered.receipt, this.#cost);
      show("run-result", await this.#ran(offered, this.#files));
    } catch (error) {
      show("run-result", this.#notRun({ kind: "refused", code: "", message: String(error) }));
    }
    button.disabled = false;
  }

  async #ran({ receipt, trust }: Offered, { witness, handler, program }: Files): Promise<Child[]> {
    if (trust && trust.height > receipt.height) return tooLateView(trust.height, receipt.height);
    const rpc = this.source?.rpc;
    const of: BlockSource = rpc === undefined ? { evidence: this.#evidence } : { rpc, height: receipt.height };
    const headers = await ask<VerifyAsked, TrustedHeaders | Refused>(this.verifier, { kind: "headers", of, trust });
    if (headers.kind === "refused") return this.#notRun(headers);
    const { block, next, evidence, state, isExpired } = headers;
    // The program takes what it shares with the verifier from there.
    const both = `${this.verifier}\n${program}`;
    const said = await ask<RunAsked, RunSaid>(both, { kind: "run", witness, handler, block, next });
    if (said.kind === "refused") return this.#notRun(said);
    this.#evidence = evidence;
    const time = Number(next.time.seconds) * 1_000;
    // A run shows what one block did, and that does not age.
    return ranView(said, state, { freshness: isExpired ? "expired" : "new", time });
  }

  #notRun(refused: Refused): Child[] {
    const trust = this.#offered?.trust;
    return refusedView(refused, {
      trust,
      source: this.source ? evidenceName(this.source) : "this file",
      rest: NOT_RUN,
    });
  }

  async #fetched(receipt: ReceiptView, { witness, handler }: RunCost): Promise<Files> {
    const [one = "", two = ""] = this.#urls(receipt);
    const { file, integrity } = RUN_PROGRAM;
    const program = fetch(new URL(file, location.href), { integrity, credentials: "omit" });
    return {
      witness: await fetchFile(one, witness),
      handler: await fetchFile(two, handler),
      program: await (await program).text(),
    };
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
}
