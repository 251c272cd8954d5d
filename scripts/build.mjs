// `npm run build`: everything that is generated, from a clean checkout or again; the same bytes each time.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import asc, { version as ASC_VERSION } from "assemblyscript/asc";
import { build } from "esbuild";
import ts from "typescript";
import { buildPage } from "./page.mjs";
import { writePageModule } from "./page-bytes.mjs";
import { withoutMeanings } from "./without-meanings.mjs";

const quiet = process.argv.includes("--quiet");
const say = (text) => quiet || process.stderr.write(`${text}\n`);

/** An alias with a path is bundled even where packages stay outside: the loader is needed at build time only. */
const LOADER = resolve("node_modules/@assemblyscript/loader/index.js");

async function compile(args) {
  const { error, stderr } = await asc.main(args);
  if (error) throw new Error(`asc ${args.join(" ")}\n${stderr.toString()}`);
}

/** core.wasm twice: release for use, debug for the tests that run on both. */
async function buildCore() {
  for (const target of ["release", "debug"]) await compile(["--config", "asconfig.json", "--target", target]);
  const bytes = readFileSync("build/core.wasm");
  writeBytesModule("host/upgrade/core/core-wasm.ts", "assembly/core", "CORE_WASM", bytes);
}

/** SHA-256 in lanes and the finishing of tree nodes, for bulk work on the host's side. Memory grows with long values. */
async function buildHash() {
  const memory = ["--initialMemory", "4", "--maximumMemory", "4096"];
  const speed = ["--enable", "simd", "--optimizeLevel", "3", "--converge", "--noAssert"];
  const args = ["assembly/hash/index.ts", "--config", "none", "--runtime", "stub", ...memory, ...speed];
  await compile([...args, "--outFile", "build/hash.wasm"]);
  writeBytesModule("host/state/commitment/hash-wasm.ts", "assembly/hash", "HASH_WASM", readFileSync("build/hash.wasm"));
}

/** A TypeScript file that holds a module's bytes: in hex, since brotli makes less of that than of base64. */
function writeBytesModule(file, from, name, bytes) {
  const source = [
    `// Made by \`npm run build\` from ${from}. Do not edit.`,
    'import { fromHex } from "../../base/text/bytes.js";',
    "",
    `const HEX =\n  "${bytes.toString("hex")}";`,
    "",
    "/** The release build. */",
    `export function ${name}(): Uint8Array {`,
    "  return fromHex(HEX);",
    "}",
    "",
  ].join("\n");
  writeFileSync(file, source);
  say(`${file.split("/").at(-1)}  ${bytes.length} bytes`);
}

/** Examples are projects of handler authors, compiled as `chaind handler build` does it. */
async function buildExamples() {
  const tool = resolve("build/compile-handler.mjs");
  await build({
    entryPoints: ["host/cli/author/compile.ts"],
    outfile: tool,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const { compileHandler } = await import(pathToFileURL(tool).href);
  mkdirSync("build/examples", { recursive: true });
  for (const name of readdirSync("examples")) {
    if (!existsSync(`examples/${name}/assembly/index.ts`)) continue;
    const project = resolve("examples", name);
    const { bytes } = await compileHandler({
      compiler: { version: ASC_VERSION, main: asc.main },
      project,
      entry: "assembly/index.ts",
      packageRoot: resolve("."),
    });
    writeFileSync(`build/examples/${name}.wasm`, bytes);
    say(`${name}.wasm  ${bytes.length} bytes`);
  }
}

/** Packages that are bundled: `.` works where no package is installed but @noble. */
const BUNDLED = ["@assemblyscript/loader", "@bufbuild/protobuf"];

const VECTORS = ["README.md", "core-calls.json.gz", "handler-cases.json.gz"];

/** What the package ships: bundles, the core, the handlers of the versions that `chaind` knows, vectors for hosts, and types. */
async function buildDist() {
  rmSync("dist", { recursive: true, force: true });
  // The examples import the package by its name; here that is the source itself, so each class exists once.
  const alias = {
    "@assemblyscript/loader": LOADER,
    "chain-upgrade": resolve("host/index.ts"),
  };
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const packages = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name));
  const programs = {
    chaind: "examples/chain/start.ts",
    "main-job": "examples/chain/demo.ts",
    chainvisor: "host/visor/run/main.ts",
  };
  // One build of all entries, with shared chunks: a class that two entries export is one class, so `instanceof` holds.
  // Each entry reaches the chunks of its own imports alone; a command loads what it needs when it runs.
  await build({
    entryPoints: { index: "host/index.ts", test: "host/upgrade/test-kit/index.ts", node: "host/node.ts", ...programs },
    outdir: "dist",
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    target: "node20",
    platform: "neutral",
    external: [...packages, ...packages.map((name) => `${name}/*`), "node:*"],
    alias,
    plugins: [onlyWhatProgramsImport(Object.values(programs).map((file) => dirname(file)))],
    logLevel: "error",
  });
  await buildVerify();
  for (const program of Object.keys(programs)) chmodSync(`dist/${program}.js`, 0o755);
  cpSync("build/core.wasm", "dist/core.wasm");
  cpSync("build/examples/split-balances.wasm", "dist/handlers/split-balances.wasm");
  cpSync("build/web", "dist/web", { recursive: true });
  // For those who write a host in another language (docs/hosts.md).
  for (const file of VECTORS) cpSync(`test/vectors/${file}`, `dist/vectors/${file}`);
  say("dist");
}

