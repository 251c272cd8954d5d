/** The page: asks, has it verified by the worker, and draws what came out. */
import { visible } from "../host/visible.js";
import { element, say, setHidden, show } from "./elements.js";
import { type Live, LiveSource } from "./live.js";
import type { Checked, Refused, VerifyAsked } from "./messages.js";
import { proposalOf } from "./proposal.js";
import { claimOf, contradictionOf } from "./report.js";
import { Runner } from "./runner.js";
import { download, readSaved, savedPage } from "./saved.js";
import { evidenceName, type Source, sourceName, sourceOf } from "./source.js";
import type { ChainStatus, StatusPlan } from "./status.js";
import { fragmentOf, readTrust, TrustError, type TypedTrust, trustOfFragment } from "./trust.js";
import { badge, claimsView, rootView, standingOf, verdictOf } from "./views/claims.js";
import { appliedIn, nowView } from "./views/now.js";
import { receiptView, versionsOf, versionsView } from "./views/receipt.js";
import { isSilent, refusedVerdict, refusedView, trustFault } from "./views/refused.js";
import { ask } from "./worker-text.js";

const POLL_MILLIS = 5_000;
const TICK_MILLIS = 1_000;
/** Evidence is collected again when something happened, and this often besides. */
const CHECK_MILLIS = 60_000;

class Page {
  readonly #saved = readSaved();
  readonly #verifier = element("verify-worker").textContent ?? "";
  readonly #source: Source | undefined;
  readonly #live: LiveSource | undefined;
  readonly #runner: Runner;
  #trust: TypedTrust | undefined;
  /** What is wrong with the trusted block in the address; "": nothing. */
  #fragmentFault = "";
  /** The fragment of the block that the reader typed, or has compared. */
  #own = "";
  #said: Checked | Refused | undefined;
  #lastChecked: Checked | undefined;
  #look: Live = { status: undefined, proposals: [] };
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checkedFor = "";
  #isChecking = false;
  #isPolling = false;

  constructor() {
    this.#source = this.#saved ? undefined : sourceOf(location.href);
    this.#live = this.#source && new LiveSource(this.#source);
    this.#runner = new Runner(this.#verifier, this.#source, this.#saved?.run);
  }

