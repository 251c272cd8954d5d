/** A page of docs/ as one session of a real shell: its shell blocks in order and word by word. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

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

/** The script of a page, with these texts of it replaced. */
export function sessionOf(text: string, replaced: ReadonlyMap<string, string>): string {
  const head = `set -eEuo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
expect_exit() { [ "$1" = "$2" ] || { echo "exit $2 where the page says $1" >&2; return 1; }; }
`;
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
}

/** Runs the script; what it left running is ended with it. */
export async function runSession(script: string, { folder, env, millisMax }: SessionOptions) {
  const shell = spawn("bash", ["-c", script], {
    cwd: folder,
    env: { ...process.env, ...env },
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
  return { exit, output };
}

/** A node that the session left behind, too. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}
