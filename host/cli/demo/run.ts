/** The main job, step by step. Blocks are made on demand and time is counted by blocks, so every run is the same. */

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { makeFolder } from "../../base/files/open-file.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Io } from "../../base/terminal/io.js";
import { toUpperHex, utf8 } from "../../base/text/bytes.js";
import type { Height, Plan } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { loadHandlerFile, loadHandlersFolders } from "../../node/home/handlers-folder.js";
import { Home } from "../../node/home/home.js";
import type { LocalReceipt } from "../../node/home/local-receipt.js";
import type { OpenNode } from "../../node/open/open-node.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { initHome } from "../commands/init.js";
import { withPlainDocument } from "../genesis/take-document.js";
import { requireExit, runChildNode } from "./child-node.js";
import { amounts, type Count, countChain } from "./count.js";
import type { Show } from "./events.js";
import { finish } from "./finish.js";
import { requireOldDocument } from "./old-document.js";
import { BLOCK_TIME, openJob } from "./open-job.js";
import { smallGenesis } from "./small-genesis.js";
import { keepOperatorKeys, proposeAndVote } from "./vote.js";

export interface MainJobOptions {
  readonly chain: Chain;
  readonly io: Pick<Io, "stdin" | "stderr">;
  readonly home: string;
  readonly genesis?: string;
  readonly handler?: string;
  readonly show: Show;
}

/** Blocks before the plan is scheduled, and from there to its height. */
const BLOCKS_BEFORE = 3;
const BLOCKS_AHEAD = 5n;
/** The same when there is a vote: it takes twelve blocks, and the plan lies after its end. */
const VOTE_BLOCKS_AHEAD = 16n;
const BLOCKS_AFTER = 4;
const HALT_EXIT = 10;
/** In the home: a handler for a plan that the program has one for, used in place of that one. */
const REPLACING = "replacing-handlers";

/** Runs the job; true when everything that was checked holds. @throws UpgradeError */
export async function runMainJob(options: MainJobOptions): Promise<boolean> {
  const { chain } = options;
  await initialise(chain, options);
  const upgrades = plannedUpgrades(chain, options);
  let before: Count | undefined;
  for (const [index, upgrade] of upgrades.entries()) {
    const job = new UpgradeJob(options, upgrade, upgrades.slice(0, index));
    const count = await job.prepare(index === 0);
    before ??= count;
    await job.haltOldVersion();
    await job.startNewVersion();
  }
  return finish(chain, options.home, before as Count, options.show);
}

/** An upgrade that the job makes: the handler, and the newest app version that the old binary knows. */
interface PlannedUpgrade {
  readonly handler: WasmHandler;
  readonly file: string | undefined;
  readonly isKnown: boolean;
}

