// The declarations of the package: one file for each entry, and two that they share.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";

const MADE = resolve("build/types");
const ENTRIES = { index: "index", node: "node", test: "upgrade/test-kit/index", verify: "verify/index" };
const fileOf = (name) => `${MADE}/${name}.d.ts`;

export async function buildTypes() {
  rmSync(MADE, { recursive: true, force: true });
  execFileSync(process.execPath, ["node_modules/typescript-native/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([entry, name]) => [entry, fileOf(name)]));
  const entries = new Set(Object.values(input));
  // Who uses the library alone has no types of Node.js, which the other entries refer to.
  const ofLibrary = reachedFrom(fileOf(ENTRIES.index));
  const made = await rollup({
    input,
    plugins: [dts()],
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  });
  await made.write({
    dir: "dist/types",
    entryFileNames: "[name].d.ts",
    chunkFileNames: "[name].d.ts",
    minifyInternalExports: false,
    manualChunks: (id) => (entries.has(id) ? undefined : ofLibrary.has(id) ? "library" : "shared"),
  });
}

function reachedFrom(entry) {
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file) || !existsSync(file)) return;
    reached.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles) {
      if (fileName.startsWith(".")) reach(resolve(dirname(file), fileName.replace(/\.js$/, ".d.ts")));
    }
  };
  reach(entry);
  return reached;
}
