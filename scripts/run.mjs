// Runs a TypeScript program of this repository: `node scripts/run.mjs <entry.ts> [arguments]`.
// Node 20 cannot read TypeScript, so esbuild bundles the project's own files first; packages stay where they are.
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const [entry, ...args] = process.argv.slice(2);
const outfile = join(root, "build", "run", `${basename(entry, ".ts")}.${process.pid}.mjs`);
/** Each bundled file keeps its own idea of where its source is, whichever file is the entry. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const source = await readFile(path, "utf8");
    return { contents: source.replaceAll("import.meta.dirname", JSON.stringify(dirname(path))), loader: "ts" };
  });
}

mkdirSync(join(root, "build", "run"), { recursive: true });
await build({
  entryPoints: [resolve(entry)],
  outfile,
  bundle: true,
  // The package says of itself that its modules do nothing by being loaded; some of the tests' do.
  ignoreAnnotations: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  // The examples import the package by its name.
  alias: {
    "chain-upgrade/node": join(root, "host/node.ts"),
    "chain-upgrade/test": join(root, "host/upgrade/test-kit/index.ts"),
    "chain-upgrade/verify": join(root, "host/verify/index.ts"),
    "chain-upgrade": join(root, "host/index.ts"),
  },
  sourcemap: "inline",
  logLevel: "error",
  plugins: [{ name: "places", setup: keepPlaces }],
});
process.argv = [process.argv[0], resolve(entry), ...args];
try {
  await import(pathToFileURL(outfile).href);
} finally {
  (await import("node:fs")).rmSync(outfile, { force: true });
}
