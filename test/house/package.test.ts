/** The package as others meet it: what it ships, what its checkers say, what its entries do when they are imported. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../host/base/terminal/version.js";
import { genesisText } from "../scenario/genesis-text.js";
import { ROOT } from "./sources.js";

const MINUTES = 60_000;
const bin = (name: string) => join(ROOT, "node_modules", ".bin", name);
const TSC = join(ROOT, "node_modules/typescript-native/bin/tsc");

function run(command: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** `a/b` and `a` of `a/b/c.md`. */
const foldersOf = (path: string) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

const expectClean = (result: { status: number | null; output: string }) =>
  expect(result.status === 0 ? "clean" : result.output).toBe("clean");

/** A node halts, and the harness refuses a file; both are known to the library's classes. */
const SHARED_CLASSES = `
import { readFileSync } from "node:fs";
import { Core, Halt, MemoryDatabase, UpgradeError } from "chain-upgrade";
import { App, auth, bank, defineChain, gov, parseGenesis, sha256, staking, upgrade } from "chain-upgrade/node";
import { openHandler } from "chain-upgrade/test";

const seen = (type, work) => {
  try {
    work();
  } catch (error) {
    console.log(type.name, error.code, error instanceof type);
  }
};
const chain = defineChain({ name: "oned", modules: [auth(), bank({ version: 1n }), staking(), gov(), upgrade()] });
const genesis = parseGenesis(chain, readFileSync(new URL("genesis.json", import.meta.url), "utf8"));
const app = new App({ chain, genesis, sha256, core: new Core(), database: new MemoryDatabase(), haltHeight: 1n });
app.load();
seen(Halt, () => app.finalizeBlock({ height: 1n, time: genesis.time }));
seen(UpgradeError, () => openHandler(new Uint8Array(8)));
`;

/** What a module's file takes when it is loaded, and uses in a block. */
const TAKEN_WHEN_LOADED = `
import { readFileSync } from "node:fs";
import { Core, MemoryDatabase } from "chain-upgrade";
import { App, auth, bank, defineChain, gov, parseGenesis, sha256, staking, upgrade } from "chain-upgrade/node";

const { now, parse } = Date, { random, pow } = Math, { localeCompare } = String.prototype, timeout = setTimeout, Time = Date;
const clock = performance.now.bind(performance), collator = new Intl.Collator("en");
const taken = {
  now, random, pow: () => pow(1.1, 2.2), Date: () => new Time(), parse: () => parse("1 Jan 2026"), clock,
  localeCompare: () => localeCompare.call("a", "b"), setTimeout: () => timeout(() => {}, 0), collator: () => collator.compare("a", "b"),
};
for (const [name, beginBlock] of Object.entries(taken)) {
  const own = { name: "own", consensusVersion: 1n, stores: [], beginBlock: () => void beginBlock() };
  const chain = defineChain({ name: "oned", modules: [auth(), bank({ version: 1n }), staking(), gov(), upgrade(), own] });
  const genesis = parseGenesis(chain, readFileSync(process.argv[2], "utf8"));
  const app = new App({ chain, genesis, sha256, core: new Core(), database: new MemoryDatabase() });
  app.load();
  try {
    app.finalizeBlock({ height: 1n, time: genesis.time });
    console.log(name, "ran");
  } catch (error) {
    if (error.cause?.code !== "UPG_INVALID_NONDETERMINISTIC") console.log(name, error);
  }
}
`;

