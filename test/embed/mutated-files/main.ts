/** `npm run embed:mutated`: the node and the hosts in other languages judge handler files, mutated and made by hand; exit 1 when two verdicts differ. */
import { Command } from "commander";
import { EMBEDDED_HOSTS, verdictsOf } from "./embedded-hosts.js";
import { FILES_BY_HAND, fileName } from "./files-by-hand.js";
import { mutatedFiles } from "./mutated-files.js";
import { nodeVerdicts } from "./node-verdicts.js";
import { difference, type Verdicts } from "./verdict.js";

interface Options {
  readonly files: string;
  readonly seed: string;
  readonly runs: string;
  readonly hosts: string;
}

const SHOWN_MAX = 20;

const program = new Command("npm run embed:mutated --")
  .description("Compares verdict, code, place, metered module, gas and receipt of mutated handler files in every host.")
  .option("--files <n>", "files", "10000")
  .option("--seed <s>", "where to begin; a difference names seed and round", "1")
  .option("--runs <n>", "run one of so many files, if it is taken; 0: none", "1")
  .option("--hosts <names>", "hosts besides the node", Object.keys(EMBEDDED_HOSTS).join(","))
  .parse();

const options = program.opts<Options>();
const [seed, runs] = [Number(options.seed), Number(options.runs)];
const mutated = Number(options.files);
const files = [...mutatedFiles(mutated, seed), ...FILES_BY_HAND.map(({ bytes }) => bytes())];
const due = nodeVerdicts(files, runs);
report("node", due);
for (const name of options.hosts.split(",")) {
  const host = EMBEDDED_HOSTS[name];
  if (!host) throw new Error(`there is no host ${name}: use ${Object.keys(EMBEDDED_HOSTS).join(", ")}`);
  const missing = host.missing();
  if (missing) {
    say(`${name}: skipped, ${missing}`);
    process.exitCode = 1;
    continue;
  }
  const found = verdictsOf(host, files, runs);
  report(name, found);
  compare(name, found);
}

function report(name: string, { verdicts, milliseconds }: Verdicts): void {
  const counts: Record<string, number> = {};
  for (const { code = "taken" } of verdicts) counts[code] = (counts[code] ?? 0) + 1;
  const ends = verdicts.filter(({ end }) => end !== undefined).length;
  const each = (milliseconds / files.length).toFixed(3);
  say(`${name}: ${files.length} files, ${each} ms for each, ${ends} of them run, ${JSON.stringify(counts)}`);
}

function compare(name: string, { verdicts }: Verdicts): void {
  const differences = due.verdicts.flatMap((verdict, round) => {
    const what = difference(verdict, verdicts[round] ?? {});
    return what ? [`${name}: seed ${seed}, ${fileName(round, mutated)}: the node says ${what}`] : [];
  });
  for (const line of differences.slice(0, SHOWN_MAX)) say(line);
  say(`${name}: ${differences.length} of ${files.length} files are judged otherwise`);
  if (differences.length > 0 || verdicts.length !== files.length) process.exitCode = 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
