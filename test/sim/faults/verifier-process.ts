/** The verifier's process, started again when a home has ended it. */
import { type ChildProcess, fork } from "node:child_process";
import type { Verdict, VerifyRequest } from "./verifier.js";

const HANGS_AFTER_MILLIS = 60_000;

type Answer = { readonly verdict: Verdict } | { readonly failure: string };

export class VerifierProcess {
  #child: ChildProcess | undefined;
  #said = "";

  constructor(private readonly script: string) {}

  /** @throws Error when the home cannot be looked at, or ends the process that does */
  async verify(request: VerifyRequest): Promise<Verdict> {
    this.#child ??= this.#start();
    const child = this.#child;
    this.#said = "";
    const answer = await new Promise<Answer>((resolve) => {
      const ended = (exit: number | null, signal: string | null) => {
        this.#child = undefined;
        finish({ failure: `the process that opened it ended with ${exit ?? signal}: ${this.#said}` });
      };
      const watch = setTimeout(() => child.kill("SIGKILL"), HANGS_AFTER_MILLIS);
      const finish = (value: Answer) => {
        clearTimeout(watch);
        child.off("exit", ended).off("message", finish);
        resolve(value);
      };
      child.on("exit", ended).on("message", finish);
      child.send(request);
    });
    if ("failure" in answer) throw new Error(answer.failure);
    return answer.verdict;
  }

  stop(): void {
    this.#child?.kill();
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const child = fork(this.script, [], { serialization: "advanced", stdio: ["ignore", "ignore", "pipe", "ipc"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    return child;
  }
}
