/** What commands work with in a test's own process: of the example chain, and of any other. */
import { PassThrough } from "node:stream";
import { FailureReporter } from "../host/base/terminal/fail.js";
import type { Io } from "../host/base/terminal/io.js";
import { makeOutput } from "../host/base/terminal/output.js";
import type { Chain } from "../host/chain/app/chain.js";
import type { Context } from "../host/cli/flags/context.js";
import { exampleChain } from "./example-chain.js";

/** Keeps what is written to it. */
class Kept extends PassThrough {
  readonly #texts: string[] = [];

  override write(chunk: unknown): boolean {
    this.#texts.push(String(chunk));
    return true;
  }

  get text(): string {
    return this.#texts.join("");
  }
}

export interface TestIo extends Io {
  readonly stdout: Kept;
  readonly stderr: Kept;
}

/** @param input what stdin holds */
export function testIo(env: Io["env"] = process.env, input = ""): TestIo {
  const stdin = new PassThrough();
  stdin.end(input);
  return { stdout: new Kept(), stderr: new Kept(), stdin, env };
}

export interface TestContext extends Context {
  readonly io: TestIo;
  /** As a command has set it. */
  readonly exitStatus: number;
}

/** Of one command: it remembers what was printed, and the exit status. Results are JSON for `-o json` of the program. */
export function contextOf(chain: Chain, io = testIo()): TestContext {
  const reporter = new FailureReporter(chain.name, io);
  const context = Object.assign(makeOutput({ opts: <T>() => ({}) as T }, io, chain.name), {
    ...{ chain, io, exitStatus: 0, openLog: reporter.openLog.bind(reporter) },
    setExitStatus: (status: number) => {
      context.exitStatus = status;
    },
  });
  return context;
}

export const exampleContext = contextOf(exampleChain);
