/** The verifier's process, started again when a home has ended it, even after its verdict. */
import { type ChildProcess, fork } from "node:child_process";
import type { Verdict, VerifyRequest } from "./verifier.js";

const HANGS_AFTER_MILLIS = 60_000;

type Answer = { readonly verdict: Verdict } | { readonly failure: string };

export class VerifierProcess {
  #child: ChildProcess | undefined;
  /** How it ended while nothing was asked of it. */
  #ended: string | undefined;
  #said = "";

  constructor(private readonly script: string) {}

  /** @throws Error when the home cannot be looked at, or it or the one before ends the process that does */
  async verify(request: VerifyRequest): Promise<Verdict> {
    const before = this.#ended;
    this.#ended = undefined;
    if (before !== undefined) throw new Error(`after the verdict of the home before, ${before}`);
    this.#child ??= this.#start();
    const child = this.#child;
    this.#said = "";
    const answer = await new Promise<Answer>((resolve) => {
      const ended = () => {
        const failure = this.#ended ?? "";
        this.#ended = undefined;
        finish({ failure });
      };
      const watch = setTimeout(() => child.kill("SIGKILL"), HANGS_AFTER_MILLIS);
      const finish = (value: Answer) => {
        clearTimeout(watch);
        child.off("exit", ended).off("message", finish);
        resolve(value);
      };
      child.on("exit", ended).on("message", finish);
      // One that is ending cannot be asked: its end is the answer.
      child.send(request, () => undefined);
    });
    if ("failure" in answer) throw new Error(answer.failure);
    return answer.verdict;
  }

  stop(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill();
  }

  #start(): ChildProcess {
    const child = fork(this.script, [], { serialization: "advanced", stdio: ["ignore", "ignore", "pipe", "ipc"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    child.once("exit", (exit, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#ended = `the process that opened it ended with ${exit ?? signal}: ${this.#said}`;
    });
    return child;
  }
}
