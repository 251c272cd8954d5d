/** Where trust begins: what the reader types in, what the address names, and which of the two the reader vouches for. */
import { element, say, setHidden } from "./elements.js";
import { fragmentOf, readTrust, TrustError, type TypedTrust, trustOfFragment } from "./trust.js";

export class TrustForm {
  /** Undefined: none is named, or what is named is wrong. */
  trust: TypedTrust | undefined;
  /** What is wrong with the trusted block in the address; "": nothing. */
  fault = "";
  /** The fragment of the block that the reader typed, or has compared. */
  #own = "";

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
      const isOwn = trust && fragmentOf(trust) === this.#own;
      this.trust = isOwn ? { ...trust, from: "yours" } : trust;
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
    const [height, hash] = [element<HTMLInputElement>("trust-height"), element<HTMLInputElement>("trust-hash")];
    try {
      const trust = readTrust(height.value, hash.value, "yours");
      this.#mark(undefined);
      this.use(trust);
    } catch (error) {
      const wrong = trustErrorOf(error);
      this.#mark(wrong);
      (wrong.field === "hash" ? hash : height).focus();
    }
  }

  #mark(wrong: TrustError | undefined): void {
    say("trust-error", wrong?.message ?? "");
    setHidden("trust-error", wrong === undefined);
    for (const field of ["height", "hash"]) {
      const isWrong = wrong !== undefined && wrong.field === field;
      element(`trust-${field}`).setAttribute("aria-invalid", String(isWrong));
    }
  }
}

function trustErrorOf(error: unknown): TrustError {
  if (error instanceof TrustError) return error;
  throw error;
}