  begin(): void {
    say("source", this.#source ? `Source: ${sourceName(this.#source)}` : "Saved with its evidence; no server is asked");
    this.#readFragment();
    element("trust").addEventListener("submit", (event) => this.#takeTrust(event));
    element("root").addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.id === "compared") this.#compared();
    });
    element("save").addEventListener("click", () => this.#save());
    element("run").addEventListener("click", () => void this.#runner.run());
    element("run-cancel").addEventListener("click", () => this.#runner.cancel());
    addEventListener("hashchange", () => {
      this.#readFragment();
      void this.#check();
    });
    document.addEventListener("visibilitychange", () => document.hidden || void this.#poll());
    setInterval(() => document.hidden || void this.#poll(), POLL_MILLIS);
    setInterval(() => document.hidden || this.#tick(), TICK_MILLIS);
    reportHeight();
    void this.#poll();
  }

  /** A migration is looked at each second: it may be over in a few. */
  #tick(): void {
    if (this.#look.status?.phase === "migrating") void this.#poll();
    else this.#drawNow();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    await this.#asked().finally(() => {
      this.#isPolling = false;
    });
  }

  async #asked(): Promise<void> {
    if (!this.#live) return this.#said ? undefined : this.#check();
    this.#look = await this.#live.look(this.#plan(), Date.now());
    this.#drawNow();
    const { status } = this.#look;
    const event = eventOf(status, this.#contradicts());
    if (event === this.#checkedFor && Date.now() - this.#checkedAt < CHECK_MILLIS) return;
    await this.#check(event);
    // A chain without a status of its own has the plan that was just verified.
    if (!status?.plan && this.#plan()) this.#look = await this.#live.look(this.#plan(), Date.now());
    this.#drawNow();
  }

  async #check(event = this.#checkedFor): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const trust = this.#trust;
    const fault = this.#fragmentFault;
    const upgradeHeight = this.#look.status?.last?.height;
    const of = this.#source
      ? { rpc: this.#source.rpc, plan: this.#source.plan, upgradeHeight }
      : { evidence: this.#saved?.evidence };
    try {
      if (fault !== "") this.#take({ kind: "refused", code: "", reason: "fragment", message: fault });
      else this.#take(await ask<VerifyAsked, Checked | Refused>(this.#verifier, { kind: "claims", of, trust }));
    } catch (error) {
      this.#take({ kind: "refused", code: "", message: String(error) });
    }
    this.#isChecking = false;
    this.#checkedFor = event;
    this.#checkedAt = Date.now();
    // A hash that was entered meanwhile is not what was checked.
    if (trust !== this.#trust || fault !== this.#fragmentFault) await this.#check();
  }

  #take(said: Checked | Refused): void {
    if (said.kind === "refused" && isSilent(said) && this.#lastChecked && this.#said?.kind === "checked") {
      say("verdict", `The source does not respond; below is what was checked at height ${this.#lastChecked.height}.`);
      return;
    }
    this.#said = said;
    if (said.kind === "checked") this.#lastChecked = said;
    say("verdict", said.kind === "checked" ? verdictOf(said, Date.now()) : refusedVerdict(said, this.#trust));
    if (said.kind === "checked") this.#drawChecked(said);
    else this.#drawRefused(said);
    setHidden("rest", false);
    setHidden("foot", false);
    this.#drawNow();
  }

  #drawNow(): void {
    const { status, proposals } = this.#look;
    const proposal = proposalOf(proposals, status?.plan);
    const isRefused = this.#said?.kind === "refused" && !isSilent(this.#said) && !trustFault(this.#said, this.#trust);
    const checked = this.#said?.kind === "refused" && !isSilent(this.#said) ? undefined : this.#lastChecked;
    const view = nowView({ status, proposal, checked, now: Date.now(), source: this.#source, isRefused });
    const now = element("now");
    now.dataset["mood"] = view.mood;
    now.classList.toggle("reported", view.isReported === true);
    show("now-label", [view.label]);
    say("now-title", view.title);
    show("now-body", view.body);
  }

  /** A report that is newer than the evidence may be right. */
  #contradicts(): boolean {
    const { status } = this.#look;
    const isNewer = status !== undefined && this.#lastChecked !== undefined && status.height > this.#lastChecked.height;
    return isNewer && contradictionOf(status, this.#lastChecked, this.#source?.isOwn === true) !== undefined;
  }

  #drawChecked(checked: Checked): void {
    const now = Date.now();
    const standing = standingOf(checked, now);
    const header = claimOf(checked, "header");
    show("chain", [`Chain: ${checked.chainId} `, header && badge(header.state, standing)]);
    document.title = `Upgrade status of ${visible(checked.chainId)}`;
    show("claims", claimsView(checked, now));
    show("root", rootView(checked));
    const after = versionsOf(checked);
    setHidden("versions-section", after === undefined);
    if (after)
      show(
        "versions",
        versionsView({ after, before: checked.before, standing, isAfter: appliedIn(checked) !== undefined }),
      );
    const claim = checked.claims.find(({ id }) => id === "receipt");
    setHidden("receipt-section", checked.receipt === undefined);
    if (checked.receipt && claim) {
      show("receipt", receiptView(checked.receipt, claim.state, standing));
      void this.#runner.offer(checked.receipt, this.#trust);
    }
    element<HTMLButtonElement>("save").disabled = false;
  }

  #drawRefused(refused: Refused): void {
    const source = this.#source ? evidenceName(this.#source) : "this file";
    show("chain", []);
    document.title = "Upgrade status";
    show("claims", refusedView(refused, { trust: this.#trust, source }));
    show("root", []);
    setHidden("versions-section", true);
    setHidden("receipt-section", true);
    element<HTMLButtonElement>("save").disabled = true;
  }

  /** The plan as it was verified. */
  #plan(): StatusPlan | undefined {
    const claim = this.#lastChecked?.claims.find(({ id }) => id === "plan");
    return claim?.id === "plan" ? claim.value : undefined;
  }

  #readFragment(): void {
    try {
      const trust = trustOfFragment(location.hash);
      const isOwn = trust && fragmentOf(trust) === this.#own;
      this.#trust = isOwn ? { ...trust, from: "yours" } : trust;
      this.#fragmentFault = "";
      this.#trustError(undefined);
    } catch (error) {
      this.#trust = undefined;
      this.#fragmentFault = trustErrorOf(error).message;
      this.#trustError(trustErrorOf(error));
    }
  }

  #takeTrust(event: Event): void {
    event.preventDefault();
    const [height, hash] = [element<HTMLInputElement>("trust-height"), element<HTMLInputElement>("trust-hash")];
    try {
      const trust = readTrust(height.value, hash.value, "yours");
      this.#trustError(undefined);
      this.#begin(trust);
    } catch (error) {
      const wrong = trustErrorOf(error);
      this.#trustError(wrong);
      (wrong.field === "hash" ? hash : height).focus();
    }
  }

  /** The block that was shown beside the button, and no later one. */
  #compared(): void {
    if (this.#said?.kind !== "checked") return;
    const { height, hash } = this.#said.root;
    // What was only there to be compared goes at once, not under the reader's eyes a while later.
    const own: Checked = { ...this.#said, root: { height, hash, from: "yours" } };
    show("claims", claimsView(own, Date.now()));
    show("root", rootView(own));
    this.#begin(readTrust(String(height), hash, "yours"));
  }

  /** From a block that the reader vouches for; its address is for bookmarks. */
  #begin(trust: TypedTrust): void {
    this.#own = fragmentOf(trust);
    if (location.hash !== this.#own) {
      location.hash = this.#own;
      return;
    }
    this.#readFragment();
    void this.#check();
  }

  #trustError(wrong: TrustError | undefined): void {
    say("trust-error", wrong?.message ?? "");
    setHidden("trust-error", wrong === undefined);
    for (const field of ["height", "hash"]) {
      const isWrong = wrong !== undefined && wrong.field === field;
      element(`trust-${field}`).setAttribute("aria-invalid", String(isWrong));
    }
  }

  #save(): void {
    if (this.#said?.kind !== "checked") return;
    const { chainId, height, evidence } = this.#said;
    download(`upgrade-${chainId.replace(/[^\w.-]/g, "_")}-${height}.html`, savedPage(evidence, this.#runner.kept));
  }
}

function trustErrorOf(error: unknown): TrustError {
  if (error instanceof TrustError) return error;
  throw error;
}

/** A block more is no event; another plan or phase, and a plan whose height is reached, are. */
function eventOf(status: ChainStatus | undefined, contradicts: boolean): string {
  const { phase, plan, height, last } = status ?? {};
  const isPast = plan !== undefined && height !== undefined && height > plan.height;
  return `${phase} ${plan?.name} ${plan?.height} ${isPast} ${last?.height} ${contradicts ? height : ""}`;
}

/** For a site that has the page in an iframe. */
function reportHeight(): void {
  if (parent === window) return;
  new ResizeObserver(() => {
    parent.postMessage({ chainUpgradeHeight: document.documentElement.scrollHeight }, "*");
  }).observe(document.body);
}

try {
  new Page().begin();
} catch (error) {
  say("verdict", error instanceof Error ? error.message : String(error));
}
