/** A home of its own for a scene: its chain, its disk, and its programs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../e2e/free-port.js";
import { makeBlocksUpTo, makeHome, type PlannedUpgrade, schedule, withNode } from "../e2e/prepared-home.js";
import type { Packed } from "../scenario/wallet.js";
import { mountDisk } from "../small-disk.js";
import { Governor, governedGenesis } from "./governor.js";
import { command, HANDLERS, newProgram, oldProgram, type Ports, Supervised } from "./supervised.js";

export interface BedOptions {
  /** Bytes of a disk of its own for the home. */
  readonly disk?: number;
  /** The plan that the state has at the start. */
  readonly plan?: PlannedUpgrade;
  /** Version 2 was applied before, so that a handler may be the next upgrade. */
  readonly isAtV2?: boolean;
  /** Variables besides. @param root a folder beside the home */
  readonly env?: (root: string) => Readonly<Record<string, string>>;
}

/** A home of its own for a scene, with one validator. */
export class Bed extends Supervised {
  readonly #root: string;
  readonly #disk: string | undefined;
  readonly #governor: Governor;

  private constructor(options: BedOptions, ports: Ports) {
    const disk = options.disk === undefined ? undefined : mountDisk(options.disk);
    if (options.disk !== undefined && disk === undefined) throw new Error("this user may not mount a disk");
    const root = mkdtempSync(join(tmpdir(), "chain-upgrade-readiness-"));
    const servers = [
      `--rpc.laddr=tcp://127.0.0.1:${ports.rpc}`,
      `--api.address=tcp://127.0.0.1:${ports.api}`,
      // Blocks come with transactions: nothing is too late on a slow machine.
      ...["--grpc.enable=false", "--create-empty-blocks=false", "--block-time", "100ms"],
    ];
    super(join(disk ?? root, "home"), ports, servers, { HOME: root, ...options.env?.(root) });
    this.#root = root;
    this.#disk = disk;
    this.#governor = new Governor(ports.rpc);
    makeHome(this.home, governedGenesis());
    const { plan, isAtV2 = false } = options;
    withNode({ path: this.home, handlers: HANDLERS, appVersion: 1n }, (node) => {
      if (isAtV2) schedule(node, { name: "v2", height: 3n });
      makeBlocksUpTo(node, isAtV2 ? 2n : 4n);
      if (plan && !isAtV2) schedule(node, plan);
    });
    if (isAtV2) {
      withNode({ path: this.home, handlers: HANDLERS }, (node) => {
        makeBlocksUpTo(node, 4n);
        if (plan) schedule(node, plan);
      });
    }
    this.place("genesis", isAtV2 ? newProgram() : oldProgram());
  }

  static async make(options: BedOptions): Promise<Bed> {
    const [rpc, api, status] = [await freePort(), await freePort(), await freePort()];
    return new Bed(options, { rpc, api, status });
  }

  /** Messages of a proposal that passes, while the node runs. */
  govern(messages: readonly Packed[]): Promise<void> {
    return this.#governor.govern(messages);
  }

  protected override nudge(): Promise<unknown> {
    return this.#governor.bump();
  }

  /** Runs the old program alone until it halts at the plan. */
  async halted(height: number): Promise<void> {
    this.startAlone();
    await this.untilHeight(height);
    if (this.end !== ", exit 10") throw new Error(`expected exit 10 at the height, got ${this.end || "none"}`);
    this.isAlone = false;
  }

  /** A file outside the home. */
  file(name: string, bytes: string | Uint8Array): string {
    const path = join(this.#root, name);
    writeFileSync(path, bytes, { mode: 0o755 });
    return path;
  }

  async close(): Promise<void> {
    await this.killAll();
    await sleep(200);
    for (const folder of [this.#root, this.#disk]) {
      if (folder === undefined) continue;
      if (folder === this.#disk) await command("umount", ["-l", folder], process.env);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}
