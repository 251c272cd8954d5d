/**
 * An empty block in the application as CometBFT sees it: PrepareProposal, ProcessProposal, FinalizeBlock and Commit through the unix
 * socket of a `chaind start` with all its threads and servers, each with the Flush that CometBFT sends. A commit is on disk
 * before its response; what two syncs of that disk take is measured in between.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CALLS, type CallName, Engine } from "../comet/engine.js";
import { chainStart, cpuSeconds, makeHomes, startApplication } from "../comet/homes.js";

const ROUNDS = Number(process.argv[2]);
const BLOCKS = 500;
const WARM_UP_BLOCKS = 1_500;
const MICROS_MAX = 1_500;
const VALIDATORS = 4;
const PAGE_BYTES = 4_096;
/** Of an empty block's commit, and the one that names the last version. */
const PAGES = [8, 1];

interface Round {
  /** Microseconds, each the median of the round. */
  readonly block: number;
  readonly calls: Readonly<Record<CallName, number>>;
  readonly syncs: number;
  readonly slow: number;
  readonly cpu: number;
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

const at = (values: readonly number[], share: number) => (sorted(values)[Math.floor(values.length * share)] ?? 0) * 1e3;

/** Milliseconds of so many pages written and synced, as a commit does it. */
function syncMillis(file: number): number {
  const begun = performance.now();
  for (const pages of PAGES) {
    writeSync(file, Buffer.alloc(pages * PAGE_BYTES, 1), 0, pages * PAGE_BYTES, 0);
    fdatasyncSync(file);
  }
  return performance.now() - begun;
}

async function measureRound(engine: Engine, pid: number | undefined, file: number): Promise<Round> {
  const cpu = cpuSeconds(pid);
  const blocks: Readonly<Record<CallName, number>>[] = [];
  for (let block = 0; block < BLOCKS; block++) blocks.push(await engine.emptyBlock());
  const micros = ((cpuSeconds(pid) - cpu) / BLOCKS) * 1e6;
  const syncs = Array.from({ length: BLOCKS / 5 }, () => syncMillis(file));
  const whole = blocks.map((calls) => CALLS.reduce((total, name) => total + calls[name], 0));
  const of = (name: CallName) =>
    at(
      blocks.map((calls) => calls[name]),
      0.5,
    );
  const [prepareProposal, processProposal, finalizeBlock, commit] = CALLS.map(of) as [number, number, number, number];
  const calls = { prepareProposal, processProposal, finalizeBlock, commit };
  return { block: at(whole, 0.5), calls, syncs: at(syncs, 0.5), slow: at(whole, 0.99), cpu: micros };
}

const homes = await makeHomes(VALIDATORS, 0);
const application = await startApplication("dist/chaind.js", homes.home(0));
const file = openSync(join(homes.home(0), "data/pages"), "w");
try {
  const engine = await Engine.begin(application.address, chainStart(homes));
  for (let block = 0; block < WARM_UP_BLOCKS; block++) await engine.emptyBlock();
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(engine, application.child.pid, file));
  engine.end();
  const row = (name: string, value: (round: Round) => number) => ({
    row: name,
    unit: "µs",
    samples: rounds.map(value),
  });
  process.stdout.write(
    JSON.stringify([
      { ...row("block", ({ block }) => block), valueMax: MICROS_MAX },
      ...CALLS.map((name) => row(name, ({ calls }) => calls[name])),
      row("block, p99", ({ slow }) => slow),
      row("the disk's two syncs", ({ syncs }) => syncs),
      row("processor time", ({ cpu }) => cpu),
    ]),
  );
} finally {
  closeSync(file);
  application.child.kill("SIGTERM");
  await application.ended;
  await homes.remove();
}
