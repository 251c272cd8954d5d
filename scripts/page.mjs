// The page for browsers (web/): one HTML file with its styles, script and verifying worker, the program of "run it here" with
// check.wasm, and the script that puts the page into another site. Into build/web with a list for the node, and for any server.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { minify as terser } from "terser";
import { withoutKinds, withoutMeanings } from "./without-meanings.mjs";

const FOLDER = "build/web";
/** Modules of private members, `at` and structured clones: browsers of 2022 and later. */
const TARGET = "es2022";

/** A failed run of the page shows names of functions as the compiler wrote them. */
const withoutRustNames = {
  name: "without-rust-names",
  setup(bundle) {
    bundle.onResolve({ filter: /[\\/]rust-names\.js$/ }, () => ({ path: resolve("web/rust-names.ts") }));
  },
};

/**
 * The page has the run in a program of its own. An import that waits, even one that nothing calls, has esbuild wrap each module that
 * both sides share.
 */
const withoutLazyRun = {
  name: "without-lazy-run",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]re-execute-lazily\.ts$/ }, () => ({
      contents: "export const reExecute = undefined;",
    }));
  },
};

/** The page fetches check.wasm beside the program of a run, and puts it before the program (web/runner.ts). */
const withoutCheckWasm = {
  name: "without-check-wasm",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]check-wasm\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/return "[0-9a-f]+"/, "return globalThis.checkWasm"),
      loader: "ts",
    }));
  },
};

/**
 * What both workers need: the first one has all of it, and the program of a run, which is put after it in one text, takes
 * it from there instead of bringing it again.
 */
const SHARED = [
  "host/base/errors/errors.ts",
  "host/base/text/checked-index.ts",
  "host/base/text/bytes.ts",
  "host/base/text/text.ts",
  "host/state/commitment/merkle.ts",
  "host/base/wire/wire.ts",
  "host/base/wire/wire-fields.ts",
  "host/chain/comet-types/header.ts",
  "host/upgrade/handler/receipt.ts",
  "node_modules/@noble/hashes/sha2.js",
  "node_modules/@noble/hashes/utils.js",
  "web/refusal.ts",
  "web/number-text.ts",
].map((file) => resolve(file));

/** The first worker with what the program, as esbuild writes it, takes of it. Names that it does not use are not kept for it. */
async function sharingEntry(entry, program) {
  const taken = new Set(program.match(/(?<=\(")\w+(?="\))/g));
  const parts = SHARED.map(async (file, index) => {
    const names = (await exportedBy(file)).filter((name) => taken.has(name));
    const local = names.map((name) => [name, `shared${index}_${name}`]);
    return {
      take: `import { ${local.map(([name, own]) => `${name} as ${own}`).join(", ")} } from ${JSON.stringify(file)};`,
      give: `{ ${local.map(([name, own]) => `${name}: ${own}`).join(", ")} }`,
    };
  });
  const all = await Promise.all(parts);
  return [
    ...all.map(({ take }) => take),
    `import { listen } from ${JSON.stringify(resolve(entry))};`,
    `globalThis.shared = [${all.map(({ give }) => give).join(", ")}];`,
    "listen();",
  ].join("\n");
}

const fromShared = {
  name: "from-shared",
  setup(bundle) {
    bundle.onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      const index = SHARED.indexOf(path);
      if (index < 0) return undefined;
      const names = await exportedBy(path);
      // What is not used is left out.
      const taken = names.map((name) => `export const ${name} = /* @__PURE__ */ take("${name}");`);
      return {
        contents: [`const take = (name) => globalThis.shared[${index}][name];`, ...taken].join("\n"),
        loader: "js",
      };
    });
  },
};

async function exportedBy(path) {
  const { metafile } = await build({ entryPoints: [path], write: false, bundle: true, format: "esm", metafile: true });
  return Object.values(metafile.outputs)[0].exports;
}

async function bundled(input, { define = {}, plugins = [] } = {}) {
  const { outputFiles } = await build({
    ...(input.endsWith(".ts") || input.endsWith(".css")
      ? { entryPoints: [input] }
      : { stdin: { contents: input, resolveDir: resolve("."), loader: "js" } }),
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    alias: {
      "chain-upgrade/verify": resolve("host/verify/index.ts"),
      "@assemblyscript/loader": resolve("web/instantiate.ts"),
    },
    plugins: [...plugins, withoutMeanings, withoutRustNames, withoutLazyRun],
    define,
    logLevel: "error",
  });
  const [{ text }] = outputFiles;
  return text.trim();
}

