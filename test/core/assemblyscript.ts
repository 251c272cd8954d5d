/** Compiles AssemblyScript in memory: nothing is written to the disk. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import asc from "assemblyscript/asc";

const ROOT = join(import.meta.dirname, "../..");

/** The binary that these arguments give; `sources` are files that only exist here, by path from the root. */
export async function compile(
  args: readonly string[],
  sources: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const written = new Map<string, Uint8Array | string>();
  const outFile = "memory.wasm";
  const { error, stderr } = await asc.main([...args, "--baseDir", ROOT, "--outFile", outFile], {
    readFile: (name, baseDir) => {
      const path = join(baseDir, name);
      const source = sources[relative(ROOT, path).replaceAll("\\", "/")];
      return source ?? (existsSync(path) ? readFileSync(path, "utf8") : null);
    },
    writeFile: (name, contents) => {
      written.set(name, contents);
    },
    listFiles: (name, baseDir) => {
      const path = join(baseDir, name);
      return existsSync(path) ? readdirSync(path).filter((file) => file.endsWith(".ts")) : null;
    },
  });
  const binary = written.get(outFile);
  if (error || !(binary instanceof Uint8Array)) throw new Error(`asc ${args.join(" ")}\n${stderr.toString()}`);
  return binary;
}
