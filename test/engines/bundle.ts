/** A runner of this folder as one file that another process, or a page, can load. */
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../house/sources.js";

/** @param folder to write it into. Returns its path. */
export async function bundle(entry: string, format: "esm" | "iife", folder: string): Promise<string> {
  const outfile = join(folder, entry.replace(".ts", format === "esm" ? ".mjs" : ".js"));
  const platform = format === "esm" ? "node" : "browser";
  const entryPoints = [join(ROOT, "test/engines", entry)];
  await build({ entryPoints, outfile, bundle: true, format, platform, logLevel: "error" });
  return outfile;
}
