// Which tests a change affects: those that reach a changed file by imports, and those that read what is no source.
import { existsSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { distancesFrom } from "../mutants/nearest.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** They start programs of dist/, browsers, or tools of other languages. */
const SLOW = /^test\/(?:e2e|visor|sim|web|engines|embed|embed-sdk)\/|^test\/house\/(?:package|page)\.test\.ts$/;

const testsUnder = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);

/** What is read by its path, not imported: the files, and the folders or files of the tests that read them. */
const READ = [
  [/^(?:docs|proto|\.ci|\.github|scripts)\/|\.md$|^[^/]+\.json$|^vitest\.config\.ts$/, ["test/house"]],
  [/^assembly\/(?:core|shared)\//, ["test/core", "test/vectors", "test/house/abi.test.ts"]],
  [/^assembly\/(?:handler|shared)\/|^handler\.ts$|^examples\/[^/]+\/.*\.json$/, ["test/guest"]],
  [/^assembly\/hash\//, ["test/unit/state/commitment"]],
  [/^assembly\/abi\.json$|^assembly\/core\.sha256$/, ["test/house/abi.test.ts", "test/house/abi-document.test.ts"]],
  [/^embed\//, ["test/house/embedded.test.ts", "test/house/embedded-cycles.test.ts", "test/house/errors.test.ts"]],
  [/^guests\//, ["test/guest/languages", "test/house/embedded.test.ts"]],
  [/^host\/(?!base\/gen\/)/, ["test/house/layers.test.ts"]],
];

/** The tests beside a file that is no source (a vector, a table): those of the nearest folder that has some. */
function testsBeside(path) {
  for (let folder = posix.dirname(path); folder !== "test" && folder !== "."; folder = posix.dirname(folder)) {
    const found = existsSync(join(ROOT, folder)) ? testsUnder(folder) : [];
    if (found.length > 0) return found;
  }
  return [];
}

const isImported = (path) => distancesFrom([path]).size > 1;

function readersOf(path) {
  const named = READ.filter(([pattern]) => pattern.test(path)).flatMap(([, tests]) => tests);
  const found = named.flatMap((test) => (test.endsWith(".ts") ? [test] : testsUnder(test)));
  return path.startsWith("test/") && !path.endsWith(".ts") ? [...found, ...testsBeside(path)] : found;
}

/**
 * @param changed paths from the root
 * @returns the tests, nearest first: `quick` ones call functions, `slow` ones start programs; `unknown` are files that no test is near
 */
export function testsNear(changed) {
  const distance = distancesFrom(changed);
  for (const test of changed.flatMap(readersOf)) if (!(distance.get(test) <= 1)) distance.set(test, 1);
  const tests = [...distance.keys()].filter((path) => path.endsWith(".test.ts") && existsSync(join(ROOT, path)));
  tests.sort((a, b) => distance.get(a) - distance.get(b) || (a < b ? -1 : 1));
  return {
    quick: tests.filter((test) => !SLOW.test(test)),
    slow: tests.filter((test) => SLOW.test(test)),
    unknown: changed.filter((path) => !path.endsWith(".test.ts") && readersOf(path).length === 0 && !isImported(path)),
    needsBuild: changed.some((path) => path.startsWith("assembly/") && path.endsWith(".ts")),
  };
}