/**
 * For a program that is built beside the entry `chain-upgrade/node` the bundler takes all that the entry exports as needed, and each
 * start would load the database and the servers. So a program gets those exports alone which the files of its folder import.
 */
function onlyWhatProgramsImport(folders) {
  const files = [...new Set(folders)].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const imports = files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/import \{([^}]*)\} from "chain-upgrade\/node"/g)]);
  const names = new Set(imports.flatMap(([, list]) => list.split(",").map((name) => name.trim())));
  const exported = [...readFileSync("host/node.ts", "utf8").matchAll(/^export \{([^}]*)\} from "([^"]*)";$/gm)];
  const lines = exported.flatMap(([, list, from]) => {
    const wanted = list.split(",").filter((name) => names.has(name.trim()));
    return wanted.length > 0 ? [`export {${wanted.join(",")}} from "${from}";`] : [];
  });
  return {
    name: "only-what-programs-import",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^chain-upgrade\/node$/ }, () => ({
        path: "node",
        namespace: "programs",
        sideEffects: false,
      }));
      onLoad({ filter: /./, namespace: "programs" }, () => ({
        contents: lines.join("\n"),
        resolveDir: resolve("host"),
        loader: "ts",
      }));
    },
  };
}

/**
 * `./verify` by itself, with everything in it: npm's users and a script tag of a page take the same file. It is a build of its
 * own, since chunks that other entries share would carry what only those need. Who verifies may read it, so it is not minified.
 */
async function buildVerify() {
  await build({
    entryPoints: { verify: "host/verify/index.ts" },
    outdir: "dist",
    bundle: true,
    splitting: true,
    chunkNames: "verify-[name]-[hash]",
    format: "esm",
    target: "es2022",
    platform: "browser",
    // Who visits a page would have to download what the core does not need of it.
    alias: { "@assemblyscript/loader": resolve("web/instantiate.ts") },
    plugins: [withoutMeanings],
    logLevel: "error",
  });
}

/** Declarations, by the compiler itself; those stay that an entry of the package reaches. */
function buildTypes() {
  execFileSync(process.execPath, ["node_modules/typescript-native/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles) {
      if (fileName.startsWith(".")) reach(join(dirname(file), fileName.replace(/\.js$/, ".d.ts")));
    }
  };
  for (const { types } of Object.values(exports)) if (types) reach(join(types));
  for (const entry of readdirSync("dist/types", { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(file)) rmSync(file);
  }
  say("dist/types");
}

mkdirSync("build", { recursive: true });
if (!process.argv.includes("--only-dist")) {
  await buildCore();
  await buildHash();
  await buildExamples();
}
await buildPage();
say(`page-bytes.ts  ${writePageModule()} bytes`);
await buildDist();
if (!process.argv.includes("--no-types")) buildTypes();
