/** "Run it here": what it costs is shown first; then witness, handler and the program that runs them are fetched. */
import type { Evidence } from "chain-upgrade/verify";
import { fromBase64, fromHex, toHex } from "../host/base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../host/base/types/limits.js";
import { Deadline } from "./deadline.js";
import { element, say, setHidden, show } from "./elements.js";
import { type FileOptions, fetchFile, fileSize } from "./fetching.js";
import type {
  BlockSource,
  ReceiptView,
  Refused,
  RunAsked,
  RunReport,
  RunSaid,
  TrustedHeaders,
  VerifyAsked,
} from "./messages.js";
import type { SavedRun } from "./saved.js";
import type { KeptRun } from "./saved-run.js";
import { evidenceName, type Source } from "./source.js";
import type { Child } from "./tree.js";
import type { TypedTrust } from "./trust.js";
import { paragraph } from "./views/parts.js";
import { refusedView } from "./views/refused.js";
import { costView, type RunCost, type RunStep, ranView, runningView, tooLargeView, tooLateView } from "./views/run.js";
import { ask } from "./worker-text.js";

interface ProgramFile {
  readonly file: string;
  readonly bytes: number;
  /** The browser holds it to this hash. */
  readonly integrity: string;
}

/** Put in by the build. */
declare const RUN_PROGRAM: { readonly program: ProgramFile; readonly check: ProgramFile };

interface Files {
  readonly witness: Uint8Array;
  readonly handler: Uint8Array;
  readonly program: string;
}

interface Offered {
  readonly trust: TypedTrust | undefined;
  readonly receipt: ReceiptView;
  /** What the receipt was verified from. */
  readonly known: Evidence;
}

const NO_WITNESS = "This source has no witness of the upgrade, so it cannot be run here.";

const NOT_RUN = "Nothing is shown of this run; the claims above do not rest on it.";

/** What a tab of a phone may hold, with the tree that is made of it: about ten times as much. */
const WITNESS_BYTES_MAX = 128 * 1_024 * 1_024;
/** A million pairs take seconds on a desktop; ten times slower is still far from this. */
const RUN_MILLIS_MAX = 300_000;
const TICK_MILLIS = 1_000;
const TOO_LONG = `stopped after ${RUN_MILLIS_MAX / 60_000} min: use chaind verify-chain --re-execute`;

export class Runner {
  #offered: Offered | undefined;
  #cost: RunCost | undefined;
  #files: Files | undefined;
  #evidence: unknown;
  /** Stops the run that is under way. */
  #running: AbortController | undefined;

  constructor(
    private readonly verifier: string,
    private readonly source: Source | undefined,
    saved: SavedRun | undefined,
  ) {
    if (!saved) return;
    const { witness, handler, program, evidence } = saved;
    this.#files = { witness: fromBase64(witness), handler: fromBase64(handler), program };
    this.#evidence = evidence;
  }

  /** What a saved page takes along: nothing, unless the upgrade was run here. */
  get kept(): KeptRun | undefined {
    return this.#files && this.#evidence !== undefined ? { ...this.#files, evidence: this.#evidence } : undefined;
  }

