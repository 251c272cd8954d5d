/** Starts workers and kills them. */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BuildOptions, build, type Format } from "esbuild";
import { BLOCK_TIME } from "../e2e/prepared-home.js";

/** Of the repository; a bundle takes the folder of its entry, which is this one. */
export const ROOT = join(import.meta.dirname, "../..");
/** Processes that live for a moment have nothing of the optimising compiler. */
const NODE_OPTIONS = ["--no-opt"];
/** No start takes so long; one that does hangs. */
const HANGS_AFTER_MILLIS = 60_000;

/** Bundles the worker once for many processes; LMDB's native part stays outside. */
export async function bundleWorker(): Promise<Bundle> {
  const code = outFile("worker.cjs");
  const file = code.replace(/\.cjs$/, ".boot.cjs");
  const url = 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;';
  await bundleFile("test/sim/worker.ts", code, "cjs", {
    define: { "import.meta.url": "bundleUrl" },
    banner: { js: url },
  });
  copyFileSync(join(ROOT, "test/sim/boot.cjs"), file);
  const made = [code, file, `${code}.main.code`, `${code}.thread.code`];
  return { file, remove: () => void made.map((each) => rmSync(each, { force: true })) };
}

export interface Bundle {
  readonly file: string;
  remove(): void;
}

/** For one process that lives long. */
export async function bundle(name: string, entry: string): Promise<Bundle> {
  const file = outFile(`${name}.mjs`);
  // Packages in the older format ask for Node's own modules by `require`.
  const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  await bundleFile(entry, file, "esm", { banner: { js: banner } });
  return { file, remove: () => rmSync(file, { force: true }) };
}

/** Of this process alone. */
function outFile(name: string): string {
  const folder = join(ROOT, "build", "sim");
  mkdirSync(folder, { recursive: true });
  return join(folder, `${process.pid}.${name}`);
}

async function bundleFile(entry: string, outfile: string, format: Format, options: BuildOptions): Promise<void> {
  await build({
    ...{ bundle: true, platform: "node", format, target: "node20", minify: true, logLevel: "error" },
    entryPoints: [join(ROOT, entry)],
    outfile,
    external: ["lmdb"],
    // The package says of itself that its modules do nothing by being loaded; the worker's do.
    ignoreAnnotations: true,
    alias: { "@assemblyscript/loader": resolve(ROOT, "node_modules/@assemblyscript/loader/index.js") },
    ...options,
  });
}

export interface WorkerOptions {
  readonly worker: string;
  readonly home: string;
  readonly handlers: string;
  /** More options of `chaind start`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds from the start to the kill. */
  readonly killAfter?: number;
  /** SIGTERMs from the moment that it says something: milliseconds before each. */
  readonly signals?: { readonly after: string; readonly delays: readonly number[] };
}

export interface WorkerEnd {
  /** Null when it was killed. */
  readonly exit: number | null;
  readonly isHanging: boolean;
  readonly milliseconds: number;
  /** Blocks that it said it had made: app hash by height. */
  readonly blocks: ReadonlyMap<bigint, string>;
  readonly log: string;
  /** Milliseconds from "applying upgrade" to "upgrade applied"; 0 when it did not say so. */
  readonly upgradeMillis: number;
}

export function runWorker(options: WorkerOptions): Promise<WorkerEnd> {
  const { worker, home, handlers, args, env, killAfter } = options;
  const noServers = ["--rpc.enable=false", "--grpc.enable=false", "--api.enable=false"];
  const always = ["--log_format", "json", ...noServers, "--logical-clock", "--block-time", BLOCK_TIME];
  const begun = performance.now();
  const command = [...NODE_OPTIONS, worker, "start", "--home", home, "--handlers", handlers, ...always, ...args];
  const child = spawn(process.execPath, command, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  let log = "";
  let isHanging = false;
  const upgrade = { begun: 0, millis: 0 };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
    if (upgrade.begun === 0 && log.includes("applying upgrade")) upgrade.begun = performance.now();
    if (upgrade.millis === 0 && log.includes("upgrade applied")) upgrade.millis = performance.now() - upgrade.begun;
    if (options.signals && log.includes(options.signals.after)) sendSignals();
  });
  let isSent = false;
  const sendSignals = () => {
    if (isSent) return;
    isSent = true;
    let after = 0;
    for (const delay of options.signals?.delays ?? []) {
      after += delay;
      setTimeout(() => child.kill("SIGTERM"), after);
    }
  };
  const kill = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const watch = setTimeout(() => {
    isHanging = true;
    child.kill("SIGKILL");
  }, HANGS_AFTER_MILLIS);
  return new Promise((settle, reject) => {
    child.once("error", reject);
    child.once("close", (exit) => {
      clearTimeout(kill);
      clearTimeout(watch);
      settle({
        exit,
        isHanging,
        milliseconds: performance.now() - begun,
        blocks: blocksIn(log),
        log,
        upgradeMillis: upgrade.millis,
      });
    });
  });
}

/** Blocks that a log says were made: app hash by height. */
export function blocksIn(log: string): Map<bigint, string> {
  const blocks = new Map<bigint, string>();
  for (const line of log.split("\n")) {
    if (!line.includes('"message":"block made"') || !line.endsWith("}")) continue;
    const { height, app_hash } = JSON.parse(line) as { height: string; app_hash: string };
    blocks.set(BigInt(height), app_hash);
  }
  return blocks;
}
