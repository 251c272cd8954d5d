/** Asking a person: passwords without an echo, a mnemonic, yes or no. Input may come through a pipe, a line each. */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { UpgradeError } from "../errors/errors.js";
import type { Io } from "./io.js";
import { usage } from "./usage.js";

/** How long a pipe may keep us waiting for a line; a person takes as long as it takes. */
const PIPE_MILLIS = 30_000;
const LINE_LENGTH_MAX = 65_536;

export interface Prompt {
  /** @throws UpgradeError UPG_INVALID_ARGUMENT when there is no input */
  line(question: string): Promise<string>;
  /** The same without an echo. */
  secret(question: string): Promise<string>;
  close(): void;
}

export function makePrompt(io: Pick<Io, "stdin" | "stderr">): Prompt {
  return io.stdin.isTTY ? new TerminalPrompt(io) : new PipePrompt(io.stdin);
}

class TerminalPrompt implements Prompt {
  constructor(private readonly io: Pick<Io, "stdin" | "stderr">) {}

  line(question: string): Promise<string> {
    return ask(createInterface({ input: this.io.stdin, output: this.io.stderr, terminal: true }), question);
  }

  secret(question: string): Promise<string> {
    this.io.stderr.write(question);
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const silent = createInterface({ input: this.io.stdin, output: nowhere, terminal: true });
    return ask(silent, "").finally(() => this.io.stderr.write("\n"));
  }

  close(): void {
    this.io.stdin.pause();
  }
}

function ask(terminal: Interface, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(usage("cancelled: no answer was given"));
    terminal.once("close", refuse);
    terminal.once("SIGINT", () => terminal.close());
    terminal.question(question, (answer) => {
      terminal.off("close", refuse);
      terminal.close();
      resolve(answer);
    });
  });
}

function unanswered(question: string): UpgradeError {
  const asked = question.trim().replace(/[:?]$/, "");
  return usage(`no answer to "${asked}": run the command at a terminal, or pipe the answers to it, a line each`);
}

/** Lines of a pipe. What comes before it is asked for is kept. */
class PipePrompt implements Prompt {
  #text = "";
  #hasEnded = false;
  #wake: (() => void) | undefined;
  #isReading = false;

  constructor(private readonly stdin: Io["stdin"]) {}

  async line(question: string): Promise<string> {
    this.#start();
    const until = Date.now() + PIPE_MILLIS;
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0 || (this.#hasEnded && this.#text !== "")) return this.#take(end);
      if (this.#hasEnded || Date.now() >= until) throw unanswered(question);
      if (this.#text.length > LINE_LENGTH_MAX) throw usage("a line of the input is too long");
      await this.#more(until - Date.now());
    }
  }

  secret(question: string): Promise<string> {
    return this.line(question);
  }

  close(): void {
    this.stdin.removeAllListeners("data");
    this.stdin.pause();
    this.stdin.unref?.();
  }

  #take(end: number): string {
    const line = end < 0 ? this.#text : this.#text.slice(0, end);
    this.#text = end < 0 ? "" : this.#text.slice(end + 1);
    return line.replace(/\r$/, "");
  }

  #start(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.stdin.setEncoding("utf8");
    this.stdin.on("data", (text: string) => {
      this.#text += text;
      this.#wake?.();
    });
    const ended = () => {
      this.#hasEnded = true;
      this.#wake?.();
    };
    this.stdin.once("end", ended).once("error", ended);
  }

  #more(millis: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
