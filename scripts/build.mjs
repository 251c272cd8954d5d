// `npm run build`: everything that is generated, from a clean checkout or again; the same bytes each time.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import asc from "assemblyscript/asc";
import { build } from "esbuild";

const quiet = process.argv.includes("--quiet");
const say = (text) => quiet || process.stderr.write(`${text}\n`);

/** An alias with a path is bundled even where packages stay outside: the loader is needed at build time only. */
const LOADER = resolve("node_modules/@assemblyscript/loader/index.js");

/** No garbage collector, no start section, memory bounded: what the sandbox asks for. */
const HANDLER_FLAGS = [
  ...["--config", "none", "--runtime", "stub", "--exportStart", "_initialize"],
  ...["--initialMemory", "16", "--maximumMemory", "64"],
  ...["--optimizeLevel", "3", "--shrinkLevel", "1", "--converge"],
];

async function compile(args) {
  const { error, stderr } = await asc.main(args);
  if (error) throw new Error(`asc ${args.join(" ")}\n${stderr.toString()}`);
}

/** core.wasm twice: release for use, debug for the tests that run on both. */
async function buildCore() {
  for (const target of ["release", "debug"]) await compile(["--config", "asconfig.json", "--target", target]);
  const bytes = readFileSync("build/core.wasm");
  const source = [
    "// Made by `npm run build` from assembly/core. Do not edit.",
    `const BASE64 =\n  "${bytes.toString("base64")}";`,
    "",
    "/** The release build of core.wasm. */",
    "export function CORE_WASM(): Uint8Array {",
    "  return Uint8Array.from(atob(BASE64), (character) => character.charCodeAt(0));",
    "}",
    "",
  ].join("\n");
  writeFileSync("host/core/core-wasm.ts", source);
  say(`core.wasm  ${bytes.length} bytes`);
}

/** Each example is one .wasm with its manifest inside. */
async function buildExamples() {
  mkdirSync("build/examples", { recursive: true });
  for (const name of readdirSync("examples")) {
    const outFile = `build/examples/${name}.wasm`;
    await compile([`examples/${name}/assembly/index.ts`, ...HANDLER_FLAGS, "--outFile", outFile]);
    const manifest = JSON.stringify(JSON.parse(readFileSync(`examples/${name}/manifest.json`, "utf8")));
    const bytes = withCustomSection(readFileSync(outFile), "chain-upgrade.manifest", Buffer.from(manifest));
    writeFileSync(outFile, bytes);
    say(`${name}.wasm  ${bytes.length} bytes`);
  }
}

function withCustomSection(wasm, name, payload) {
  const title = Buffer.from(name);
  const body = Buffer.concat([leb(title.length), title, payload]);
  return Buffer.concat([wasm, Buffer.of(0), leb(body.length), body]);
}

function leb(value) {
  const bytes = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** What the package ships: bundles, the core, the handlers of the versions that `chaind` knows, and types. */
async function buildDist() {
  rmSync("dist", { recursive: true, force: true });
  const common = { bundle: true, format: "esm", target: "node20", logLevel: "error", outdir: "dist", sourcemap: true };
  // The library stands on nothing but @noble; what else it uses is bundled.
  await build({ ...common, entryPoints: { index: "host/index.ts" }, platform: "neutral", external: ["@noble/*"] });
  const node = { ...common, platform: "node", packages: "external", alias: { "@assemblyscript/loader": LOADER } };
  await build({ ...node, entryPoints: { node: "host/node.ts" } });
  const programs = { chaind: "host/cli/main.ts", "main-job": "host/cli/main-job.ts" };
  await build({ ...node, entryPoints: programs, sourcemap: false });
  for (const program of Object.keys(programs)) chmodSync(`dist/${program}.js`, 0o755);
  cpSync("build/core.wasm", "dist/core.wasm");
  cpSync("build/examples/split-balances.wasm", "dist/handlers/split-balances.wasm");
  say("dist");
}

/** Declarations, by the compiler itself. */
function buildTypes() {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
  say("dist/types");
}

mkdirSync("build", { recursive: true });
await buildCore();
await buildExamples();
await buildDist();
if (!process.argv.includes("--no-types")) buildTypes();
