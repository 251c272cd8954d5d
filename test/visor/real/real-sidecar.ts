/** `chainvisor run start` over a home, as a process that may be killed, and its node with it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { MARK } from "../../../host/visor/decide/child-env.js";
import { left } from "../../../host/visor/decide/orphaned-processes.js";
import { NO_SERVERS } from "../../e2e/no-servers.js";
import { BLOCK_TIME } from "../../e2e/prepared-home.js";
import { DIST } from "./programs.js";
import { HALT_HEIGHT, type RealHome } from "./real-home.js";

export const TARGETS = ["sidecar", "node", "both"] as const;
export type Target = (typeof TARGETS)[number];

export interface SidecarOptions {
  readonly home: RealHome;
  readonly isBackedUp: boolean;
}

export class RealSidecar {
  readonly #child: ChildProcess;
  readonly #root: string;
  readonly ended: Promise<number | null>;
  log = "";

  constructor({ home, isBackedUp }: SidecarOptions) {
    this.#root = join(home.path, "cosmovisor");
    const own = {
      ...{ DAEMON_NAME: "chaind", DAEMON_HOME: home.path, DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" },
      ...{ UNSAFE_SKIP_BACKUP: String(!isBackedUp), CHAINVISOR_STATUS_ADDRESS: "", CHAINVISOR_RPC_ADDRESS: "" },
    };
    const flags = [...NO_SERVERS, "--logical-clock", "--block-time", BLOCK_TIME, "--halt-height", String(HALT_HEIGHT)];
    const args = [join(DIST, "chainvisor.js"), "run", "start", "--home", home.path, ...flags];
    this.#child = spawn(process.execPath, args, {
      env: { ...process.env, ...own },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log += text;
    });
    this.ended = once(this.#child, "exit").then(([exit]) => exit as number | null);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** @returns whether there was something to kill */
  kill(target: Target): boolean {
    const nodes = target === "sidecar" ? [] : left(MARK, this.#root);
    // First: so it sees nothing of the other death.
    const isKilled = target !== "node" && !this.hasEnded && this.#child.kill("SIGKILL");
    for (const node of nodes) node.kill("SIGKILL");
    return isKilled || nodes.length > 0;
  }

  /** Of the node, however the sidecar has ended. */
  get leftRunning(): number {
    return left(MARK, this.#root).length;
  }
}
