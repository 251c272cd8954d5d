// `npm run build`: everything that is generated, from a clean checkout or again; the same bytes each time.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import asc, { version as ASC_VERSION } from "assemblyscript/asc";
import { build } from "esbuild";
import { checkWasmBeside } from "./check-wasm-beside.mjs";
import { buildPage } from "./page.mjs";
import { writePageModule } from "./page-bytes.mjs";
import { buildPrograms } from "./programs.mjs";
import { buildTypes } from "./types.mjs";
import { withoutMeanings } from "./without-meanings.mjs";

const quiet = process.argv.includes("--quiet");
const say = (text) => quiet || process.stderr.write(`${text}\n`);

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

/**
 * check.wasm: the rules for handler files. Its text is inside of a function, of which an engine keeps nothing until it is called, and
 * in a file without imports, so that bundlers can leave it apart. The hash, which assembly/abi.json promises to every host, is in
 * another file: a bundle has it, and refuses another check.wasm that is found beside it.
 */
async function buildCheck() {
  await compile(["--config", "asconfig.check.json", "--target", "release"]);
  const bytes = readFileSync("build/check.wasm");
  const { check } = JSON.parse(readFileSync("assembly/abi.json", "utf8"));
  const write = (file, from, ...lines) => {
    const text = [`// Made by \`npm run build\` from ${from}. Do not edit.`, ...lines, ""].join("\n");
    writeFileSync(`host/upgrade/handler/check/${file}`, text);
  };
  const hex = `export function checkWasmHex(): string {\n  return "${bytes.toString("hex")}";\n}`;
  write("check-wasm.ts", "assembly/check", "/** The release build, in hex. */", hex);
  const hash = `export const CHECK_SHA256 = "${check.sha256}";`;
  write("check-hash.ts", "assembly/abi.json", "/** SHA-256 of the bytes of check.wasm. */", hash);
  say(`check-wasm.ts  ${bytes.length} bytes`);
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

/** What the package ships: JavaScript, the core, the handlers of the versions that `chaind` knows, and types. */
async function buildDist() {
  rmSync("dist", { recursive: true, force: true });
  mkdirSync("dist");
  cpSync("build/core.wasm", "dist/core.wasm");
  cpSync("build/check.wasm", "dist/check.wasm");
  cpSync("build/examples/split-balances.wasm", "dist/handlers/split-balances.wasm");
  cpSync("build/web", "dist/web", { recursive: true });
  await buildPrograms();
  await buildVerify();
  say("dist");
}

/**
 * `./verify` by itself, with everything in it: npm's users and a script tag of a page take the same file. It is a build of its
 * own, since chunks that other entries share would carry what only those need. Who verifies may read it, so names stay.
 */
async function buildVerify() {
  const options = {
    outdir: "dist",
    bundle: true,
    splitting: true,
    chunkNames: "verify-[name]",
    format: "esm",
    target: "es2022",
    platform: "browser",
    // Who visits a page would have to download what the core does not need of it.
    alias: { "@assemblyscript/loader": resolve("web/instantiate.ts") },
    ...{ minifyWhitespace: true, lineLimit: 160 },
    logLevel: "error",
  };
  const plugins = [withoutMeanings, checkWasmBeside];
  await build({ ...options, entryPoints: { verify: "host/verify/index.ts" }, plugins });
  const checkWasm = "host/upgrade/handler/check/check-wasm.ts";
  await build({ ...options, entryPoints: { "verify-check-wasm": checkWasm } });
}

mkdirSync("build", { recursive: true });
if (!process.argv.includes("--only-dist")) {
  await buildCore();
  await buildCheck();
  await buildHash();
  await buildExamples();
}
await buildPage();
say(`page-bytes.ts  ${writePageModule()} bytes`);
await buildDist();
if (!process.argv.includes("--no-types")) {
  await buildTypes();
  say("dist/types");
}
