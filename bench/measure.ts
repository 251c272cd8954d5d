/** Runs one piece of work in a process of its own and watches its anonymous memory from outside. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Measurement {
  /** What the worker reported: numbers by name. */
  readonly values: Readonly<Record<string, number>>;
  /** Greatest RssAnon seen, in bytes; mapped database pages do not count. */
  readonly peakAnonymous: number;
}

const POLL_MILLIS = 10;

/** `folder`: where the worker runs; files that it names are found from there. */
export function measure(worker: string, args: readonly string[], folder = "."): Promise<Measurement> {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ["ignore", "pipe", "inherit"], cwd: folder });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const peak = watchMemory(child.pid);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const peakAnonymous = peak();
      if (code !== 0) reject(new Error(`${worker} ended with ${code}`));
      else resolve({ values: JSON.parse(output) as Record<string, number>, peakAnonymous });
    });
  });
}

/** Watches a process until what it returns is called; that gives the greatest RssAnon seen, in bytes. */
export function watchMemory(pid: number | undefined): () => number {
  let peak = 0;
  const poll = setInterval(() => {
    peak = Math.max(peak, anonymousBytes(pid));
  }, POLL_MILLIS);
  return () => {
    clearInterval(poll);
    return peak;
  };
}

function anonymousBytes(pid: number | undefined): number {
  try {
    const match = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(match?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
