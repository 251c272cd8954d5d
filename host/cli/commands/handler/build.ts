/** `chaind handler build`: from an author's project to one .wasm with its manifest inside. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileHandler } from "../../../author/compile.js";
import { openCompiler, packageRoot } from "../../../author/compiler.js";
import { gasOf } from "../../../author/fixture-runs.js";
import { makeLock, requireLock, writeLock } from "../../../author/lock.js";
import { HandlerProject } from "../../../author/project.js";
import { writeFileAtomically } from "../../../engine/home/atomic-file.js";
import { isUpgradeError, UpgradeError } from "../../../errors.js";
import { loadHandler } from "../../../handler/handler.js";
import { sha256 } from "../../../native/sha256.js";
import type { Cobra } from "../../../shell/cobra.js";
import type { Output } from "../../../shell/output.js";

interface BuildOptions {
  readonly project: string;
  readonly out?: string;
  readonly locked?: boolean;
}

interface BuildAnswer {
  readonly file: string;
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  /** By fixture; the code of its error where the handler fails. */
  readonly gas: Readonly<Record<string, string>>;
  readonly gas_limit: string;
  readonly lock: string;
}

export function registerBuild(handler: Cobra, output: Output): void {
  handler
    .command("build")
    .summary("Build a handler from its sources")
    .description(
      "Compiles assembly/index.ts and puts the manifest in that it declares. The bytes depend on the sources and on what\n" +
        "handler.lock.json names, and on nothing else: with --locked anyone sees that a handler is made of these sources.",
    )
    .option("--project <dir>", "folder of the project", ".")
    .option("--out <file>", "where to write the handler (default: build/handler.wasm in the project)")
    .option("--locked", "refuse to make other bytes than handler.lock.json has")
    .example("handler build", "handler build --project my-handler --out v3.wasm", "handler build --locked")
    .action(async (options: BuildOptions) => {
      const answer = await buildProject(options).catch((error: unknown) => sayCompiler(error, output));
      output.print(answer, buildText(answer));
    });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT (it does not compile), UPG_INVALID_CONFIG, UPG_HANDLER_*; nothing is written then */
async function buildProject(options: BuildOptions): Promise<BuildAnswer> {
  const project = new HandlerProject(options.project);
  if (!existsSync(join(project.folder, project.entry))) {
    const what = `there is no ${project.entry} in ${project.folder}`;
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${what}: name a handler's project with --project, or make one with new`,
    );
  }
  const root = packageRoot(fileURLToPath(import.meta.url));
  const compiler = await openCompiler(project.folder, root);
  const { bytes, sources } = await compileHandler({
    compiler,
    project: project.folder,
    entry: project.entry,
    packageRoot: root,
  });
  const handler = loadHandler(bytes, { sha256 });
  const { hash, manifest } = handler;
  const lock = makeLock(compiler.version, sources, { sha256: hash, size: bytes.length });
  if (options.locked) requireLock(project.lockFile, lock);
  const gas = gasOf(handler, project.fixtures());
  const file = options.out === undefined ? project.wasmFile : resolve(options.out);
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomically(file, bytes, 0o644);
  if (!options.locked) writeLock(project.lockFile, lock);
  return {
    file: options.out ?? project.wasmName,
    name: manifest.name,
    sha256: hash,
    size: bytes.length,
    gas,
    gas_limit: String(manifest.gasLimit),
    lock: project.lockName,
  };
}

/** The compiler's own words, with the lines of the source, on stderr before the error's. */
function sayCompiler(error: unknown, output: Output): never {
  if (isUpgradeError(error) && error.details["compiler"]) output.say(error.details["compiler"]);
  throw error;
}

function buildText({ file, name, sha256: hash, size, gas, gas_limit }: BuildAnswer): string {
  return [
    `${file}  ${size} bytes, for plan ${JSON.stringify(name)}`,
    `sha256  ${hash}`,
    ...Object.entries(gas).map(([fixture, used]) => `gas     ${used} in ${fixture}, of at most ${gas_limit}`),
  ].join("\n");
}
