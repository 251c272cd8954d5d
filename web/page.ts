/** The page: asks, has it verified by the worker, and draws what came out. */
import { messageOf } from "../host/base/errors/errors.js";
import { visible } from "../host/base/text/visible.js";
import { element, say, setHidden, show } from "./elements.js";
import { forgetTrust, keepTrust, keptTrust } from "./kept-trust.js";
import { type Live, LiveSource } from "./live.js";
import type { Checked, Refused, VerifyAsked } from "./messages.js";
import { proposalOf } from "./proposal.js";
import { eventOf } from "./recheck-event.js";
import { claimOf } from "./report.js";
import { Runner } from "./runner.js";
import { download, onOpenedFile, openFile, readSaved, type Saved, savedPage } from "./saved.js";
import { evidenceName, type Source, sourceName, sourceOf } from "./source.js";
import type { StatusPlan } from "./status.js";
import { TrustForm } from "./trust-form.js";
import { badge, claimsView, rootView, standingOf, verdictOf } from "./views/claims.js";
import { appliedIn, type FileOrigin, nowView } from "./views/now.js";
import { receiptView, versionsOf, versionsView } from "./views/receipt.js";
import { isSilent, refusedVerdict, refusedView, trustFault } from "./views/refused.js";
import { ask } from "./worker-text.js";

const POLL_MILLIS = 5_000;
const TICK_MILLIS = 1_000;
/** Evidence is collected again when something happened, and this often besides. */
const CHECK_MILLIS = 60_000;

const NOTHING: Live = { status: undefined, proposals: [] };
const TITLE = "Upgrade status";

class Page {
  readonly #verifier = element("verify-worker").textContent ?? "";
  readonly #form = new TrustForm(() => void this.#check());
  /** Undefined: a file is judged, and no server is asked. */
  #source: Source | undefined;
  #live: LiveSource | undefined;
  #runner: Runner;
  #said: Checked | Refused | undefined;
  #lastChecked: Checked | undefined;
  #look: Live = NOTHING;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checkedFor = "";
  #recalled: string | undefined;
  #isChecking = false;
  #isPolling = false;

  /** @param saved what the page was saved with; undefined: it came from a server */
  constructor(
    private saved: Saved | undefined,
    private origin: FileOrigin = "own",
  ) {
    this.#source = saved ? undefined : sourceOf(location.href);
    this.#live = this.#source && new LiveSource(this.#source);
    this.#runner = new Runner(this.#verifier, this.#source, saved?.run);
  }