async function initialise(chain: Chain, { home, genesis }: MainJobOptions): Promise<void> {
  const keySeed = sha256(utf8("chain-upgrade main job"));
  if (genesis) {
    await withPlainDocument(genesis, (plain) => {
      requireOldDocument(chain, plain, genesis);
      initHome(chain, { home, genesis: plain, keySeed });
    });
    return;
  }
  const folder = mkdtempSync(join(mkdirs(home), ".genesis-"));
  try {
    const file = join(folder, "genesis.json");
    writeFileSync(file, JSON.stringify(smallGenesis(chain.addresses)));
    initHome(chain, { home, genesis: file, keySeed });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mkdirs(path: string): string {
  makeFolder(path);
  return path;
}

/** `v2` with the handler of this package, unless the given one serves it; any other plan comes after it. */
function plannedUpgrades(chain: Chain, { handler: file }: MainJobOptions): PlannedUpgrade[] {
  const [builtInFiles = []] = loadHandlersFolders([chain.handlers ?? []].flat(), sha256);
  const builtIn = builtInFiles.map(({ handler }) => handler);
  const given = file ? loadHandlerFile(file, sha256) : undefined;
  const isKnown = (handler: WasmHandler) => chain.versions.some(({ plan }) => plan === handler.manifest.name);
  const known = chain.versions.flatMap(({ plan }) => {
    if (given && given.manifest.name === plan) return [{ handler: given, file, isKnown: true }];
    const handler = builtIn.find(({ manifest }) => manifest.name === plan);
    return handler ? [{ handler, file: undefined, isKnown: true }] : [];
  });
  return given && !isKnown(given) ? [...known, { handler: given, file, isKnown: false }] : known;
}

class UpgradeJob {
  readonly #home: Home;
  readonly #name: string;
  /** Newest version that the old binary knows. */
  readonly #oldVersion: bigint;

  constructor(
    private readonly options: MainJobOptions,
    private readonly upgrade: PlannedUpgrade,
    private readonly done: readonly PlannedUpgrade[],
  ) {
    this.#home = new Home(options.home);
    this.#name = upgrade.handler.manifest.name;
    this.#oldVersion = BigInt(1 + done.length);
  }

  /** The old version makes some blocks, and the plan is scheduled. */
  async prepare(isFirst: boolean): Promise<Count> {
    const { count, nextHeight } = this.#begin(isFirst);
    // Nobody has the keys of an imported chain's accounts: there the app's own entry point replaces a vote.
    const isVotedOn = this.options.genesis === undefined;
    const ahead = isVotedOn ? VOTE_BLOCKS_AHEAD : BLOCKS_AHEAD;
    const info = JSON.stringify({ handler: { sha256: this.upgrade.handler.hash } });
    const plan = { name: this.#name, height: nextHeight + ahead, info };
    const proposal = isVotedOn ? await this.#vote(plan) : undefined;
    const height = proposal === undefined ? this.#scheduleDirectly(plan) : this.#scheduleByVote();
    this.options.show({
      event: "scheduled",
      plan: { ...plan, height: String(plan.height) },
      height: String(height),
      ...(proposal === undefined ? {} : { proposal }),
    });
    return count;
  }

  #begin(isFirst: boolean): { readonly count: Count; readonly nextHeight: Height } {
    return this.#withNode((open) => {
      if (isFirst) for (let i = 0; i < BLOCKS_BEFORE; i++) open.node.makeBlock();
      const count = countChain(open.node.app);
      if (isFirst) this.#showInit(open, count);
      return { count, nextHeight: open.node.nextHeight };
    });
  }

  async #vote(plan: Plan): Promise<string> {
    const { home } = this.options;
    await keepOperatorKeys(this.options, home);
    return proposeAndVote({ home, blockTime: BLOCK_TIME, nodeArguments: this.#oldArguments(), plan });
  }

  #scheduleDirectly(plan: Plan): Height {
    return this.#withNode(({ node }) => {
      const { keeper } = node.app;
      const { authority } = keeper;
      node.makeBlock([
        (context) => keeper.softwareUpgrade(context.store(UPGRADE_STORE), context.height, { authority, plan }),
      ]);
      return node.app.lastCommitID.version;
    });
  }

  /** Blocks until the vote has ended. */
  #scheduleByVote(): Height {
    return this.#withNode(({ node }) => {
      const { app } = node;
      for (let i = 0; i < VOTE_BLOCKS_AHEAD; i++) {
        node.makeBlock();
        if (app.keeper.plan(app.multiStore.store(UPGRADE_STORE))) return app.lastCommitID.version;
      }
      throw new UpgradeError("UPG_BUG_ASSERT", "the vote has ended, and no plan is scheduled");
    });
  }

  /** The old binary, a process of its own, runs into the height. */
  async haltOldVersion(): Promise<void> {
    const end = await runChildNode({
      home: this.options.home,
      blockTime: BLOCK_TIME,
      arguments: this.#oldArguments(),
    });
    requireExit(end, HALT_EXIT, `version ${this.#oldVersion}`);
    const record = JSON.parse(readFileSync(join(this.#home.dataFolder, "halt.json"), "utf8")) as HaltRecord;
    this.options.show({
      event: "halt",
      code: record.code,
      exit: end.exit,
      height: record.height,
      last_committed_height: record.last_committed_height,
      app_hash: record.app_hash,
      message: record.message,
      upgrade_info: readFileSync(join(this.#home.dataFolder, "upgrade-info.json"), "utf8"),
    });
  }

  /** The new binary applies the upgrade and goes on. */
  async startNewVersion(): Promise<void> {
    const { handler, file } = this.upgrade;
    const folder = this.upgrade.isKnown ? REPLACING : "handlers";
    if (file) copyFileSync(file, join(mkdirs(join(this.options.home, folder)), basename(file)));
    this.options.show({ event: "start", version: String(this.#oldVersion + 1n), handler: handler.hash });
    const end = await runChildNode({
      home: this.options.home,
      blockTime: BLOCK_TIME,
      arguments: ["--max-blocks", String(BLOCKS_AFTER), ...this.#handlersArguments()],
    });
    requireExit(end, 0, `version ${this.#oldVersion + 1n}`);
    const receipt = JSON.parse(readFileSync(this.#home.receiptFile(this.#name), "utf8")) as LocalReceipt;
    const { plan, height, gas, ms, stores, versions, app_hash_before, app_hash } = receipt;
    this.options.show({ event: "applied", plan, height, gas, ms, stores, versions, app_hash_before, app_hash });
    this.#showBlocksAfter(BigInt(height));
  }

  #oldArguments(): string[] {
    return ["--app-version", String(this.#oldVersion)];
  }

  #withNode<T>(use: (open: OpenNode) => T): T {
    const open = openJob(this.options.chain, this.options.home, this.done.length === 0 ? this.#oldVersion : undefined);
    try {
      return use(open);
    } finally {
      open.close();
    }
  }

  /** A given handler for a known plan takes the place of the one that ships with the program. */
  #handlersArguments(): string[] {
    const replaces = [...this.done, this.upgrade].some(({ file, isKnown }) => file && isKnown);
    return replaces ? ["--handlers", join(this.options.home, REPLACING)] : [];
  }

  #showInit({ node }: OpenNode, count: Count): void {
    const first = node.blocks.at(node.blocks.lowest() ?? 1n);
    this.options.show({
      event: "init",
      version: String(node.app.version.number),
      accounts: String(count.accounts),
      validators: String(count.validators),
      app_hash: toUpperHex(first.appHash),
      supply: amounts(count.supply),
    });
  }

  #showBlocksAfter(height: bigint): void {
    const open = openJob(this.options.chain, this.options.home);
    try {
      const last = open.node.lastBlock?.header.height ?? height;
      for (let at = height + 1n; at <= last; at++) {
        const block = open.node.blocks.at(at);
        this.options.show({ event: "block", height: String(at), app_hash: toUpperHex(block.appHash) });
      }
    } finally {
      open.close();
    }
  }
}
