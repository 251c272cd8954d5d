/**
 * `npm run cosmovisor -- [--runs N] [--engine cometbft|embedded|four] [--program launcher|executable]`: upgrades of a node under stock
 * Cosmovisor 1.5.0 without a hand, with its defaults; `four` are validators of a local network that vote for it. Exit 1 if any was not made. Without a choice all kinds run.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { cometbft, freePorts, heightOf, quickComet, votedGenesis } from "../e2e/cometbft.js";
import { makeHome } from "../e2e/prepared-home.js";
import { launchers, type Programs, runSupervised } from "./supervisor.js";

const REPOSITORY = join(import.meta.dirname, "../..");
/** A build elsewhere can be tried too, while this one is being made again. */
const DIST = process.env["CHAIN_UPGRADE_DIST"] ?? join(REPOSITORY, "dist");
const PLAN = "v2";
const UPGRADE = 8;
const RUN_MILLIS = 240_000;
/** From the proposal to its height: voting takes 30 seconds, and commands one or two each, more on a busy machine. */
const BLOCKS_TO_VOTE = 150;
/** One node with an engine, or four with CometBFT that vote for the upgrade. */
const ENGINES = ["cometbft", "embedded", "four"];
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
    "usage: npm run cosmovisor -- [--runs N] [--engine cometbft|embedded|four] [--program launcher|executable]\n",
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

interface OneUpgrade {
  /** Of the node, or the folder of four. */
  readonly home: string;
  readonly engine: string;
  readonly programs: Programs;
  readonly comet: string;
}

async function upgrade({ home, engine, programs, comet }: OneUpgrade): Promise<string | undefined> {
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

/** Four validators, a proposal, their votes; each under a supervisor of its own. */
async function fourNodes({ home: folder, programs, comet }: OneUpgrade): Promise<string | undefined> {
  const chaind = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [join(DIST, "chaind.js"), ...args], { timeout: RUN_MILLIS });
  const settings = ["--app-version", "1", "--voting-period", "30s", "--block-time", "300ms"];
  await chaind("localnet", "init", "4", "--home", folder, ...settings);
  // What the chain begins with is all that is wanted of it: the program after the upgrade is no old one.
  for (const name of ["node0", "node1", "node2", "node3"]) {
    const file = join(folder, name, "config/app.toml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^app-version = .*$/m, ""));
  }
  const { nodes } = JSON.parse(readFileSync(join(folder, "localnet.json"), "utf8")) as Localnet;
  let height = Number.POSITIVE_INFINITY;
  let failure: string | undefined;
  const beyond = new Set<string>();
  const ended = nodes.map(({ name, rpc }) =>
    runSupervised({
      ...{ home: join(folder, name), programs, plan: PLAN, millisMax: RUN_MILLIS },
      args: [],
      env: { COMETBFT_BIN: comet, XDG_CACHE_HOME: join(root, "cache") },
      isDone: async () => {
        // Others may be gone by then, and are not asked.
        if (beyond.size === nodes.length) return true;
        if (failure) throw new Error(failure);
        const isBeyond = existsSync(join(folder, name, "data/receipts", `${PLAN}.json`));
        if (isBeyond && (await heightOf(rpc)) >= height + 2) beyond.add(name);
        // None is stopped before: two of four make no blocks.
        return beyond.size === nodes.length;
      },
    }),
  );
  const rpc = nodes[0]?.rpc ?? 0;
  // One that ends before all are beyond the upgrade has failed, and the others wait for it.
  const failed = Promise.race(ended).then((why) => {
    if (beyond.size < nodes.length) failure ??= why ?? "a node ended before the others were done";
  });
  while (failure === undefined && (await heightOf(rpc)) < 2) await Promise.race([failed, sleep(200)]);
  height = (await heightOf(rpc)) + BLOCKS_TO_VOTE;
  const signed = (name: string) => ["--from", name, "--home", join(folder, name), "--keyring-backend", "test", "--yes"];
  const text = ["--title", "Upgrade", "--summary", "Upgrade", "--deposit", "10000000ustake", "--no-validate"];
  const plan = ["upgrade", "software-upgrade", PLAN, "--upgrade-height", String(height)];
  failure ??= await chaind("tx", ...plan, ...text, ...signed("node0"), "--broadcast-mode", "block")
    .then(() => Promise.all(nodes.map(({ name }) => chaind("tx", "gov", "vote", "1", "yes", ...signed(name)))))
    .then(() => undefined, String);
  const problems = (await Promise.all(ended)).flatMap((why, at) => (why ? [`${nodes[at]?.name}: ${why}`] : []));
  if (problems.length === 0) return undefined;
  for (const { name } of nodes) process.stderr.write(`${logOf(join(folder, name))}\n`);
  return problems.join("; ");
}

interface Localnet {
  readonly nodes: readonly { readonly name: string; readonly rpc: number }[];
}

/** Without CometBFT's lines. */
function logOf(home: string): string {
  const file = join(home, "cosmovisor.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines
    .filter((line) => !/^[A-Z]\[/.test(line))
    .join("\n")
    .slice(-4_000);
}

let failed = 0;
const comet = cometbft();
if (!comet) throw new Error("CometBFT is missing here, and cannot be built");
for (const program of values.program) {
  mkdirSync(join(root, program), { recursive: true });
  const programs = program === "launcher" ? launchers(join(root, program), join(DIST, "chaind.js")) : executables();
  for (const engine of values.engine) {
    let made = 0;
    const taken: number[] = [];
    for (let run = 1; run <= Number(values.runs); run++) {
      const home = join(root, program, `${engine}-${run}`);
      const begun = performance.now();
      const make = engine === "four" ? fourNodes : upgrade;
      const problem = await make({ home, engine, programs, comet }).catch(String);
      taken.push((performance.now() - begun) / 1_000);
      process.stdout.write(`${program} ${engine} ${run}: ${problem ?? "upgraded"}, ${taken.at(-1)?.toFixed(1)} s\n`);
      if (problem) process.stderr.write(`${logOf(home)}\nall of it is in ${home}\n`);
      else {
        made++;
        rmSync(home, { recursive: true, force: true });
      }
    }
    const range = `${Math.min(...taken).toFixed(0)} to ${Math.max(...taken).toFixed(0)} s each`;
    process.stdout.write(`${program}, ${engine}: ${made} of ${values.runs} upgrades, ${range}\n`);
    failed += Number(values.runs) - made;
  }
}
// What failed is kept to be looked at.
if (failed === 0) rmSync(root, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
