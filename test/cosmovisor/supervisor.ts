/** Stock Cosmovisor over one home: the program, its folders, and a run from the first block to beyond the upgrade. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { shellWord } from "../../host/base/text/shell-word.js";

const VERSION = "v1.5.0";
const MODULE = "cosmossdk.io/tools/cosmovisor";
const FOLDER = join(tmpdir(), `chain-upgrade-cosmovisor-${VERSION}`);
const STEP_MILLIS = 100;
const STOP_MILLIS = 15_000;

/** Built once, in a module of its own: `go install` asks the proxy for a list that some proxies do not give. */
export function cosmovisor(): string {
  const program = join(FOLDER, "cosmovisor");
  if (existsSync(program)) return program;
  const module = join(FOLDER, "module");
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, "go.mod"), `module supervisor\n\nrequire ${MODULE} ${VERSION}\n`);
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod" };
  // Another run may look for it, or make it too: it has its name once it is whole.
  const made = `${program}.${process.pid}`;
  execFileSync("go", ["build", "-o", made, `${MODULE}/cmd/cosmovisor`], { cwd: module, env, stdio: "inherit" });
  renameSync(made, program);
  return program;
}

/** What Cosmovisor starts: the program of before the upgrade, and the one after it. */
export interface Programs {
  readonly before: string;
  readonly after: string;
}

/** Scripts that start a program in files. */
export function launchers(folder: string, script: string): Programs {
  const write = (name: string, environment: string) => {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${environment}exec ${shellWord(process.execPath)} ${shellWord(script)} "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  };
  return { before: write("before", "export CHAIND_APP_VERSION=1\n"), after: write("after", "") };
}

export interface SupervisedRun {
  readonly home: string;
  readonly programs: Programs;
  /** Of `start`. */
  readonly args: readonly string[];
  readonly plan: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Is the node beyond the upgrade? */
  readonly isDone: () => Promise<boolean>;
  readonly millisMax: number;
}

/** Undefined: the upgrade was made without a hand. Else why not. */
export async function runSupervised(run: SupervisedRun): Promise<string | undefined> {
  const { home, programs, plan } = run;
  placeProgram(join(home, "cosmovisor/genesis/bin"), programs.before);
  placeProgram(join(home, `cosmovisor/upgrades/${plan}/bin`), programs.after);
  const env = { ...process.env, ...run.env, DAEMON_NAME: "chaind", DAEMON_HOME: home };
  const log = createWriteStream(join(home, "cosmovisor.log"));
  const child = spawn(cosmovisor(), ["run", "start", "--home", home, ...run.args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const ended = once(child, "close").then(([code]) => `cosmovisor ended by itself with ${code}`, String);
  let problem: string | undefined = `not beyond the upgrade after ${run.millisMax / 1_000} s`;
  const until = performance.now() + run.millisMax;
  while (performance.now() < until) {
    const why = await Promise.race([ended, sleep(STEP_MILLIS)]);
    const isDone = why === undefined && (await run.isDone().catch(String));
    if (why === undefined && isDone === false) continue;
    problem = why ?? (isDone === true ? undefined : String(isDone));
    break;
  }
  child.kill("SIGTERM");
  await within(STOP_MILLIS, ended);
  endAll(home);
  // What it has written before its end is still to be read, unless a process that nobody knows holds the pipe.
  await within(STOP_MILLIS, ended);
  for (const stream of [child.stdout, child.stderr]) stream.unpipe(log).destroy();
  await new Promise<void>((done) => log.end(done));
  return problem;
}

async function within(millis: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  await Promise.race([work, sleep(millis, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
}

function placeProgram(folder: string, program: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(program, join(folder, "chaind"));
  chmodSync(join(folder, "chaind"), 0o755);
}

/** Cosmovisor may leave what it started; these have the home on their command line. */
function endAll(home: string): void {
  for (const id of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    try {
      if (Number(id) !== process.pid && readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").includes(home))
        process.kill(Number(id), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}
