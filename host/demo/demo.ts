/** `npm start`: takes a chain through an upgrade, visibly. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import type { Chain } from "../chain/define-chain.js";
import { reportFailure } from "../shell/fail.js";
import { serveChain } from "../shell/program-chain.js";
import { requireWasm } from "../shell/require-wasm.js";
import { VERSION } from "../version.js";
import { HOW_TO_RUN } from "./how-to-run.js";
import { jsonView } from "./json-view.js";
import { runMainJob } from "./run.js";
import { textView } from "./text-view.js";

interface Options {
  readonly genesis?: string;
  readonly home?: string;
  readonly handler?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

const program = new Command(HOW_TO_RUN)
  .description(
    "Starts the old version of a chain, schedules an upgrade, lets the node halt at its height, starts the new version\n" +
      "with the handler, and makes more blocks. Everything happens in a fresh home, without network.",
  )
  .version(VERSION)
  .option("--genesis <file>", "begin with real state: a genesis document, today's format or that of 2019, plain or .gz")
  .option("--home <dir>", "use this (new) home and keep it; without: a temporary one")
  .option("--handler <file>", "run this handler too: for its plan, after v2 when no known version carries it")
  .option("--keep", "keep the temporary home")
  .option("--json", "one JSON object a line on stdout")
  .exitOverride();

async function main(): Promise<number> {
  let options: Options = {};
  let temporary: string | undefined;
  try {
    options = program.parse().opts<Options>();
    requireWasm();
    const home = options.home ?? join(mkdtempSync(join(tmpdir(), "chain-upgrade-")), "home");
    if (!options.home && !options.keep) temporary = join(home, "..");
    const view = options.json ? jsonView() : textView({ home, isKept: temporary === undefined });
    const ok = await runMainJob({
      home,
      ...(options.genesis ? { genesis: options.genesis } : {}),
      ...(options.handler ? { handler: options.handler } : {}),
      show: view,
    });
    return ok ? 0 : 1;
  } catch (error) {
    return reportFailure(error, options.json === true, false);
  } finally {
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Runs the demonstration with the process's arguments; returns its exit status. */
export function demonstrate(chain: Chain): Promise<number> {
  serveChain(chain);
  return main();
}
