// The JavaScript of the package: the library as an ES module, and all programs as one script beside it.
import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const LOADER = resolve("node_modules/@assemblyscript/loader/index.js");
const LIBRARY_ENTRIES = { index: "host/index.ts", test: "host/upgrade/test-kit/index.ts" };
const bundled = { bundle: true, write: false, target: "node20", logLevel: "error", metafile: true };
/** The examples import the package by its name; here that is the source itself. An alias with a path is bundled. */
const alias = { "@assemblyscript/loader": LOADER, "chain-upgrade": resolve("host/index.ts") };

/**
 * Packages that stay outside of the script: native ones, and those that only some commands load. The others are in it, since
 * each package costs a start some milliseconds.
 */
const OUTSIDE = [
  ...["lmdb", "fs-native-extensions", "undici", "yauzl", "ws", "hono", "@hono/node-server", "prom-client", "yaml"],
  ...[
    "@decimalturn/toml-patch",
    "commander",
    "smol-toml",
    "@noble/ciphers",
    "@noble/curves",
    "@scure/bip32",
    "@scure/bip39",
  ],
];

const textOf = ({ outputFiles: [file] }) => file.text;
/** Names stay, for the stacks of errors. */
const shorter = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160, legalComments: "none" };

/** dist/library.js, index.js, test.js, node.js, programs.cjs and the files that start them. */
export async function buildPrograms() {
  const shared = await sharedFiles();
  const { text, used } = await programs(shared);
  await buildLibrary(shared, used);
  const script = `((require, __url, __import, __library) => {\nconst module = {};\n${text}\nreturn module.exports;\n})\n`;
  writeFileSync("dist/programs.cjs", script);
  await buildNodeEntry();
  await buildStarters();
}

/**
 * The source files that the library consists of → a short name and their exports. The programs take these files from the library
 * that they are given, so each class exists once.
 */
async function sharedFiles() {
  const options = { ...bundled, format: "esm", platform: "neutral", external: ["@noble/*", "node:*"], alias };
  const { metafile } = await build({ ...options, entryPoints: LIBRARY_ENTRIES, outdir: "dist", splitting: true });
  const files = Object.keys(metafile.inputs);
  const each = await build({
    ...{ entryPoints: files, outdir: "none", write: false, format: "esm", metafile: true, logLevel: "error" },
  });
  const exportsOf = new Map(
    Object.values(each.metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]),
  );
  // One that only passes other files on is needed nowhere: those files are shared themselves.
  const isPassedOn = (file) => /^export \*/m.test(readFileSync(file, "utf8"));
  return new Map(
    files
      .filter((file) => !isPassedOn(file))
      .map((file, at) => [resolve(file), { id: `m${at}`, exports: exportsOf.get(file) }]),
  );
}

/** Exports of shared files as constants; those that nobody uses are dropped, and with them the file. */
function takeFromLibrary(shared) {
  return {
    name: "take-from-library",
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|js)$/ }, ({ path }) => {
        const file = shared.get(path);
        if (!file) return undefined;
        const lines = file.exports.map((name) => {
          const own = name === "default" ? "value" : name;
          return `const ${own} = /* @__PURE__ */ __library("${file.id}", "${name}");\nexport { ${own} as ${name} };`;
        });
        return { contents: lines.join("\n"), loader: "js" };
      });
    },
  };
}

/** A package outside of the script is loaded when one of its exports is first used. */
const loadedOnUse = {
  name: "loaded-on-use",
  setup({ onResolve, onLoad }) {
    const isOutside = (path) => OUTSIDE.some((name) => path === name || path.startsWith(`${name}/`));
    onResolve({ filter: /^[@a-z]/ }, ({ path, namespace }) => {
      if (!isOutside(path)) return undefined;
      return namespace === "on-use" ? { path, external: true } : { path, namespace: "on-use" };
    });
    onLoad({ filter: /./, namespace: "on-use" }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== "module.exports");
      const members = names.map((name) => `get ${JSON.stringify(name)}() { return load().${name}; }`);
      // Its `default` is what CommonJS exports, or that of an ES module.
      const load = `(loaded ??= interop(require(${JSON.stringify(path)})))`;
      const interop =
        '(found) => (found.__esModule || found[Symbol.toStringTag] === "Module" ? found : Object.assign(Object.create(found), { default: found }))';
      return {
        contents: `let loaded; const interop = ${interop}; const load = () => ${load}; module.exports = { __esModule: true, ${members.join(", ")} };`,
      };
    });
  },
};

/** In a script only the starter's function can load a module by its URL. */
const importByStarter = {
  name: "import-by-starter",
  setup({ onLoad }) {
    onLoad({ filter: /native\/import-file\.ts$/ }, () => ({ contents: "export const importFile = __import;" }));
  },
};

async function programs(shared) {
  const made = await build({
    ...bundled,
    stdin: {
      contents: `
        export const node = () => require("./host/node.ts");
        export const chaind = async () => (await import("./examples/chain/main.ts")).runChaind();
        export const demo = async () => (await import("./examples/chain/demo.ts")).runExampleDemo();
        export const chainvisor = async () => (await import("./host/visor/run/main.ts")).runChainvisor();`,
      resolveDir: ".",
    },
    format: "cjs",
    platform: "node",
    alias,
    define: { "import.meta.url": "__url" },
    supported: { "dynamic-import": false },
    ...shorter,
    plugins: [onlyWhatProgramsImport(["examples/chain"]), takeFromLibrary(shared), loadedOnUse, importByStarter],
  });
  const text = textOf(made);
  // Long lines are broken inside of strings too.
  const taken = [...text.replaceAll("\\\n", "").matchAll(/__library\(\s*"(\w+)",\s*"([\w$]+)"\s*\)/g)];
  return { text, used: new Set(taken.map(([, id, name]) => `${id} ${name}`)) };
}

