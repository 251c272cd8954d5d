/** `chaind replay`: all blocks of a home are run again, upgrades included, and each app hash and results hash is compared. */

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { usage } from "../../../base/terminal/usage.js";
import { itemAt } from "../../../base/text/checked-index.js";
import { decodeLossy } from "../../../base/text/text.js";
import type { Height } from "../../../base/types/types.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { Home } from "../../../node/home/home.js";
import { requireRunnable } from "../../../node/programs/spawn-program.js";
import { temporaryFolder } from "../../../state/store/disk/lmdb-temporary-path.js";
import { Halt } from "../../../upgrade/module/halt.js";
import { differenceOf, failureAt, type ReplayDifference } from "./compare.js";
import { ReplaySource } from "./source.js";
import { type OpenTarget, openTarget, prepareTarget } from "./target.js";

export interface ReplayFlags {
  readonly from: string;
  /** undefined: the last block. */
  readonly to?: Height;
  /** A folder that stays; undefined: a temporary one. */
  readonly into?: string;
  /** Programs that go on from an upgrade, by its name: files that have this command. */
  readonly programs?: ReadonlyMap<string, string>;
  readonly handlers?: string;
}

/** As it is printed. */
export interface Replayed {
  readonly ok: boolean;
  /** First and last height that were run. */
  readonly from: string;
  readonly to: string;
  readonly blocks: string;
  readonly blocks_per_second: number;
  readonly upgrades: readonly string[];
  readonly difference?: ReplayDifference;
}

/** Blocks between two lines of progress, and between two looks at signals. */
const PROGRESS_BLOCKS = 1_000n;
const TURN_BLOCKS = 50n;
const RESULT_BYTES_MAX = 1_048_576;

/** @throws UpgradeError UPG_INVALID_*, UPG_STORE_*, UPG_NOT_FOUND_*; Halt where no given program applies an upgrade that the chain applied */
export async function replay(chain: Chain, flags: ReplayFlags, say: (line: string) => void): Promise<Replayed> {
  const source = new ReplaySource(flags.from);
  const temporary = flags.into === undefined ? temporaryFolder("replay-") : undefined;
  const path = temporary?.path ?? resolve(flags.into ?? "");
  try {
    const to = flags.to ?? source.last;
    if (to > source.last || to < 1n) throw usage(`--to: the last height of ${flags.from} is ${source.last}`);
    const home = await prepareTarget(path, source, say);
    return await new Replay({ chain, source, home, to, flags, say }).run();
  } finally {
    source.close();
    temporary?.remove();
  }
}

interface Run {
  readonly chain: Chain;
  readonly source: ReplaySource;
  readonly home: Home;
  readonly to: Height;
  readonly flags: ReplayFlags;
  readonly say: (line: string) => void;
}

class Replay {
  readonly #applied: ReadonlySet<Height>;
  readonly #upgrades: string[] = [];
  readonly #numbers: readonly bigint[];
  readonly #begun = performance.now();
  /** The newest version that is known so far: a program of then. */
  #newest: number;
  #first: Height | undefined;
  #blocks = 0n;
  /** Starts since the last block: a start that leads nowhere is not made for ever. */
  #starts = 0;

  constructor(private readonly run_: Run) {
    this.#numbers = run_.chain.versions.map(({ number }) => number);
    this.#applied = run_.source.appliedHeights();
    const begun = this.#numbers.indexOf(run_.source.genesis.appVersion);
    this.#newest = Math.max(0, begun);
  }

