// Which tests are run for a fault in a file: those that reach it by imports, the nearest first. No list by hand.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = ["host", "web", "bench", "test", "examples", "assembly"];

/** What a test costs, in imports that it is taken to be further away. */
const FURTHER = { scenario: 2, guest: 2 };
/** Campaigns of minutes, and the package's form. */
const NEVER = /^test\/(sim|engines)\/|^test\/house\/package\.test\.ts$/;
/** Compares the bytes of core.wasm, which any change of assembly/ changes. */
const OF_BYTES = "test/house/abi.test.ts";

/** Tests that one fault may cost: those that call functions, at most so many imports away, and those that run dist/. */
const DISTANCE_MAX = 9;
/** Further away than this, the test whose text is most about the file comes first. */
const NEAR_MAX = 3;
const TESTS_MAX = 100;
const PROGRAM_TESTS_MAX = 8;
/** Files of one run: few at first, where the fault is most likely found. */
const FIRST_RUN = 4;

const IMPORT =
  /^\s*(?:import|export)\s+(?!type\b)(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;
const PACKAGE = { "chain-upgrade": "host/index.ts", "chain-upgrade/node": "host/node.ts" };
const HANDLER_KIT = "assembly/handler/index.ts";

/** What a file uses without an import: modules that the build makes of assembly/, and the programs in dist/. */
const BUILT = [
  [/^host\/upgrade\/core\/core-wasm\.ts$/, undefined, ["assembly/core/index.ts"]],
  [/^host\/upgrade\/handler\/check\/check-(wasm|hash)\.ts$/, undefined, ["assembly/check/index.ts"]],
  [/^host\/state\/commitment\/hash-wasm\.ts$/, undefined, ["assembly/hash/index.ts"]],
  [/^test\//, /\bcore(\.debug)?\.wasm\b/, ["assembly/core/index.ts"]],
  [/^test\//, /build\/examples|chain-upgrade\/(assembly\/)?handler|compileHandler/, [HANDLER_KIT]],
  [/^test\//, /["'`/]dist["'`/]/, ["host/cli/program/chaind.ts", "examples/chain/main.ts", "examples/chain/demo.ts"]],
];

function resolveImport(from, specifier) {
  if (specifier in PACKAGE) return PACKAGE[specifier];
  if (specifier.startsWith("chain-upgrade/handler")) return HANDLER_KIT;
  if (!specifier.startsWith(".")) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  return [path.replace(/\.js$/, ".ts"), `${path}.ts`, path].find((each) => existsSync(join(ROOT, each)));
}

/** For each source, the sources that import it. */
function importersOf(paths) {
  const importers = new Map();
  for (const path of paths) {
    const text = readFileSync(join(ROOT, path), "utf8");
    const named = [...text.matchAll(IMPORT)].map(([, plain, dynamic]) => resolveImport(path, plain ?? dynamic));
    const built = BUILT.flatMap(([file, word, to]) => (file.test(path) && (word?.test(text) ?? true) ? to : []));
    for (const to of [...named, ...built]) {
      if (to === undefined) continue;
      importers.set(to, [...(importers.get(to) ?? []), path]);
    }
  }
  return importers;
}

const paths = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !path.includes("/node_modules/")),
);
const importers = importersOf(paths);

export const isProgramTest = (test) => test.startsWith("test/e2e/");

/** How often a test's path and text have the words of a file's name: which of two tests that are as near is meant for it. */
function kinship(test, file) {
  const words = file.replace(/\.ts$/, "").split(/[/-]/).slice(1);
  const text = `${test.repeat(20)} ${readFileSync(join(ROOT, test), "utf8")}`;
  return words.reduce((sum, word) => sum + (text.split(word).length - 1) / words.length, 0);
}

/** How many imports each file is away from the nearest of these, for all that reach one of them; the nearest come first. */
export function distancesFrom(files) {
  const distance = new Map(files.map((file) => [file, 0]));
  for (const path of distance.keys()) {
    for (const importer of importers.get(path) ?? [])
      if (!distance.has(importer)) distance.set(importer, distance.get(path) + 1);
  }
  return distance;
}

/** The tests of a file, in runs: the nearest few, then more at a time; programs last. */
export function runsFor(file) {
  const distance = distancesFrom([file]);
  const ranked = [...distance.keys()]
    .filter((path) => path.endsWith(".test.ts") && !NEVER.test(path))
    .filter((path) => path !== OF_BYTES || !file.startsWith("assembly/"))
    .map((test) => {
      const far = distance.get(test) + (FURTHER[test.split("/")[1]] ?? 0);
      return { test, far, kin: kinship(test, file) };
    })
    .filter(({ test, far }) => isProgramTest(test) || far <= DISTANCE_MAX)
    .map((each) => ({ ...each, far: Math.min(each.far, NEAR_MAX + 1) }))
    .sort((a, b) => a.far - b.far || b.kin - a.kin || (a.test < b.test ? -1 : 1));
  const tests = ranked.map(({ test }) => test);
  const near = tests.filter((test) => !isProgramTest(test)).slice(0, TESTS_MAX);
  const runs = [];
  for (let size = FIRST_RUN; near.length > 0; size *= 2) runs.push(near.splice(0, size));
  const programs = tests.filter(isProgramTest).slice(0, PROGRAM_TESTS_MAX);
  return programs.length > 0 ? [...runs, programs] : runs;
}