/** The exports of shared files that programs use, as lines of a module. */
function* usedExports(shared, used) {
  for (const [path, { id, exports }] of shared) {
    const names = exports.filter((name) => used.has(`${id} ${name}`));
    if (names.length > 0) yield { path, id, names };
  }
}

async function buildLibrary(shared, used) {
  const lines = [...usedExports(shared, used)].map(
    ({ path, id, names }) =>
      `export { ${names.map((name) => `${name} as ${id}_${name}`).join(", ")} } from ${JSON.stringify(path)};`,
  );
  const entries = Object.values(LIBRARY_ENTRIES).map((file) => `export * from "./${file}";`);
  const options = { ...bundled, format: "esm", platform: "neutral", external: ["@noble/*", "node:*"], alias };
  const made = await build({
    ...options,
    stdin: { contents: [...lines, ...entries].join("\n"), resolveDir: "." },
  });
  // Blanks stay, since the marks by which other bundlers drop what they do not need would go with them.
  writeFileSync("dist/library.js", textOf(made).replace(/^\/\/ (?:host|node_modules)\/.*\n/gm, ""));
  for (const [entry, file] of Object.entries(LIBRARY_ENTRIES)) {
    const { metafile } = await build({ ...options, entryPoints: [file], outdir: "none" });
    const [{ exports }] = Object.values(metafile.outputs);
    writeFileSync(`dist/${entry}.js`, `export { ${exports.join(", ")} } from "./library.js";\n`);
  }
}

/** `chain-upgrade/node`: the exports of the script, with the classes of the library. */
async function buildNodeEntry() {
  const { metafile } = await build({
    ...{ ...bundled, packages: "external", format: "esm", platform: "node", alias },
    ...{ entryPoints: ["host/node.ts"], outdir: "none" },
  });
  const [{ exports }] = Object.values(metafile.outputs);
  const lines = [
    'import * as library from "./library.js";',
    'import { openPrograms } from "./start.js";',
    `export const { ${exports.join(", ")} } = openPrograms(library).node();`,
  ];
  writeFileSync("dist/node.js", `${lines.join("\n")}\n`);
}

/**
 * Each start of a program would load all that `chain-upgrade/node` exports, the database and the servers among it. So a program
 * gets those exports alone which the files of its folder import.
 */
function onlyWhatProgramsImport(folders) {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
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

/** The files that are run, and the one with which they load the script. */
async function buildStarters() {
  await buildFile("start", { entryPoints: ["host/cli/program/start-program.ts"] });
  for (const [name, program] of Object.entries({ "main-job": "demo", chainvisor: "chainvisor" })) {
    writeFileSync(
      `dist/${name}.js`,
      `${SHEBANG}\nimport { startProgram } from "./start.js";\n\nawait startProgram("${program}");\n`,
    );
    chmodSync(`dist/${name}.js`, 0o755);
  }
  for (const known of [() => NOTHING_KNOWN, knownResults]) {
    await buildFile("chaind", {
      ...{ entryPoints: ["host/cli/program/chaind.ts"], banner: { js: SHEBANG }, plugins: [startBeside] },
      define: { KNOWN_RESULTS: JSON.stringify(await known()) },
    });
  }
  chmodSync("dist/chaind.js", 0o755);
}

const SHEBANG = "#!/usr/bin/env node";
const NOTHING_KNOWN = { name: "chaind", texts: [], places: {} };

/** The package says of itself that its modules do nothing by being loaded. These do. */
const buildFile = (name, options) =>
  build({
    ...{ ...bundled, write: true, format: "esm", platform: "node", outfile: `dist/${name}.js` },
    ...{ ignoreAnnotations: true, ...options },
  });

const startBeside = {
  name: "start-beside",
  setup({ onResolve }) {
    onResolve({ filter: /start-program\.js$/ }, () => ({ path: "./start.js", external: true }));
  },
};

/** Each is also known in its other spellings. */
const JSON_FORMS = [["-o", "json"], ["-o=json"], ["-ojson"], ["--output", "json"], ["--output=json"], ["--json"]];
const FORMS = [[], ["help"], ["-h"], ["--help"], ["version"], ["-v"], ["--version"]];

/** What the program prints for these arguments, from the program itself, in a home that has nothing. */
async function knownResults() {
  const run = promisify(execFile);
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", CHAIN_UPGRADE_CODE_CACHE: "off" };
  const texts = [];
  const places = {};
  const print = async (args) => {
    const { stdout, stderr } = await run(process.execPath, ["dist/chaind.js", ...args], { env });
    if (stderr !== "") throw new Error(`chaind ${args.join(" ")}: ${stderr}`);
    if (!texts.includes(stdout)) texts.push(stdout);
    return texts.indexOf(stdout);
  };
  const know = (args, place) => {
    places[args.map((arg) => `${arg}\0`).join("")] = place;
  };
  for (const form of FORMS) {
    const [text, json] = await Promise.all([print(form), print([...form, ...JSON_FORMS[0]])]);
    know(form, text);
    for (const format of JSON_FORMS) know([...form, ...format], json);
  }
  return { name: "chaind", texts, places };
}
