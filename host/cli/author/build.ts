/** Builds an author's project: sources in, one .wasm with its manifest out, and the lock that says what it was made of. */
import { existsSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { makeFolder } from "../../base/files/open-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import type { CompileOptions } from "./compile.js";
import { openCompiler } from "./compiler.js";
import { isMeteredByLock, makeLock, requireLock, writeLock } from "./lock.js";
import { makeMap, mapFileOf } from "./map/make-map.js";
import { meteredText, putMetered } from "./metered-file.js";
import { outFile, writeOutFile } from "./out-file.js";
import { HandlerProject, type NamedFixture } from "./project.js";
import { compileOrExplain, refusedFile } from "./refused-build.js";
import { manifestWarnings } from "./semantics.js";
import { sourceFiles } from "./source-files.js";
import { gasOf } from "./testing/fixture-runs.js";

export interface BuildOptions {
  readonly project: string;
  readonly out?: string | undefined;
  readonly locked?: boolean | undefined;
  /** Put the metered module in, where there is room; with `locked` only where the lock has it. True when left out. */
  readonly metered?: boolean | undefined;
  /** Folder of the package chain-upgrade. */
  readonly packageRoot: string;
}

export interface BuildAnswer {
  readonly file: string;
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  /** Bytes of the metered module in the file; null: it has none. */
  readonly metered: number | null;
  /** By fixture; the code of its error where the handler fails. */
  readonly gas: Readonly<Record<string, string>>;
  /** The error in words, of fixtures where the handler fails. */
  readonly failures: Readonly<Record<string, string>>;
  readonly gas_limit: string;
  readonly lock: string;
  /** What is allowed, and most likely not meant. */
  readonly warnings: readonly string[];
}

const NO_MAP = "a build with names makes other code of these sources: failures will name no lines";

/**
 * @throws UpgradeError UPG_INVALID_ARGUMENT (it does not compile), UPG_INVALID_CONFIG; UPG_HANDLER_*: nodes would refuse
 *   it, and the refused file is written beside the place of the good one, with the names of its functions
 */
export async function buildProject(options: BuildOptions): Promise<BuildAnswer> {
  const project = new HandlerProject(options.project);
  requireEntry(project);
  const compiler = await openCompiler(project.folder, options.packageRoot);
  const { entry, folder } = project;
  const compile: CompileOptions = { compiler, project: folder, entry, packageRoot: options.packageRoot };
  const file = options.out === undefined ? project.wasmFile : resolve(options.out);
  const scenes = readScenes(project);
  const read = [project.lockFile, ...scenes.files];
  if (file === project.wasmFile) makeFolder(dirname(file));
  for (const made of [file, refusedFile(file), mapFileOf(file)]) outFile(made, read);
  if (!options.locked) outFile(project.lockOf(file), scenes.files);
  const compiled = await compileOrExplain(compile, refusedFile(file));
  const inputs = [...read, ...sourceFiles(compiled.sources, project, options.packageRoot)];
  const lockFile = options.locked ? project.lockFor(file) : project.lockOf(file);
  const isMetered = options.metered !== false && (!options.locked || isMeteredByLock(lockFile));
  const { handler, metered, warnings } = isMetered ? putMetered(compiled.handler) : { ...compiled, ...PLAIN };
  const { bytes, hash, manifest } = handler;
  const facts = { metered: metered !== null, sha256: hash, size: bytes.length };
  const lock = makeLock(compiler.version, compiled.sources, facts);
  if (options.locked) requireLock(lockFile, lock);
  const { gas, failures } = gasOf(handler, scenes.fixtures);
  const { map, warnings: unread } = await makeMap(compile, { bytes, hash });
  writeOutFile(file, bytes, inputs);
  rmSync(refusedFile(file), { force: true });
  if (!options.locked) writeLock(lockFile, lock);
  if (map === undefined) rmSync(mapFileOf(file), { force: true });
  else writeOutFile(mapFileOf(file), utf8(map), inputs);
  return {
    file: options.out ?? project.wasmName,
    name: manifest.name,
    sha256: hash,
    size: bytes.length,
    metered,
    gas,
    failures,
    gas_limit: String(manifest.gasLimit),
    lock: relative(lockFile === project.lockFile ? folder : ".", lockFile),
    warnings: [
      ...unread,
      ...manifestWarnings(manifest),
      ...scenes.warnings,
      ...warnings,
      ...(map === undefined ? [NO_MAP] : []),
    ],
  };
}

const PLAIN = { metered: null, warnings: [] };

export function buildText(answer: BuildAnswer): string {
  const { file, name, sha256: hash, size, metered, gas, failures, gas_limit, warnings } = answer;
  const gasText = (fixture: string, used: string) =>
    Object.hasOwn(failures, fixture)
      ? `none in ${fixture}, where it fails: ${failures[fixture]}`
      : `${used} in ${fixture}, of at most ${gas_limit}`;
  return [
    `${file}  ${size} bytes, for plan ${JSON.stringify(name)}`,
    `sha256  ${hash}`,
    `metered ${meteredText(metered)}`,
    ...Object.entries(gas).map(([fixture, used]) => `gas     ${gasText(fixture, used)}`),
    ...warnings.map((warning) => `warning ${warning}`),
  ].join("\n");
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: the folder is no project */
export function requireEntry({ folder, entry }: HandlerProject): void {
  if (existsSync(join(folder, entry))) return;
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `there is no ${entry} in ${folder}: name a handler's project with --project, or make one with \`${PROGRAM} handler new DIR\``,
  );
}

interface Scenes {
  readonly files: readonly string[];
  readonly fixtures: readonly NamedFixture[];
  readonly warnings: readonly string[];
}

/** A scene that cannot be read is for `handler test` to refuse: the handler's bytes do not depend on it. */
function readScenes(project: HandlerProject): Scenes {
  let files: readonly string[] = [];
  try {
    files = project.fixtureFiles();
    return { files, fixtures: project.fixtures(), warnings: [] };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { files, fixtures: [], warnings: [`no gas of the scenes: ${error.template}`] };
  }
}