  begin(): void {
    say("source", this.#source ? `Source: ${sourceName(this.#source)}` : "Saved with its evidence; no server is asked");
    this.#form.begin();
    element("root").addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      if (target.id === "compared") this.#compared();
      if (target.id === "forget") this.#forget();
    });
    element("save").addEventListener("click", () => this.#save());
    element("run").addEventListener("click", () => void this.#runner.run());
    element("run-cancel").addEventListener("click", () => this.#runner.cancel());
    onOpenedFile((file) => void this.#open(file));
    document.addEventListener("visibilitychange", () => document.hidden || void this.#poll());
    setInterval(() => document.hidden || void this.#poll(), POLL_MILLIS);
    setInterval(() => document.hidden || this.#tick(), TICK_MILLIS);
    reportHeight();
    void this.#poll();
  }

  /** From now on the file is judged, by this page's own code; its source is asked again when the page is loaded again. */
  async #open(file: File): Promise<void> {
    const saved = await openFile(file).catch((error: unknown) => messageOf(error));
    say("open-error", typeof saved === "string" ? saved : "");
    setHidden("open-error", typeof saved !== "string");
    if (typeof saved === "string") return;
    [this.saved, this.origin, this.#source, this.#live] = [saved, "opened", undefined, undefined];
    this.#runner.cancel();
    this.#runner = new Runner(this.#verifier, undefined, saved.run);
    [this.#said, this.#lastChecked, this.#look] = [undefined, undefined, NOTHING];
    say("source", `Opened file: ${file.name}; no server is asked about it`);
    setHidden("close", false);
    say("verdict", "Verifying the file…");
    await this.#check();
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
    const live = this.#live;
    if (!live) return this.#said ? undefined : this.#check();
    await this.#lookAt(live);
    const { status } = this.#look;
    this.#recall(status?.chainId);
    const event = eventOf(status, this.#lastChecked, this.#source?.isOwn === true);
    if (event === this.#checkedFor && Date.now() - this.#checkedAt < CHECK_MILLIS) return;
    await this.#check(event);
    // A chain without a status of its own has the plan that was just verified.
    if (!status?.plan && this.#plan()) await this.#lookAt(live);
    else this.#drawNow();
  }

  /** Once for each chain that the server names; what is kept is verified like any other block. */
  #recall(chainId: string | undefined): void {
    if (chainId === undefined || chainId === this.#recalled || !this.#source) return;
    this.#recalled = chainId;
    const { trust, notice } = keptTrust(chainId, this.#source.rpc, Date.now());
    this.#form.recall(trust);
    this.#showKeptNotice(notice);
  }

  async #lookAt(live: LiveSource): Promise<void> {
    const look = await live.look(this.#plan(), Date.now());
    // A file may have been opened meanwhile.
    if (live !== this.#live) return;
    this.#look = look;
    this.#drawNow();
  }

  async #check(event = this.#checkedFor): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { trust, fault } = this.#form;
    const { saved } = this;
    const upgradeHeight = this.#look.status?.last?.height;
    const known = this.#lastChecked?.evidence;
    const of = this.#source
      ? { rpc: this.#source.rpc, plan: this.#source.plan, upgradeHeight, known }
      : { evidence: saved?.evidence };
    const said = await this.#judged(fault, { kind: "claims", of, trust });
    this.#isChecking = false;
    // A hash that was entered meanwhile, or a file that was opened, is not what was checked.
    const isSame = trust === this.#form.trust && fault === this.#form.fault && saved === this.saved;
    if (!isSame) return this.#check(event);
    this.#checkedFor = event;
    this.#checkedAt = Date.now();
    this.#take(said);
  }

  async #judged(fault: string, asked: VerifyAsked): Promise<Checked | Refused> {
    if (fault !== "") return { kind: "refused", code: "", reason: "fragment", message: fault };
    try {
      return await ask<VerifyAsked, Checked | Refused>(this.#verifier, asked);
    } catch (error) {
      return { kind: "refused", code: "", message: messageOf(error) };
    }
  }

  #take(said: Checked | Refused): void {
    if (said.kind === "refused" && isSilent(said) && this.#lastChecked && this.#said?.kind === "checked") {
      say("verdict", `The source does not respond; below is what was checked at height ${this.#lastChecked.height}.`);
      return;
    }
    this.#said = said;
    if (said.kind === "checked") this.#lastChecked = said;
    say("verdict", said.kind === "checked" ? verdictOf(said, Date.now()) : refusedVerdict(said, this.#form.trust));
    if (said.kind === "checked") this.#drawChecked(said);
    else this.#drawRefused(said);
    setHidden("rest", false);
    setHidden("foot", false);
    this.#drawNow();
  }

  #drawNow(): void {
    const { status, proposals } = this.#look;
    const proposal = proposalOf(proposals, status?.plan);
    const isRefused =
      this.#said?.kind === "refused" && !isSilent(this.#said) && !trustFault(this.#said, this.#form.trust);
    const checked = this.#said?.kind === "refused" && !isSilent(this.#said) ? undefined : this.#lastChecked;
    const { origin } = this;
    const view = nowView({ status, proposal, checked, now: Date.now(), source: this.#source, origin, isRefused });
    const now = element("now");
    now.dataset["mood"] = view.mood;
    now.classList.toggle("reported", view.isReported === true);
    show("now-label", [view.label]);
    say("now-title", view.title);
    show("now-body", view.body);
  }

  #drawChecked(checked: Checked): void {
    const now = Date.now();
    const standing = standingOf(checked, now);
    const header = claimOf(checked, "header");
    show("chain", [`Chain: ${checked.chainId} `, header && badge(header.state, standing)]);
    // A server that names its own root chooses the name, and a tab has no place for a label.
    document.title = checked.root.from === "yours" ? `Upgrade status of ${visible(checked.chainId)}` : TITLE;
    show("claims", claimsView(checked, now));
    show("root", rootView(checked, this.#keep(checked)));
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
      void this.#runner.offer(checked.receipt, this.#form.trust, checked.evidence);
    }
    element<HTMLButtonElement>("save").disabled = false;
  }

  /** False: nothing is kept of it. */
  #keep(checked: Checked): boolean {
    const { trust } = this.#form;
    const isOwn = checked.root.from === "yours" && trust?.from === "yours" && !checked.isExpired;
    const isKept = isOwn && this.#source !== undefined && keepTrust(checked, this.#source.rpc, trust);
    if (isKept) this.#showKeptNotice(undefined);
    return isKept;
  }

  #showKeptNotice(notice: string | undefined): void {
    say("trust-kept", notice ?? "");
    setHidden("trust-kept", notice === undefined);
  }

  #forget(): void {
    if (this.#said?.kind !== "checked" || !this.#source) return;
    forgetTrust(this.#said.chainId, this.#source.rpc);
    // The address names the block too.
    location.hash = "";
    location.reload();
  }

  #drawRefused(refused: Refused): void {
    const source = this.#source ? evidenceName(this.#source) : "this file";
    show("chain", []);
    document.title = TITLE;
    show("claims", refusedView(refused, { trust: this.#form.trust, source }));
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

  /** The block that was shown beside the button, and no later one. */
  #compared(): void {
    if (this.#said?.kind !== "checked") return;
    const { height, hash } = this.#said.root;
    // What was only there to be compared goes at once, not under the reader's eyes a while later.
    const own: Checked = { ...this.#said, root: { ...this.#said.root, from: "yours" } };
    show("claims", claimsView(own, Date.now()));
    show("root", rootView(own));
    this.#form.use({ height, hash: hash.toLowerCase() });
  }

  #save(): void {
    if (this.#said?.kind !== "checked") return;
    const { chainId, height, evidence } = this.#said;
    download(`upgrade-${chainId.replace(/[^\w.-]/g, "_")}-${height}.html`, savedPage(evidence, this.#runner.kept));
  }
}

/** For a site that has the page in an iframe. */
function reportHeight(): void {
  if (parent === window) return;
  new ResizeObserver(() => {
    parent.postMessage({ chainUpgradeHeight: document.documentElement.scrollHeight }, "*");
  }).observe(document.body);
}

readSaved()
  .then((saved) => new Page(saved).begin())
  .catch((error: unknown) => {
    say("verdict", messageOf(error));
    say("now-title", "No server is asked");
  });
