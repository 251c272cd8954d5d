/** `npm run vectors`: the conformance vectors, file by file. Exit 1 when a case fails. */
import { resolve } from "node:path";
import { Command } from "commander";
import { runVectors, vectorsDirectory } from "./harness.js";
import { RUNNERS } from "./runners.js";
import { WRITERS, writeVectors } from "./writers.js";

const program = new Command("npm run vectors --")
  .description("Holds this implementation to the answers of the field's own code (test/vectors/README.md).")
  .argument("[file...]", `files to run: ${Object.keys(RUNNERS).join(", ")}; all without`)
  .option("--dir <dir>", "folder of the vectors")
  .option("--json", "one JSON object a file on stdout")
  .option("--write", `write the files again, before they are run: ${Object.keys(WRITERS).join(", ")}`)
  .parse();

const options = program.opts<{ dir?: string; json?: boolean; write?: boolean }>();
const directory = options.dir ? resolve(options.dir) : vectorsDirectory();
const FAILURES_SHOWN = 5;
let failed = 0;

if (options.write) await writeAll(program.args.map(fileOf));

for (const name of program.args.length > 0 ? program.args : Object.keys(RUNNERS)) {
  const file = fileOf(name);
  const runner = RUNNERS[file] ?? noRunner(name);
  const { failures, ...report } = runVectors(file, runner, directory);
  failed += report.failed;
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    const tags = Object.entries(report.by).map(([tag, count]) => `${tag} ${count}`);
    const differing = report.differing > 0 ? `, ${report.differing} differ on purpose (${tags.join(", ")})` : "";
    process.stdout.write(
      `${file.padEnd(12)} ${report.passed} of ${report.cases} equal${differing}, ${report.failed} failed\n`,
    );
  }
  for (const { label, message } of failures.slice(0, FAILURES_SHOWN)) process.stderr.write(`  ${label}: ${message}\n`);
}

process.exitCode = failed > 0 ? 1 : 0;

function noRunner(name: string): never {
  return program.error(`there is no runner for "${name}"; known are ${Object.keys(RUNNERS).join(", ")}`, {
    exitCode: 2,
  });
}

function fileOf(name: string): string {
  return name.replace(/(\.json)?(\.gz)?$/, "");
}

async function writeAll(files: readonly string[]): Promise<void> {
  const known = Object.keys(WRITERS).join(", ");
  if (files.length === 0) program.error(`--write wants the files that it shall write: ${known}`, { exitCode: 2 });
  for (const file of files) {
    const make =
      WRITERS[file] ?? program.error(`"${file}" comes from elsewhere; --write writes ${known}`, { exitCode: 2 });
    const bytes = writeVectors(file, await make(), directory);
    process.stderr.write(`${file}: ${bytes} bytes written\n`);
  }
}
