/** Where trust begins: what the reader types in, what the address names, and which of the two the reader vouches for. */
import { element, say, setHidden } from "./elements.js";
import { fragmentOf, readDays, readTrust, TrustError, type TypedTrust, trustOfFragment } from "./trust.js";

export class TrustForm {
  /** Undefined: none is named, or what is named is wrong. */
  trust: TypedTrust | undefined;
  /** What is wrong with the trusted block in the address; "": nothing. */
  fault = "";
  /** The fragment of the block that the reader typed, or has compared. */
  #own = "";
  #days: number | undefined;
  /** Of an earlier visit. */
  #kept: TypedTrust | undefined;

  /** @param changed called when trust begins elsewhere from now on */
  constructor(private readonly changed: () => void) {}

  begin(): void {
    this.#readFragment();
    element("trust").addEventListener("submit", (event) => this.#take(event));
    addEventListener("hashchange", () => {
      this.#readFragment();
      this.changed();
    });
  }

  /** Begins from an earlier visit's block, unless the address names another one. */
  recall(kept: TypedTrust | undefined): void {
    this.#kept = kept;
    this.#readFragment();
  }

  /** Trust begins at a block that the reader vouches for; its address is for bookmarks. */
  use(trust: Omit<TypedTrust, "from">): void {
    this.#own = fragmentOf(trust);
    if (location.hash !== this.#own) {
      location.hash = this.#own;
      return;
    }
    this.#readFragment();
    this.changed();
  }

  #readFragment(): void {
    try {
      const trust = trustOfFragment(location.hash);
      const kept = this.#kept;
      const isKept = kept && (!trust || fragmentOf(trust) === fragmentOf(kept));
      const isOwn = trust && fragmentOf(trust) === this.#own;
      if (isOwn) this.trust = { ...trust, from: "yours", ...(this.#days ? { days: this.#days } : {}) };
      else this.trust = isKept ? kept : trust;
      this.fault = "";
      this.#mark(undefined);
    } catch (error) {
      this.trust = undefined;
      this.fault = trustErrorOf(error).message;
      this.#mark(trustErrorOf(error));
    }
  }

  #take(event: Event): void {
    event.preventDefault();
    const input = (field: string) => element<HTMLInputElement>(`trust-${field}`);
    const [height, hash, days] = [input("height"), input("hash"), input("days")];
    try {
      const trust = readTrust(height.value, hash.value, "yours");
      this.#days = readDays(days.value);
      this.#mark(undefined);
      this.use(trust);
    } catch (error) {
      const wrong = trustErrorOf(error);
      this.#mark(wrong);
      input(wrong.field ?? "height").focus();
    }
  }

  #mark(wrong: TrustError | undefined): void {
    say("trust-error", wrong?.message ?? "");
    setHidden("trust-error", wrong === undefined);
    for (const field of ["height", "hash", "days"]) {
      const isWrong = wrong !== undefined && wrong.field === field;
      element(`trust-${field}`).setAttribute("aria-invalid", String(isWrong));
    }
  }
}

function trustErrorOf(error: unknown): TrustError {
  if (error instanceof TrustError) return error;
  throw error;
}
