// `npm run build:executable`: the program of the example chain as one file, for machines without Node.js and for
// supervisors that copy one file: build/executable/chaind. It is this machine's Node.js with the program in it, so each
// platform builds its own.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { inject } from "postject";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "build/executable" },
    /** Calls `runChain`. */
    entry: { type: "string", default: "examples/chain/executable.ts" },
  },
});
/** Made new, when nothing but an executable that was made before is in it. */
const OUT = resolve(values.out);
const require = createRequire(import.meta.url);
const { platform, arch } = process;
const NAME = platform === "win32" ? "chaind.exe" : "chaind";
const FILE = join(OUT, NAME);
const PARTS = join(OUT, "parts");
/** Under its name once it is whole: until it has the program in it, it is a plain Node.js. */
const UNFINISHED = join(PARTS, NAME);
/** Where Node.js looks for what is injected. */
const BLOB = "NODE_SEA_BLOB";
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

function fail(text) {
  process.stderr.write(`build:executable: ${text}\n`);
  process.exit(1);
}

/** A folder that somebody named by mistake stays as it is. */
function requireOwn() {
  if (!existsSync(OUT)) return;
  if (!statSync(OUT).isDirectory()) fail(`--out ${OUT} is a file: name a folder`);
  const other = readdirSync(OUT).find((name) => ![NAME, "parts"].includes(name));
  if (other !== undefined) fail(`--out ${OUT} has other files in it, such as ${other}: name an empty folder`);
}

/** What is injected into a Node.js without the fuse is never read. */
function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node.js ${process.versions.node} is too old: 20.19 or newer`);
  if (!["linux", "darwin", "win32"].includes(platform)) fail(`Node.js makes no single executables on ${platform}`);
  if (!readFileSync(process.execPath).includes(`${FUSE}:0`)) {
    fail(`${process.execPath} takes no program (it is a build without the fuse): use Node.js from nodejs.org`);
  }
}

/** Of a platform's build of a package: the file that this Node.js loads. */
function lmdbNative() {
  const ofLmdb = createRequire(require.resolve("lmdb"));
  const load = ofLmdb("node-gyp-build-optional-packages");
  const folder = resolve(require.resolve("lmdb"), "../..");
  try {
    return load.resolve(folder);
  } catch {
    return fail(`lmdb has no build for ${platform}-${arch} here: run npm ci on this platform`);
  }
}

function locksNative() {
  const prebuilt = join(
    "node_modules/fs-native-extensions/prebuilds",
    `${platform}-${arch}`,
    "fs-native-extensions.node",
  );
  // Without it the program warns that the kernel does not lock its home.
  return existsSync(prebuilt) ? prebuilt : undefined;
}

const bundled = { bundle: true, write: false, format: "cjs", platform: "node", target: "node20", logLevel: "error" };
const textOf = ({ outputFiles: [file] }) => file.text;

/** A package as one file beside its native part. */
async function packageFiles(name, entry, native) {
  const loader = {
    name: "native",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node-gyp-build-optional-packages|require-addon)$/ }, () => ({
        path: "native",
        namespace: "native",
      }));
      onLoad({ filter: /.*/, namespace: "native" }, () => ({
        contents: `const load = () => require("./native.node"); load.addon = load; module.exports = load; require.addon = load;`,
      }));
      onResolve({ filter: /^\.\/native\.node$/ }, () => ({ path: "./native.node", external: true }));
    },
  };
  const made = await build({
    ...bundled,
    entryPoints: [entry],
    plugins: [loader],
    external: ["msgpackr-extract", "bun:ffi"],
  });
  return [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.cjs" })],
    [`node_modules/${name}/index.cjs`, textOf(made)],
    [`node_modules/${name}/native.node`, readFileSync(native)],
  ];
}

/** All that is written to a folder when the program runs. */
async function filesToUnpack() {
  const handlers = readdirSync("dist/handlers").map((name) => [
    `handlers/${name}`,
    readFileSync(`dist/handlers/${name}`),
  ]);
  const lmdb = await packageFiles("lmdb", require.resolve("lmdb"), lmdbNative());
  const locks = locksNative();
  const entry = resolve("node_modules/fs-native-extensions/index.js");
  return [...handlers, ...lmdb, ...(locks ? await packageFiles("fs-native-extensions", entry, locks) : [])];
}

/** The whole program; what it asks its own address for lies in the folder. */
async function program() {
  const unpack = await build({
    ...bundled,
    entryPoints: ["scripts/executable/unpack.mjs"],
    format: "iife",
    globalName: "unpacked",
  });
  const made = await build({
    ...bundled,
    entryPoints: [values.entry],
    alias: {
      "@assemblyscript/loader": resolve("node_modules/@assemblyscript/loader/index.js"),
      "chain-upgrade/node": resolve("host/node.ts"),
      "chain-upgrade": resolve("host/index.ts"),
    },
    external: ["lmdb", "fs-native-extensions"],
    define: { "import.meta.url": "__unpacked.url" },
    banner: { js: `${textOf(unpack)}const __unpacked = unpacked.unpack(); require = __unpacked.require;` },
  });
  return textOf(made);
}

async function inNode() {
  const assets = {};
  const put = (name, bytes) => {
    const path = join(PARTS, createHash("sha256").update(name).digest("hex"));
    writeFileSync(path, bytes);
    assets[name] = path;
    return path;
  };
  mkdirSync(PARTS, { recursive: true });
  const files = await filesToUnpack();
  for (const [name, bytes] of files) put(name, bytes);
  // With their hashes, so that another content is another folder.
  const hashes = files.map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("hex")]);
  put("files.json", JSON.stringify(hashes));
  const main = put("program.cjs", await program());
  const [config, blob] = [join(PARTS, "sea.json"), join(PARTS, "blob")];
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, assets }));
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "inherit"] });
  return readFileSync(blob);
}

requireOwn();
requireNode();
if (!existsSync("dist/handlers")) fail("dist is missing: npm run build comes first");
rmSync(OUT, { recursive: true, force: true });
const blob = await inNode();
copyFileSync(process.execPath, UNFINISHED);
chmodSync(UNFINISHED, 0o755);
// A signature does not survive what is added; macOS runs nothing that has none.
if (platform === "darwin") execFileSync("codesign", ["--remove-signature", UNFINISHED], { stdio: "inherit" });
const segment = platform === "darwin" ? { machoSegmentName: "NODE_SEA" } : {};
await inject(UNFINISHED, BLOB, blob, { sentinelFuse: FUSE, ...segment });
if (platform === "darwin") execFileSync("codesign", ["--sign", "-", UNFINISHED], { stdio: "inherit" });
renameSync(UNFINISHED, FILE);
rmSync(PARTS, { recursive: true });
const sha256 = createHash("sha256").update(readFileSync(FILE)).digest("hex");
process.stdout.write(`${sha256}  ${FILE}\n`);
