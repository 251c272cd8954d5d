/** `chaind handler …` of a test, in a folder of its own: in the test's process, or in processes that are killed or watched. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chaindHere } from "../in-process.js";
import { testFolder } from "../test-folder.js";
import { DIST } from "./chaind.js";

const CHAIND = join(DIST, "chaind.js");
export const SPLIT_BALANCES = join(DIST, "handlers/split-balances.wasm");

export type Json = Readonly<Record<string, unknown>>;

/** A path in the folder where the commands run. */
export const at = (...names: readonly string[]) => join(testFolder(), ...names);

/** Runs `chaind handler …` in this process. */
export async function handler(...args: readonly string[]) {
  const end = await chaindHere(["handler", ...args], { cwd: testFolder() });
  const answers = () =>
    end.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
  return { exit: end.status, stdout: end.stdout, stderr: end.stderr, answers, answer: () => answers()[0] as Json };
}

/** Runs `chaind handler …` that is killed at a moment (kill-at.mjs). */
export function handlerKilledAt(moment: string, ...args: readonly string[]) {
  const preload = pathToFileURL(join(import.meta.dirname, "kill-at.mjs")).href;
  const env = { ...process.env, CHAIND_TEST_KILL_AT: moment };
  return spawnSync(process.execPath, ["--import", preload, CHAIND, "handler", ...args], { cwd: testFolder(), env });
}

/** Runs `chaind handler …` that ends when it is ended. */
export function watchedHandler(...args: readonly string[]) {
  const child = spawn(process.execPath, [CHAIND, "handler", ...args], { cwd: testFolder() });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const ended = once(child, "exit");
  return {
    said: () => said,
    /** Until the words were said so often. */
    says: async (words: string, times: number) => {
      while (said.split(words).length <= times) {
        if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
        await sleep(50);
      }
    },
    end: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** A file in the folder. */
export function written(name: string, bytes: Uint8Array): string {
  writeFileSync(at(name), bytes);
  return at(name);
}