/** esbuild leaves functions that are called once, and constants, in their places; terser does not: a twentieth less as sent. */
async function smaller(text) {
  const { code } = await terser(text, { ecma: 2020, compress: { passes: 2 }, format: { comments: false } });
  return code;
}

const hashOf = (text) => createHash("sha256").update(text).digest("base64");

/** A text inside an element of HTML must not end it, nor begin a comment. */
function checkedInside(text, what) {
  if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error(`${what} holds what would end its element`);
  return text;
}

/** Every part in its place, once. */
function filled(page, parts) {
  let html = page;
  for (const [name, text] of Object.entries(parts)) {
    const pieces = html.split(`{{${name}}}`);
    if (pieces.length !== 2) throw new Error(`web/page.html has ${pieces.length - 1} places for ${name}`);
    html = pieces.join(text);
  }
  return html;
}

/** What the browser lets the page do: its own script, WebAssembly, workers of it, and requests to the source. */
function policyOf(script, style) {
  return [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(script)}' 'wasm-unsafe-eval'`,
    `style-src 'sha256-${hashOf(style)}'`,
    "worker-src blob:",
    "connect-src 'self' https: http:",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Writes the files and `files.json`: path, file, type and headers of each that a node serves. */
export async function buildPage() {
  const unfolded = await bundled("web/run-worker.ts", { plugins: [fromShared, withoutCheckWasm] });
  const program = await smaller(unfolded);
  const check = readFileSync("build/check.wasm");
  const run = {
    program: fetchedFile((hash) => `run-${hash.toString("hex").slice(0, 16)}.js`, program),
    // The package has it here alone: its name does not change.
    check: fetchedFile(() => "check.wasm", check),
    // As the page puts the two together.
    integrity: `sha256-${hashOf(`globalThis.checkWasm="${check.toString("hex")}";\n${program}`)}`,
  };
  const worker = await bundled(await sharingEntry("web/verify-worker.ts", unfolded));
  const page = await bundled("web/page.ts", { define: { RUN_PROGRAM: JSON.stringify(run) }, plugins: [withoutKinds] });
  const verifyWorker = checkedInside(await smaller(worker), "the worker");
  const script = checkedInside(await smaller(page), "the script");
  const style = checkedInside(await bundled("web/page.css"), "the style");
  const policy = policyOf(script, style);
  const parts = { policy, style, verifyWorker, script };
  const html = filled(readFileSync("web/page.html", "utf8"), parts);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const write = (name, text) => writeFileSync(join(FOLDER, name), text);
  write("index.html", html);
  write(run.program.file, program);
  write(run.check.file, check);
  write("embed.js", await smaller(await bundled("web/embed.ts")));
  write("files.json", `${JSON.stringify(served(policy, run), null, 2)}\n`);
}

/** The browser holds the file to its hash. */
function fetchedFile(nameBy, bytes) {
  const hash = createHash("sha256").update(bytes).digest();
  return { file: nameBy(hash), bytes: Buffer.byteLength(bytes), integrity: `sha256-${hash.toString("base64")}` };
}

function served(policy, { program, check }) {
  const script = "text/javascript; charset=utf-8";
  const common = { "referrer-policy": "no-referrer", "cache-control": "no-cache" };
  // The name of the program changes with its bytes; other sites load the script that embeds.
  const kept = { "cache-control": "public, max-age=31536000, immutable" };
  return [
    {
      path: "/",
      file: "index.html",
      type: "text/html; charset=utf-8",
      headers: { ...common, "content-security-policy": policy },
    },
    { path: `/${program.file}`, file: program.file, type: script, headers: kept },
    { path: `/${check.file}`, file: check.file, type: "application/wasm", headers: common },
    {
      path: "/embed.js",
      file: "embed.js",
      type: script,
      // With `integrity` a browser takes the script of another site only when that lets it be read.
      headers: { ...common, "cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*" },
    },
  ];
}
