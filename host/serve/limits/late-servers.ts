/**
 * The servers of a node whose blocks CometBFT decides. CometBFT need not wait until they are loaded and open: that begins when it
 * has asked where the application is.
 */
/** CometBFT that asks nothing for so long has work of its own, or is absent. */
const PATIENCE_MILLIS = 2_000;

interface Opened {
  close(): Promise<void>;
}

export class LateServers {
  /** Rejects when they cannot be opened; else it never settles. */
  readonly failed: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  #fail: (error: unknown) => void = () => undefined;
  #servers: Promise<Opened> | undefined;
  #isClosed = false;

  constructor(private readonly open: () => Promise<Opened>) {
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
    this.#timer = setTimeout(() => this.#beginBeside(), PATIENCE_MILLIS);
  }

  /** Opens them, once. Settles when that is done; rejects as `failed` does. */
  async begin(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#servers && !this.#isClosed) {
      this.#servers = this.open();
      this.#servers.catch(this.#fail);
    }
    await this.#servers;
  }

  /** What fails is seen by who looks at `failed`. */
  readonly #beginBeside = (): void => {
    this.begin().catch(() => undefined);
  };

  /** As `begin`, once what is under way has been written. */
  beginSoon(): void {
    setImmediate(this.#beginBeside);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const servers = await this.#servers?.catch(() => undefined);
    await servers?.close();
  }
}
