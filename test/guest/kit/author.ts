/** Handlers that tests write: a source of the kit, compiled as `chaind handler build` does it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../../host/base/native/sha256.js";
import { toHex } from "../../../host/base/text/bytes.js";
import { type CompiledHandler, type CompileOptions, compileHandler } from "../../../host/cli/author/compile.js";
import { openCompiler } from "../../../host/cli/author/compiler.js";
import { makeMap } from "../../../host/cli/author/map/make-map.js";
import { openHandler, type WasmHandler } from "../../../host/upgrade/test-kit/index.js";

const ROOT = join(import.meta.dirname, "../../..");

export function compileSource(source: string): Promise<CompiledHandler> {
  return inProject(source, compileHandler);
}

/** With the map of its build. */
export function compileMappedSource(source: string): Promise<{ readonly bytes: Uint8Array; readonly map: string }> {
  return inProject(source, async (options) => {
    const { bytes } = await compileHandler(options);
    const { map } = await makeMap(options, { bytes, hash: toHex(sha256(bytes)) });
    if (map === undefined) throw new Error("the build with names made other code");
    return { bytes, map };
  });
}

export async function mappedHandlerOf(source: string): Promise<WasmHandler> {
  const { bytes, map } = await compileMappedSource(source);
  return openHandler(bytes, { map });
}

async function inProject<T>(source: string, work: (options: CompileOptions) => Promise<T>): Promise<T> {
  const project = mkdtempSync(join(tmpdir(), "chain-upgrade-author-"));
  try {
    mkdirSync(join(project, "assembly"));
    writeFileSync(join(project, "assembly/index.ts"), source);
    const compiler = await openCompiler(project, ROOT);
    return await work({ compiler, project, entry: "assembly/index.ts", packageRoot: ROOT });
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Everything of the kit is imported. */
export async function handlerOf(source: string): Promise<WasmHandler> {
  return openHandler((await compileSource(`${IMPORTS}\n${source}`)).bytes);
}

const NAMES = [
  ...[
    "addModule",
    "addStore",
    "allow",
    "Amount",
    "Bytes",
    "context",
    "deleteStore",
    "fail",
    "invariant",
    "Level",
    "log",
    "logNumber",
  ],
  ...["migrate", "plan", "progress", "ProtoReader", "readStore", "removeModule", "renameStore", "scan", "Scan"],
  ...["store", "Store", "Writer"],
];
export const IMPORTS = `import { ${NAMES.join(", ")} } from "chain-upgrade/handler";`;