describe("checkers", () => {
  test("biome", () => expectClean(run(bin("biome"), "check", ".")), MINUTES);
  test("tsc", () => expectClean(run(process.execPath, TSC, "-p", ".")), MINUTES);
  test("knip", () => expectClean(run(bin("knip"))), MINUTES);
  test(
    "knip over the product alone: nothing that only tests reach, but what is marked @internal with its reason",
    () => expectClean(run(bin("knip"), "--production", "-c", "knip.production.json")),
    MINUTES,
  );
  test(
    "buf lint, and what it generates is what is committed",
    () => {
      expectClean(run(bin("buf"), "lint"));
      const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-gen-"));
      try {
        expectClean(run(bin("buf"), "generate", "-o", folder));
        expectClean(run("diff", "-r", join(folder, "host/base/gen"), "host/base/gen"));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    MINUTES,
  );
});

describe("package", () => {
  let folder: string;
  let tarball: string;
  let files: string[];
  let size: number;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "chain-upgrade-pack-"));
    const json = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [pack] = JSON.parse(json) as [{ filename: string; size: number; files: { path: string }[] }];
    tarball = join(folder, pack.filename);
    size = pack.size;
    files = pack.files.map(({ path }) => path);
  }, MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("publint", () => expectClean(run(bin("publint"), "run", "--strict", tarball)), MINUTES);
  test(
    "attw",
    () =>
      expectClean(
        run(
          bin("attw"),
          "--profile",
          "esm-only",
          "--exclude-entrypoints",
          "./core.wasm",
          "./check.wasm",
          "./handler",
          "--",
          tarball,
        ),
      ),
    MINUTES,
  );

  test("ships what it exports, the core, the licence, and no test, source map of tests or lock file", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      version: string;
      exports: Record<string, string | Record<string, string>>;
      bin: Record<string, string>;
    };
    expect(manifest.version).toBe(VERSION);
    const exported = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    for (const path of [...exported, ...Object.values(manifest.bin)])
      expect(files).toContain(path.replace(/^\.\//, ""));
    expect(files).toContain("LICENSE");
    expect(files).toContain("dist/handlers/split-balances.wasm");
    expect(files.filter((path) => /^(test|bench|node_modules|build)\//.test(path))).toEqual([]);
  });

  test("is small: at most 1.8 MB and 250 files, none a part of a program that is named by its hash", () => {
    expect(size).toBeLessThanOrEqual(1_800_000);
    expect(files.length).toBeLessThanOrEqual(250);
    expect(files.filter((path) => /^dist\/[^/]*-[0-9A-Z]{8}\./.test(path))).toEqual([]);
  });

  // In the repository each of them leads somewhere (words.test.ts looks at that); here is what others have of it.
  test("links of its pages lead to files and folders that it ships", () => {
    const shipped = new Set(files.flatMap((path) => [path, ...foldersOf(path)]));
    const dead = files
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) => {
        const links = readFileSync(join(ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g);
        return [...links]
          .filter(([, to = ""]) => !shipped.has(join(dirname(page), to).replaceAll("\\", "/").replace(/\/$/, "")))
          .map(([, to]) => `${page}: ${to}`);
      });
    expect(dead).toEqual([]);
  });

  test("every dependency is pinned to an exact version and has its reason in docs/dependencies.md", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
      string,
      Record<string, string>
    >;
    // Packages of other languages follow, with pins of their own.
    const [page = ""] = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8").split(/^## In embed\//m);
    const all = { ...manifest["dependencies"], ...manifest["devDependencies"] };
    for (const [name, version] of Object.entries(all)) {
      expect(version, name).toMatch(/^(npm:[a-z]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
      expect(page, `${name} has no reason`).toContain(`\`${name}\``);
    }
    const named = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name as string);
    expect(named.filter((name) => !(name in all))).toEqual([]);
  });

  test("the lock file holds every platform's optional package, so `npm ci` agrees with it on any machine", () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  test("`.` works from ESM and from CommonJS, and by itself: with no package but @noble beside it", () => {
    const alone = join(folder, "alone");
    execFileSync("mkdir", ["-p", join(alone, "node_modules/chain-upgrade")]);
    execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(alone, "node_modules/chain-upgrade")]);
    execFileSync("ln", ["-s", join(ROOT, "node_modules/@noble"), join(alone, "node_modules/@noble")]);
    const program = `const { Core } = await import("chain-upgrade"); console.log(new Core().planKey()[0]);`;
    writeFileSync(join(alone, "esm.mjs"), program);
    writeFileSync(
      join(alone, "cjs.cjs"),
      `const { Core } = require("chain-upgrade"); console.log(new Core().planKey()[0]);`,
    );
    for (const file of ["esm.mjs", "cjs.cjs"]) {
      const { stdout, stderr } = spawnSync(process.execPath, [join(alone, file)], { encoding: "utf8" });
      expect(stdout.trim(), stderr).toBe("0");
    }
  });

  test("`.`, `./node` and `./test` share their classes: what one throws is an instance of the other's class", () => {
    const together = join(folder, "together");
    const own = join(together, "node_modules/chain-upgrade");
    execFileSync("mkdir", ["-p", own]);
    execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", own]);
    for (const name of readdirSync(join(ROOT, "node_modules"))) {
      if (!name.startsWith(".")) symlinkSync(join(ROOT, "node_modules", name), join(together, "node_modules", name));
    }
    writeFileSync(join(together, "genesis.json"), genesisText());
    writeFileSync(join(together, "classes.mjs"), SHARED_CLASSES);
    const { stdout, stderr } = spawnSync(process.execPath, [join(together, "classes.mjs")], { encoding: "utf8" });
    expect(stdout, stderr).toBe("Halt UPG_HALT_HEIGHT true\nUpgradeError UPG_HANDLER_FORMAT true\n");
  });

  test("what a module's file takes from Date, Math and others when it is loaded, after it imported `./node` → refused in a block", () => {
    const [program, genesis] = [join(folder, "taken.mjs"), join(folder, "genesis.json")];
    const entry = (name: string) => pathToFileURL(join(ROOT, "dist", name)).href;
    writeFileSync(
      program,
      TAKEN_WHEN_LOADED.replace('"chain-upgrade/node"', JSON.stringify(entry("node.js"))).replace(
        '"chain-upgrade"',
        JSON.stringify(entry("index.js")),
      ),
    );
    writeFileSync(genesis, genesisText());
    expect(run(process.execPath, program, genesis)).toEqual({ status: 0, output: "" });
  });

  test.each(["index.js", "verify.js", "test.js"])("%s leaves the functions of its process as they are", (entry) => {
    const entries = pathToFileURL(join(ROOT, "dist", entry)).href;
    const program = `const all = () => [Date, Date.now, Math.random, setTimeout, performance.now, process.hrtime];
      const before = all(); await import(process.argv[1]); console.log(all().every((each, at) => each === before[at]));`;
    expect(run(process.execPath, "--input-type=module", "-e", program, entries).output).toBe("true\n");
  });

  test("`.` and `./test` are one file, which imports no package but @noble", async () => {
    for (const entry of ["index.js", "test.js"]) {
      const { metafile } = await build({
        ...{ entryPoints: [join(ROOT, "dist", entry)], bundle: true, format: "esm", platform: "neutral" },
        ...{ packages: "external", write: false, metafile: true, absWorkingDir: ROOT, logLevel: "silent" },
      });
      expect(Object.keys(metafile.inputs).sort()).toEqual([`dist/${entry}`, "dist/library.js"].sort());
      const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
      const packages = imports.filter(({ external }) => external).map(({ path }) => path);
      expect([...new Set(packages)]).toEqual(["@noble/hashes/sha2.js"]);
    }
  });

  test("a browser's bundle of Core, loadHandler and runWasmHandler → nothing of Node.js, and the size of docs/embed.md", async () => {
    const contents = 'export { Core, loadHandler, runWasmHandler } from "./dist/index.js";';
    const { outputFiles } = await build({
      ...{ stdin: { contents, resolveDir: ROOT }, bundle: true, minify: true, format: "esm", platform: "browser" },
      ...{ write: false, logLevel: "silent" },
    });
    const bundle = outputFiles[0]?.contents ?? new Uint8Array();
    const said = / take (\d+) kB \((\d+) kB gzipped\)/.exec(readFileSync(join(ROOT, "docs/embed.md"), "utf8"));
    expect(Math.abs(bundle.length / 1_000 - Number(said?.[1]))).toBeLessThan(5);
    expect(Math.abs(gzipSync(bundle).length / 1_000 - Number(said?.[2]))).toBeLessThan(3);
  });

  test("`chaind` starts with a shebang and answers --version and --help", () => {
    const chaind = join(ROOT, "dist/chaind.js");
    expect(readFileSync(chaind, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(run(process.execPath, chaind, "--version")).toEqual({ status: 0, output: `${VERSION}\n` });
    expect(run(process.execPath, chaind, "start", "--help").output).toContain("--halt-height");
  });
});