  /** Shows what a run would fetch, once for each receipt. */
  async offer(receipt: ReceiptView, trust: TypedTrust | undefined, known: Evidence): Promise<void> {
    const isSame = this.#offered?.receipt.handler === receipt.handler && this.#offered.receipt.plan === receipt.plan;
    const isSameTrust = this.#offered?.trust === trust;
    this.#offered = { receipt, trust, known };
    if (isSame && isSameTrust) return;
    show("run-result", []);
    this.#cost = isSame ? this.#cost : await this.#askedCost(receipt);
    const tooLarge = this.#cost && tooLargeOf(this.#cost);
    show("run-cost", tooLarge ?? (this.#cost ? costView(this.#cost) : [paragraph(NO_WITNESS)]));
    setHidden("run", this.#cost === undefined || tooLarge !== undefined);
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
    return { witness, handler, program: RUN_PROGRAM.program.bytes + RUN_PROGRAM.check.bytes };
  }

  #urls({ plan, handler }: ReceiptView): string[] {
    const api = this.source?.api;
    if (api === undefined) return [];
    return [`${api}chain/upgrade/v1/witness/${encodeURIComponent(plan)}`, `${api}chain/upgrade/v1/handler/${handler}`];
  }

  async run(): Promise<void> {
    const offered = this.#offered;
    if (!offered || !this.#cost || this.#running) return;
    const running = new AbortController();
    this.#running = running;
    const button = element<HTMLButtonElement>("run");
    button.disabled = true;
    setHidden("run-cancel", false);
    say("run-result", "Running…");
    const progress = new Progress();
    try {
      const files =
        this.#files ?? (await this.#fetched(offered.receipt, this.#cost, { progress, signal: running.signal }));
      show("run-result", await this.#ran(offered, files, { progress, signal: running.signal }));
    } catch (error) {
      if (running.signal.aborted) show("run-result", [paragraph(`Cancelled. ${NOT_RUN}`)]);
      else
        show(
          "run-result",
          this.#notRun({ kind: "refused", code: "", message: error instanceof Error ? error.message : String(error) }),
        );
    }
    progress.end();
    this.#running = undefined;
    setHidden("run-cancel", true);
    button.disabled = false;
  }

  cancel(): void {
    this.#running?.abort();
  }

  async #ran({ receipt, trust, known }: Offered, files: Files, run: Running): Promise<Child[]> {
    if (trust && trust.height > receipt.height) return tooLateView(trust.height, receipt.height);
    const { signal, progress } = run;
    const rpc = this.source?.rpc;
    const of: BlockSource = rpc === undefined ? { evidence: this.#evidence } : { rpc, height: receipt.height, known };
    progress.reach({ kind: "headers" });
    const question: VerifyAsked = { kind: "headers", of, trust };
    const headers = await ask<VerifyAsked, TrustedHeaders | Refused>(this.verifier, question, { signal });
    if (headers.kind === "refused") return this.#notRun(headers);
    const { block, next, evidence, state, isExpired } = headers;
    const said = await this.#said(files, { block, next, receipt }, run);
    if (said.kind === "refused") return this.#notRun(said);
    // A run that failed may have failed by its files: the next one fetches them again.
    this.#files = files;
    this.#evidence = evidence;
    const time = Number(next.time.seconds) * 1_000;
    // A run shows what one block did, and that does not age.
    return ranView(said, state, { freshness: isExpired ? "expired" : "new", time });
  }

  async #said(
    { witness, handler, program }: Files,
    { block, next, receipt }: Pick<TrustedHeaders, "block" | "next"> & Pick<Offered, "receipt">,
    { signal, progress }: Running,
  ): Promise<RunSaid> {
    const { handler: hash, gas, gasSchedule } = receipt;
    const question: RunAsked = {
      ...{ kind: "run", witness, handler, block, next },
      receipt: { handlerSha256: fromHex(hash), gas, gasSchedule },
    };
    const deadline = new Deadline(RUN_MILLIS_MAX, TOO_LONG, signal);
    const onProgress = (report: RunReport) => progress.reach(report);
    // The program takes what it shares with the verifier from there.
    const text = `${this.verifier}\n${program}`;
    const options = { signal: deadline.signal, onProgress };
    return await ask<RunAsked, RunSaid, RunReport>(text, question, options).finally(() => deadline.end());
  }

  #notRun(refused: Refused): Child[] {
    const trust = this.#offered?.trust;
    return refusedView(refused, {
      trust,
      source: this.source ? evidenceName(this.source) : "this file",
      rest: NOT_RUN,
    });
  }

  async #fetched(receipt: ReceiptView, cost: RunCost, { signal, progress }: Running): Promise<Files> {
    const [one = "", two = ""] = this.#urls(receipt);
    const fetched = (what: keyof RunCost, url: string, before = 0, more: Pick<FileOptions, "integrity"> = {}) => {
      const onBytes = (bytes: number) =>
        progress.reach({ kind: "fetching", what, bytes: before + bytes, total: cost[what] });
      onBytes(0);
      return fetchFile(url, { bytesMax: cost[what] - before, signal, onBytes, ...more });
    };
    const part = ({ file, integrity }: ProgramFile, before: number) =>
      fetched("program", new URL(file, location.href).href, before, { integrity });
    const handler = await fetched("handler", two);
    const program = await part(RUN_PROGRAM.program, 0);
    const check = await part(RUN_PROGRAM.check, program.length);
    const witness = await fetched("witness", one);
    // The program's reading of check.wasm is this text (scripts/page.mjs).
    const text = `globalThis.checkWasm="${toHex(check)}";\n${new TextDecoder().decode(program)}`;
    return { witness, handler, program: text };
  }
}

interface Running {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** What is shown while a run is under way: its step, and the seconds since it began. */
class Progress {
  readonly #begun = Date.now();
  readonly #timer = setInterval(() => this.#draw(), TICK_MILLIS);
  #step: RunStep = { kind: "headers" };

  reach(step: RunStep): void {
    this.#step = step;
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    show("run-progress", []);
  }

  #draw(): void {
    show("run-progress", runningView(this.#step, (Date.now() - this.#begun) / 1_000));
  }
}

function tooLargeOf({ witness, handler }: RunCost): Child[] | undefined {
  if (witness > WITNESS_BYTES_MAX) return tooLargeView("witness", witness, WITNESS_BYTES_MAX);
  return handler > HANDLER_BYTES_MAX ? tooLargeView("handler", handler, HANDLER_BYTES_MAX) : undefined;
}
