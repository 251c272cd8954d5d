/**
 * A page of docs/ as one session of a real shell: its shell blocks in order and word by word. The first `chaind query upgrade plan`
 * that is typed is a process of the program on the path; one that is typed again is called in the test's process, since a
 * process takes 0.4 s of CPU to start. So is each that a page repeats until something has happened.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { chaindHere } from "../in-process.js";

const ROOT = join(import.meta.dirname, "../..");
/** Commands that run until a signal, or start programs that do. */
const LONG = ["start", "relay", "localnet", "run"];
/** How many words of a command are its name, at most. */
const WORDS: Readonly<Record<string, number>> = {
  query: 3,
  tx: 3,
  status: 1,
  verify: 1,
  "verify-chain": 1,
  "pre-upgrade": 1,
};
/** The response to a command that is to be a process. */
const AS_PROCESS = "process";

export const pageText = (page: string): string => readFileSync(join(ROOT, page), "utf8");

export function blocksOf(text: string, language: string): string[] {
  return Array.from(text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm))
    .filter(([, name]) => name === language)
    .map(([, , block = ""]) => block);
}

/** `# exit N` beside a command is what it must end with; any other command that fails ends the session (`set -e`). */
function expectingExits(block: string): string {
  return block.replaceAll(
    /^(.*?) +# exit (\d+)$/gm,
    (_, command: string, exit: string) => `${command} && status=0 || status=$?\nexpect_exit ${exit} $status`,
  );
}

/**
 * The program's name as a function of the shell: only what is typed is called in the test's process, not what a sidecar starts. A
 * command with a pipe for stdin is a process, since a shell cannot know whether it reads it.
 */
const CHAIND = `chaind() {
  if [[ " ${LONG.join(" ")} " = *" \${1:-} "* ]]; then
    # In a shell of its own it takes the place of that one, which gets the signals.
    [ $$ = $BASHPID ] || exec chaind "$@"
    command chaind "$@"
  elif [ -p /dev/stdin ]; then
    command chaind "$@"
  else
    local folder=$SESSION_FOLDER/$BASHPID status
    mkdir -p "$folder"
    status=$({ printf '%s\\0' "$folder" "$PWD" $# "$@"; env -0; } |
      curl -sS --unix-socket "$SESSION_FOLDER/socket" --data-binary @- http://test)
    if [ "$status" = ${AS_PROCESS} ]; then
      command chaind "$@"
    else
      cat "$folder/stderr" >&2
      cat "$folder/stdout"
      return "$status"
    fi
  fi
}
`;

/** The script of a page, with these texts of it replaced. */
export function sessionOf(text: string, replaced: ReadonlyMap<string, string>): string {
  const head = `set -eEuo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
expect_exit() { [ "$1" = "$2" ] || { echo "exit $2 where the page says $1" >&2; return 1; }; }
${CHAIND}`;
  const body = blocksOf(text, "sh").map((block, index) => {
    let own = block;
    for (const [from, to] of replaced) own = own.replaceAll(from, to);
    return `echo "== block ${index + 1} after $SECONDS s" >&2\n${expectingExits(own)}`;
  });
  return `${head}${body.join("\n")}\necho "== end" >&2\n`;
}

export interface SessionOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly millisMax: number;
  /** Commands of which not even the first is a process, such as `handler build`. */
  readonly called?: readonly string[];
}

/** Runs the script; what it left running is ended with it. @throws Error of a called command that left something behind */
export async function runSession(script: string, { folder, env, millisMax, called = [] }: SessionOptions) {
  const own = mkdtempSync(join(tmpdir(), "chain-upgrade-session-"));
  const typed = new Set(called);
  let broken: unknown;
  const server = createServer((request, response) => {
    respond(request, typed).then(
      (status) => response.end(status),
      (error: unknown) => {
        broken ??= error;
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(join(own, "socket"), resolve));
  // What commands load takes seconds at first; in the session blocks pass and votes end meanwhile.
  const nowhere = ["--home", own, "--node", "tcp://127.0.0.1:1"];
  for (const first of ["status", "tx gov vote 1 yes --from nobody --yes"])
    await chaindHere([...first.split(" "), ...nowhere]);
  const shell = spawn("bash", ["-c", script], {
    cwd: folder,
    env: { ...process.env, ...env, SESSION_FOLDER: own },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const end = new Promise<number | null>((resolve) => shell.once("exit", resolve));
  const timer = setTimeout(() => killGroup(shell.pid), millisMax);
  const exit = await end;
  clearTimeout(timer);
  killGroup(shell.pid);
  server.close();
  rmSync(own, { recursive: true });
  if (broken) throw broken;
  return { exit, output };
}

/** Calls a command that was typed before, and returns its exit status. @param typed the commands so far, to which it is added */
async function respond(request: IncomingMessage, typed: Set<string>): Promise<string> {
  const [folder = "", cwd = "", count, ...rest] = (await textOf(request)).split("\0");
  const args = rest.slice(0, Number(count));
  const command = args.slice(0, WORDS[args[0] ?? ""] ?? 2).join(" ");
  if (!typed.has(command)) {
    typed.add(command);
    return AS_PROCESS;
  }
  const env = Object.fromEntries(rest.slice(Number(count), -1).map((each) => each.split(/=(.*)/s)));
  const { status, stdout, stderr } = await chaindHere(args, { cwd, env });
  for (const [name, text] of Object.entries({ stdout, stderr })) writeFileSync(join(folder, name), text);
  return String(status);
}

/** A node that the session left behind, too. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}
