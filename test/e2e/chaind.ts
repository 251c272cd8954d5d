/** Real processes: homes that are prepared in this process, and `dist/chaind.js` run on them until it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toHex } from "../../host/base/text/bytes.js";
import type { HaltRecord } from "../../host/upgrade/module/halt.js";
import { DIST } from "../dist.js";
import { type HaltFacts, haltInLog } from "../halt-line.js";
import { chaindHere } from "../in-process.js";
import { genesisText } from "../scenario/genesis-text.js";
import { killAfterTests, newPath } from "../test-folder.js";
import { NO_SERVERS } from "./no-servers.js";
import { BLOCK_TIME, makeBlocksUpTo, makeHome, type PlannedUpgrade, schedule, withNode } from "./prepared-home.js";

export { DIST, NO_SERVERS };

const CHAIND = join(DIST, "chaind.js");
const HANDLERS = join(DIST, "handlers");
/** Blocks as fast as they can be made, with times that count them. */
const FAST = [...NO_SERVERS, "--logical-clock", "--block-time", BLOCK_TIME];

export interface End {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs; `end` settles when it is gone. */
export interface Running {
  readonly child: ChildProcess;
  readonly end: Promise<End>;
  /** As far as it was written. */
  readonly stderr: string;
  /** Waits until its words on stderr hold this text. @throws Error when it ends before */
  says(text: string): Promise<void>;
}

export function run(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** In a process group of its own, as of a terminal or a service. */
  detached = false,
): Running {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env }, detached });
  killAfterTests(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const end = new Promise<End>((resolve) => {
    child.once("close", (exit, signal) => resolve({ exit, signal, stdout, stderr }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => stderr.includes(text) && resolve();
      child.stderr.on("data", look);
      child.once("close", () => reject(new Error(`ended without saying ${JSON.stringify(text)}:\n${stderr}`)));
      look();
    });
  return {
    ...{ child, end, says },
    get stderr() {
      return stderr;
    },
  };
}

export class TestHome {
  readonly path = newPath("home");

  constructor(genesis = genesisText()) {
    makeHome(this.path, genesis);
  }

  data(name: string): string {
    return join(this.path, "data", name);
  }

  /** Makes blocks up to `upTo`, with a plan scheduled in the first of them. */
  schedule(plan: PlannedUpgrade, upTo: bigint, appVersion = 1n): this {
    withNode({ path: this.path, handlers: HANDLERS, appVersion }, (node) => {
      schedule(node, plan);
      makeBlocksUpTo(node, upTo);
    });
    return this;
  }

  /** Height and app hash of the last block. */
  get last(): { height: string; appHash: string } {
    return withNode({ path: this.path, handlers: HANDLERS }, (node) => ({
      height: String(node.app.lastCommitID.version),
      appHash: toHex(node.app.lastCommitID.hash).toUpperCase(),
    }));
  }

  /** `chaind start`, with blocks as fast as they can be made. */
  start(...args: readonly string[]): Running {
    return run(CHAIND, ["start", "--home", this.path, "--log_format", "json", ...FAST, ...args]);
  }

  /** The same, called in this process: for a node that makes some blocks, halts or refuses. */
  async startHere(...args: readonly string[]): Promise<End> {
    const { status, ...output } = await chaindHere([
      ...["start", "--home", this.path, "--log_format", "json", ...FAST, ...args],
    ]);
    return { exit: status, signal: null, ...output };
  }

  /** The same program in a bundle of its own, which schedules a plan in a block: `<block>:<name>:<height>`. */
  startScheduling(worker: string, schedule: string): Running {
    const handlers = ["--handlers", HANDLERS];
    const args = ["start", "--home", this.path, "--log_format", "json", ...FAST, ...handlers];
    return run(worker, args, { SIM_SCHEDULE: schedule });
  }

  startSlowly(...args: readonly string[]): Running {
    return run(CHAIND, [
      "start",
      "--home",
      this.path,
      "--log_format",
      "json",
      ...NO_SERVERS,
      "--block-time",
      "50ms",
      ...args,
    ]);
  }

  get haltRecord(): HaltRecord | undefined {
    return existsSync(this.data("halt.json")) ? JSON.parse(readFileSync(this.data("halt.json"), "utf8")) : undefined;
  }
}

/** The facts of its halt record that a process logged. */
export const loggedHalt = ({ stderr }: End): HaltFacts | undefined => haltInLog(stderr);
