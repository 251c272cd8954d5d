// For bundles that visitors of a page download.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
/** What such bundles begin with. */
const ENTRIES = ["host/verify/index.ts", "web/page.ts", "web/verify-worker.ts", "web/run-worker.ts"];
/** core.wasm and check.wasm return these as numbers. */
const WASM_CODES = ["assembly/core/codes.ts", "assembly/check/codes.ts"];
/** A row of the table in host/base/errors/errors.ts, on one line or several. */
const ROW = /^ {2}(UPG_[A-Z_]+): \w+\([\s\S]*?\),\n/gm;
const CODE = /UPG_[A-Z_]+/g;

/**
 * A plugin of esbuild. Errors of `chain-upgrade/verify` and of the page's workers carry their code, message and numbers. What each
 * code means to readers of the documents is left out, and so is each code that nothing there can raise.
 */
export const withoutMeanings = shortening("without-meanings", async (source) => {
  const raised = await raisedCodes();
  const table = source.replace(ROW, (row, code) => (raised.has(code) ? row : ""));
  // Only meanings have spaces; codes and causes do not.
  return table.replace(/"(?:[^"\\\n]|\\.)*"/g, (text) => (text.includes(" ") ? '""' : text));
});

/** Errors of the page's own script carry their code and message: nothing there reads more. */
export const withoutKinds = shortening("without-kinds", (source) => source.replace(ROW, ""));

function shortening(name, shortened) {
  return {
    name,
    setup(bundle) {
      bundle.onLoad({ filter: /[\\/]host[\\/]base[\\/]errors[\\/]errors\.ts$/ }, async ({ path }) => {
        const source = readFileSync(path, "utf8");
        const contents = await shortened(source);
        if (contents.length > source.length * 0.8)
          throw new Error("host/base/errors/errors.ts has another form than scripts/without-meanings.mjs knows");
        return { contents, loader: "ts" };
      });
    },
  };
}

let codes;

/** Every code that is named in what the bundles are made of, or that core.wasm or check.wasm returns. */
function raisedCodes() {
  codes ??= findRaisedCodes();
  return codes;
}

async function findRaisedCodes() {
  const { metafile } = await build({
    ...{ absWorkingDir: ROOT, entryPoints: ENTRIES, outdir: "out", bundle: true, splitting: true, format: "esm" },
    ...{ platform: "browser", packages: "external", write: false, metafile: true, logLevel: "silent" },
    alias: { "chain-upgrade/verify": join(ROOT, "host/verify/index.ts") },
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(
    ([path, { bytesInOutput }]) => bytesInOutput > 0 && path !== "host/base/errors/errors.ts",
  );
  const paths = new Set([...WASM_CODES, ...files.map(([path]) => path)]);
  return new Set([...paths].flatMap((path) => readFileSync(join(ROOT, path), "utf8").match(CODE) ?? []));
}
