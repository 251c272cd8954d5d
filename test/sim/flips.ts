/**
 * Flips bits and zeroes pages of a home's database, one at a time, and sees what `chaind verify` and a started node make of
 * it. Positions are drawn from the bytes that matter to who reads the last transaction or writes the next one; what these
 * are says the walk itself (`onUse`): not free pages, room after values, numbers of transactions, the older meta page.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { verifyHome } from "../../host/cli/offline/verify.js";
import { logicalClock } from "../../host/node/embedded/clock.js";
import { openNode } from "../../host/node/open/open-node.js";
import { LmdbFile } from "../../host/state/store/disk/lmdb-file.js";
import { walkLmdb } from "../../host/state/store/disk/lmdb-walk.js";
import { exampleChain } from "../example-chain.js";
import { answersOf } from "./answers.js";
import { Random } from "./random.js";

const PAGE_BYTES = 4_096;

export interface FlipsOptions {
  /** A sound home that no node holds. */
  readonly home: string;
  readonly handlers: string;
  readonly rounds: number;
  readonly seed: string;
  readonly onMiss: (what: string) => void;
}

export interface FlipsCount {
  flips: number;
  zeroed: number;
  /** Found by `chaind verify`. */
  found: number;
  /** A node started and gave what the sound one gives. */
  same: number;
  /** A node did not start, or gave an error. */
  refused: number;
  /** A node gave something else. */
  wrong: number;
}

export async function countFlips(options: FlipsOptions): Promise<FlipsCount> {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-flips-"));
  try {
    return await new Flips(options, join(folder, "home")).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Flips {
  readonly #count: FlipsCount = { flips: 0, zeroed: 0, found: 0, same: 0, refused: 0, wrong: 0 };
  readonly #random: Random;
  readonly #whole: Buffer;
  readonly #ranges: (readonly [start: number, end: number])[] = [];
  readonly #pages: number[];

  constructor(
    private readonly options: FlipsOptions,
    private readonly home: string,
  ) {
    cpSync(options.home, home, { recursive: true });
    const file = new LmdbFile(this.#database);
    walkLmdb(file, { longValues: true, onUse: (start, end) => void this.#ranges.push([start, end]) });
    file.close();
    this.#whole = readFileSync(this.#database);
    const pages = this.#ranges.flatMap(([start, end]) => [start, end - 1].map((at) => Math.floor(at / PAGE_BYTES)));
    this.#pages = [...new Set(pages)];
    this.#random = new Random(options.seed);
  }

  get #database(): string {
    return join(this.home, "data", "chain.mdb");
  }

  async run(): Promise<FlipsCount> {
    const sound = await digestOf(this.home, this.options.handlers);
    for (let round = 0; round < this.options.rounds; round++) await this.#round(round, sound);
    // Without damage all is as it was: what was refused was refused for the damage.
    writeFileSync(this.#database, this.#whole);
    if ((await digestOf(this.home, this.options.handlers)) !== sound)
      this.options.onMiss("the sound home gives something else");
    return this.#count;
  }

  async #round(round: number, sound: string): Promise<void> {
    const what = round % 2 === 0 ? this.#flip() : this.#zero();
    const name = `round ${round}: ${what}`;
    if (isFound(this.home)) this.#count.found++;
    else this.options.onMiss(`${name} was not found by verify`);
    const seen = await withError(() => digestOf(this.home, this.options.handlers));
    if (seen === undefined) this.#count.refused++;
    else if (seen === sound) this.#count.same++;
    else {
      this.#count.wrong++;
      this.options.onMiss(`${name}: a started node gave something else`);
    }
  }

  /** A bit of a byte that is drawn evenly from all bytes in use. */
  #flip(): string {
    this.#count.flips++;
    const total = this.#ranges.reduce((sum, [start, end]) => sum + end - start, 0);
    let rest = this.#random.below(total);
    const [start] = this.#ranges.find(([from, to]) => {
      if (rest < to - from) return true;
      rest -= to - from;
      return false;
    }) as readonly [number, number];
    const bit = this.#random.below(8);
    const bytes = Buffer.from(this.#whole);
    bytes[start + rest] = (bytes[start + rest] as number) ^ (1 << bit);
    writeFileSync(this.#database, bytes);
    return `bit ${bit} of byte ${start + rest}`;
  }

  #zero(): string {
    this.#count.zeroed++;
    const page = this.#random.pick(this.#pages);
    writeFileSync(this.#database, Buffer.from(this.#whole).fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
    return `page ${page} zeroed`;
  }
}

/** Does verify end with exit 30 and a message? */
function isFound(home: string): boolean {
  try {
    verifyHome(home, () => undefined);
    return false;
  } catch (error) {
    return isUpgradeError(error) && error.kind.exit === 30 && error.message.length > 0;
  }
}

async function withError<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isUpgradeError(error)) return undefined;
    throw error;
  }
}

/**
 * Everything that a started node can be asked: state of every kept height, blocks, results, transactions, what its clients
 * are served (answers.ts), a new block.
 */
async function digestOf(home: string, handlers: string): Promise<string> {
  // What a node writes must not reach the next round.
  const state = join(home, "data", "priv_validator_state.json");
  copyFileSync(state, `${state}.kept`);
  const open = openNode({
    chain: exampleChain,
    home,
    clock: logicalClock(5_000_000_000n),
    handlers,
    log: () => undefined,
  });
  const hash = createHash("sha256");
  try {
    const { app, blocks, index } = open.node;
    const last = app.lastCommitID.version;
    const text = (value: unknown) =>
      hash.update(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "");
    text([blocks.lowest(), blocks.latest()]);
    for (let height = blocks.lowest() ?? 1n; height <= last; height++) {
      const block = blocks.block(height);
      text([blocks.at(height), block, blocks.results(height), blocks.heightOf(blocks.at(height).blockId.hash)]);
      for (const tx of block.txs) text(index.find(open.node.hash(tx)));
      const view = app.multiStore.at(height);
      for (const name of view.names) {
        hash.update(name).update(view.rootHash(name));
        for (const [key, value] of view.store(name).iterate()) hash.update(key).update(value);
      }
    }
    for await (const answer of answersOf(open)) text(answer);
    text(open.node.makeBlock().stored);
  } finally {
    open.close();
    copyFileSync(`${state}.kept`, state);
  }
  return hash.digest("hex");
}

/** A home after `npm start`: 3,000 accounts, 23 blocks, a vote and an upgrade. */
export function makeUpgradedHome(home: string): void {
  execFileSync(process.execPath, ["dist/main-job.js", "--home", home, "--json"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
