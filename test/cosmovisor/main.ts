/**
 * `npm run cosmovisor -- [--runs N] [--engine cometbft|embedded] [--program launcher|executable]`: upgrades of a node under stock
 * Cosmovisor 1.5.0 without a hand, with its defaults. Exit 1 if any was not made. Without a choice all four kinds run.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cometbft, freePorts, heightOf, quickComet, votedGenesis } from "../e2e/cometbft.js";
import { makeHome } from "../e2e/prepared-home.js";
import { launchers, type Programs, runSupervised } from "./supervisor.js";

const REPOSITORY = join(import.meta.dirname, "../..");
/** A build elsewhere can be tried too, while this one is being made again. */
const DIST = process.env["CHAIN_UPGRADE_DIST"] ?? join(REPOSITORY, "dist");
const PLAN = "v2";
const UPGRADE = 8;
const RUN_MILLIS = 180_000;
const ENGINES = ["cometbft", "embedded"];
const PROGRAMS = ["launcher", "executable"];

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10" },
    engine: { type: "string", multiple: true, default: ENGINES },
    program: { type: "string", multiple: true, default: PROGRAMS },
  },
});
const isKnown = (given: readonly string[], known: readonly string[]) => given.every((each) => known.includes(each));
if (!/^[1-9][0-9]{0,3}$/.test(values.runs) || !isKnown(values.engine, ENGINES) || !isKnown(values.program, PROGRAMS)) {
  process.stderr.write(
    "usage: npm run cosmovisor -- [--runs N] [--engine cometbft|embedded] [--program launcher|executable]\n",
  );
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-supervised-"));

function executables(): Programs {
  const build = (name: string, ...args: readonly string[]) => {
    execFileSync(process.execPath, [join(REPOSITORY, "scripts/executable.mjs"), "--out", join(root, name), ...args], {
      cwd: REPOSITORY,
      stdio: "ignore",
    });
    return join(root, name, "chaind");
  };
  return { before: build("before", "--entry", "test/cosmovisor/old-program.ts"), after: build("after") };
}

async function upgrade(home: string, engine: string, programs: Programs, comet: string): Promise<string | undefined> {
  makeHome(home, votedGenesis({ name: PLAN, height: UPGRADE }));
  const [rpc = 0, p2p = 0, grpc = 0, rest = 0] = await freePorts(4);
  quickComet(home, rpc, p2p);
  const own = ["--grpc.address", `127.0.0.1:${grpc}`, "--api.address", `tcp://127.0.0.1:${rest}`];
  const embedded = ["--block-time", "200ms", "--rpc.laddr", `tcp://127.0.0.1:${rpc}`];
  return runSupervised({
    ...{ home, programs, plan: PLAN, millisMax: RUN_MILLIS },
    args: [...own, ...(engine === "cometbft" ? ["--engine", engine] : embedded)],
    env: { COMETBFT_BIN: comet, XDG_CACHE_HOME: join(root, "cache") },
    isDone: async () => existsSync(join(home, "data/receipts", `${PLAN}.json`)) && (await heightOf(rpc)) >= UPGRADE + 2,
  });
}

let failed = 0;
const comet = cometbft();
if (!comet) throw new Error("CometBFT is missing here, and cannot be built");
for (const program of values.program) {
  mkdirSync(join(root, program), { recursive: true });
  const programs = program === "launcher" ? launchers(join(root, program), join(DIST, "chaind.js")) : executables();
  for (const engine of values.engine) {
    let made = 0;
    for (let run = 1; run <= Number(values.runs); run++) {
      const home = join(root, program, `${engine}-${run}`);
      const begun = performance.now();
      const problem = await upgrade(home, engine, programs, comet);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      process.stdout.write(`${program} ${engine} ${run}: ${problem ?? "upgraded"}, ${seconds} s\n`);
      if (problem)
        process.stderr.write(
          `${readFileSync(join(home, "cosmovisor.log"), "utf8")
            .split("\n")
            .filter((line) => !/^[A-Z]\[/.test(line))
            .join("\n")
            .slice(-4_000)}\n`,
        );
      else made++;
      rmSync(home, { recursive: true, force: true });
    }
    process.stdout.write(`${program}, ${engine}: ${made} of ${values.runs} upgrades\n`);
    failed += Number(values.runs) - made;
  }
}
rmSync(root, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