  async run(): Promise<Replayed> {
    const { home, flags, say } = this.run_;
    for (;;) {
      let target: OpenTarget | undefined;
      try {
        const newest = itemAt(this.#numbers, this.#newest);
        const { handlers } = flags;
        const skipHeights = (height: Height) => !this.#applied.has(height);
        target = openTarget(this.run_.chain, home, { newest, skipHeights, handlers, log: say });
        return this.#ended(await this.#runBlocks(target));
      } catch (error) {
        if (!(error instanceof Halt)) throw error;
        target?.close();
        target = undefined;
        const other = this.#after(error);
        if (other) return other;
      } finally {
        target?.close();
      }
    }
  }

  async #runBlocks({ app, port }: OpenTarget): Promise<ReplayDifference | undefined> {
    const { source, to, say } = this.run_;
    this.#first ??= app.nextHeight;
    if (app.lastCommitID.version === 0n) {
      const { chainId, time, initialHeight } = source.genesis;
      port.initChain({ chainId, time, initialHeight, validators: [] });
    }
    for (let height = app.nextHeight; height <= to; height++) {
      const difference = this.#runBlock({ app, port }, height);
      if (difference) return difference;
      this.#blocks++;
      this.#starts = 0;
      if (this.#blocks % TURN_BLOCKS === 0n) await setImmediate();
      if (this.#blocks % PROGRESS_BLOCKS === 0n) say(`block ${height} of ${to}: ${this.#rate} blocks a second`);
    }
    return undefined;
  }

  #runBlock({ app, port }: Pick<OpenTarget, "app" | "port">, height: Height): ReplayDifference | undefined {
    const { source, say } = this.run_;
    const { plan } = app;
    const { header, txs } = source.blocks.block(height);
    const lastCommit = source.lastCommit(height);
    const { proposerAddress: proposer, time } = header;
    try {
      const request = { height, time, txs, proposer, ...(lastCommit ? { lastCommit } : {}) };
      const result = port.finalizeBlock(request);
      port.commit();
      if (result.applied) this.#upgrades.push(result.applied.plan.name);
      else if (plan && plan.height <= height) {
        say(`the chain skipped the upgrade "${plan.name}" at height ${height}, and so does the replay`);
      }
      return differenceOf(source, height, result, () => app.multiStore.at(height));
    } catch (error) {
      if (error instanceof Halt) throw error;
      return failureAt(height, source.blocks.at(height).appHash, error);
    }
  }

  /** What comes after a halt: the same program again, as a newer one, or another one, which ends the replay. */
  #after(halt: Halt): Replayed | undefined {
    const { flags } = this.run_;
    const { plan } = halt;
    if (++this.#starts > this.#numbers.length + 2) throw halt;
    if (halt.code === "UPG_HALT_RESTART") return undefined;
    const program = halt.code === "UPG_HALT_UPGRADE_NEEDED" && plan ? flags.programs?.get(plan.name) : undefined;
    if (program !== undefined && plan) return this.#goOnWith(program, plan.name);
    if (this.#newest + 1 >= this.#numbers.length) throw halt;
    this.#newest++;
    return undefined;
  }

  /** The other program has the command too, and the folder says where it goes on. */
  #goOnWith(program: string, plan: string): Replayed {
    const { home, flags, to, say } = this.run_;
    say(`the upgrade "${plan}" and what follows is run by ${program}`);
    const rest = [...(flags.programs ?? [])].filter(([name]) => name !== plan);
    const args = ["replay", "--from", flags.from, "--into", home.path, "--to", String(to), "-o", "json"];
    for (const [name, file] of rest) args.push("--program", `${name}=${file}`);
    const stdio = ["ignore", "pipe", "inherit"] as const;
    requireProgram(program, plan);
    const { stdout, status, error } = spawnSync(program, args, { stdio: [...stdio], maxBuffer: RESULT_BYTES_MAX });
    const found = resultIn(stdout);
    if (!found) {
      const why = error ? `: ${error.message}` : ` and ended with status ${status}`;
      throw new UpgradeError(
        "UPG_INVALID_ARGUMENT",
        `--program ${plan}: ${program} gave no result of \`replay\`${why}`,
      );
    }
    const blocks = this.#blocks + BigInt(found.blocks);
    const seconds = (performance.now() - this.#begun) / 1_000;
    const own = {
      from: String(this.#first ?? found.from),
      blocks: String(blocks),
      blocks_per_second: rateOf(blocks, seconds),
    };
    return { ...found, ...own, upgrades: [...this.#upgrades, ...found.upgrades] };
  }

  get #rate(): number {
    return rateOf(this.#blocks, (performance.now() - this.#begun) / 1_000);
  }

  #ended(difference: ReplayDifference | undefined): Replayed {
    const from = this.#first ?? 0n;
    const last = difference ? BigInt(difference.height) : from + this.#blocks - 1n;
    return {
      ok: difference === undefined,
      ...{ from: String(from), to: String(last), blocks: String(this.#blocks) },
      ...{ blocks_per_second: this.#rate, upgrades: this.#upgrades, ...(difference ? { difference } : {}) },
    };
  }
}

const rateOf = (blocks: bigint, seconds: number) => Math.round(Number(blocks) / Math.max(seconds, 0.001));

function resultIn(stdout: Uint8Array): Replayed | undefined {
  try {
    const found = JSON.parse(decodeLossy(stdout)) as Partial<Replayed> | null;
    const isResult =
      typeof found?.ok === "boolean" && /^[0-9]+$/.test(String(found.blocks)) && Array.isArray(found.upgrades);
    return isResult ? (found as Replayed) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireProgram(program: string, plan: string): void {
  try {
    requireRunnable(program);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `--program ${plan}: ${messageOf(cause)}`, { cause });
  }
}
