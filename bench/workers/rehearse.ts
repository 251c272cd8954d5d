/**
 * Blocks of a running node of many accounts, before and while `chaind upgrade rehearse` works on its home: how far apart they
 * are, and what the file of the database grew by. The node keeps its pace when the 99th percentiles are alike.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeHome, schedule, withNode } from "../../test/e2e/prepared-home.js";
import { genesisText } from "../../test/scenario/genesis-text.js";
import { writeCoinAccounts } from "../bulk/coin-accounts.js";

const accounts = Number(process.argv[2]);
const CHAIND = join(process.cwd(), "dist/chaind.js");
const HANDLERS = join(process.cwd(), "dist/handlers");
const BLOCKS_ALONE = 300;
const WARM_UP = 20;
/** A longer rehearsal than a node keeps its states for would need a copy. */
const FLAGS = ["--block-time", "100ms", "--keep-versions", "100000", "--app-version", "1"];
const CLOSED = ["--rpc.enable=false", "--grpc.enable=false", "--api.enable=false"];

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));
const file = join(home, "data", "chain.mdb");
async function measured() {
  const node = new Watched(spawn(process.execPath, [CHAIND, "start", "--home", home, ...FLAGS, ...CLOSED]));
  await node.blocks(WARM_UP);
  const alone = await node.blocks(BLOCKS_ALONE);
  const size = statSync(file).size;
  const begun = performance.now();
  const rehearsal = spawn(process.execPath, [CHAIND, "upgrade", "rehearse", "--home", home, "-o", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  rehearsal.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => rehearsal.once("close", resolve));
  const during = await node.until(ended);
  const seconds = (performance.now() - begun) / 1_000;
  const grown = statSync(file).size - size;
  node.child.kill("SIGTERM");
  const report = JSON.parse(output) as Report;
  if (report.exit !== 0 || !report.applied) throw new Error(report.message);
  const { applied, reading } = report;
  return [
    { row: "block interval alone, p99", unit: "ms", samples: [percentile(alone, 0.99)] },
    {
      row: "block interval in a rehearsal, p99",
      unit: "ms",
      samples: [percentile(during, 0.99)],
      against: "block interval alone, p99",
      ratioMax: 1.5,
    },
    { row: "block interval alone, median", unit: "ms", samples: [percentile(alone, 0.5)] },
    { row: "block interval in a rehearsal, median", unit: "ms", samples: [percentile(during, 0.5)] },
    { row: "blocks in a rehearsal", unit: "blocks", samples: [during.length] },
    { row: "the rehearsal", unit: "s", samples: [seconds] },
    { row: "its block", unit: "ms", samples: [applied.block_ms] },
    { row: "its memory", unit: "MiB", samples: [Number(applied.memory.peak) / 1_048_576] },
    { row: "longest snapshot held", unit: "ms", samples: [reading.longest_ms] },
    { row: "the node's file grew by", unit: "KiB", samples: [grown / 1_024] },
  ];
}

interface Report {
  readonly exit: number;
  readonly message: string;
  readonly applied: { readonly block_ms: number; readonly memory: { readonly peak: string } } | null;
  readonly reading: { readonly longest_ms: number };
}

/** A node, by the moments at which it says that a block was made. */
class Watched {
  #moments: number[] = [];
  #waiting: (() => void)[] = [];

  constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        const made = text.split("block made").length - 1;
        for (let i = 0; i < made; i++) this.#moments.push(performance.now());
        for (const wake of this.#waiting.splice(0)) wake();
      });
    }
  }

  /** Intervals of the next blocks. */
  async blocks(count: number): Promise<number[]> {
    this.#moments = [];
    while (this.#moments.length <= count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return intervals(this.#moments);
  }

  /** Intervals of all blocks until then. */
  async until(end: Promise<unknown>): Promise<number[]> {
    this.#moments = [];
    await end;
    return intervals(this.#moments);
  }
}

const intervals = (moments: readonly number[]) => moments.slice(1).map((moment, at) => moment - (moments[at] ?? 0));

function percentile(list: readonly number[], part: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

try {
  makeHome(home, genesisText());
  withNode({ path: home, handlers: HANDLERS, appVersion: 1n }, (node) => {
    node.makeBlock([(context) => writeCoinAccounts(context.store("auth"), accounts)]);
    schedule(node, { name: "v2", height: 1_000_000n });
  });
  process.stdout.write(JSON.stringify(await measured()));
} finally {
  rmSync(home, { recursive: true, force: true });
}
