/** What nodes would refuse is compiled once more, with the names of its functions, and left to look at. */
import { relative } from "node:path";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { concatBytes } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { examineHandler } from "../../upgrade/handler/check/check.js";
import { loadHandler, type WasmHandler } from "../../upgrade/handler/handler.js";
import { withoutSections } from "../../upgrade/wasm/custom-section.js";
import { readModule } from "../../upgrade/wasm/decode.js";
import type { WasmModule } from "../../upgrade/wasm/wasm-module.js";
import { authorFindings, refusedMark } from "./author-findings.js";
import { type CompiledHandler, type CompileOptions, compileHandler, compileMapped, withManifest } from "./compile.js";
import type { ManifestDocument } from "./declaration.js";
import { readSourceMap } from "./map/source-map.js";
import { writeOutFile } from "./out-file.js";

/** `build/handler.refused.wasm` of `build/handler.wasm`. */
export const refusedFile = (file: string): string => `${file.replace(/\.wasm$/, "")}.refused.wasm`;

/**
 * @param refused where a file that nodes would refuse is left
 * @throws UpgradeError as compileHandler and loadHandler do; of a refused one with its function and line, and where the file is
 */
export async function compileOrExplain(
  options: CompileOptions,
  refused: string,
): Promise<CompiledHandler & { readonly handler: WasmHandler }> {
  let compiled: CompiledHandler | undefined;
  try {
    compiled = await compileHandler(options);
    return { ...compiled, handler: loadHandler(compiled.bytes, { sha256 }) };
  } catch (error) {
    if (!isUpgradeError(error) || !error.code.startsWith("UPG_HANDLER_")) throw error;
    throw await explained(error, options, compiled?.manifest, refused);
  }
}

/** Without a manifest where the declaration could not be run. */
async function explained(
  error: UpgradeError,
  options: CompileOptions,
  manifest: ManifestDocument | undefined,
  file: string,
): Promise<UpgradeError> {
  const { wasm, sourceMap } = await compileMapped(options);
  const named = withoutSections(wasm, ["sourceMappingURL"]);
  const left = manifest ? withManifest(named, manifest) : concatBytes(named, refusedMark());
  const { bytes, ...examined } = examineHandler(left);
  const module = readModule(bytes);
  const findings = authorFindings(module, examined.findings);
  const [first] = findings;
  if (!first) return error;
  writeOutFile(file, bytes);
  const shown = relative(".", file);
  const line = first.function === null ? "" : lineOf(module, sourceMap, first.offset ?? 0);
  const place = first.function === null ? "" : `in function ${first.function}${line === "" ? "" : ` (${line})`}: `;
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : "";
  const look = `it was written to ${shown}, with the names of its functions; all that is wrong: \`${PROGRAM} handler check ${shown}\``;
  return new UpgradeError(first.code, `${place}${first.message}${more}; ${look}`, {
    cause: error,
    details: { function: first.function ?? "", line, offset: String(first.offset ?? ""), file: shown },
  });
}

/**
 * Of a byte of a function; the function's first line for what is before its code. Where a library's code was put into the
 * author's function, the author's own line. Empty where the map does not say.
 */
function lineOf({ bodies }: WasmModule, sourceMap: string, offset: number): string {
  const body = bodies.find(({ start, end }) => offset >= start && offset < end);
  if (!body) return "";
  const { sources, lines } = readSourceMap(sourceMap);
  const inside = lines.filter(([at]) => at >= body.start && at < body.end);
  const own = inside.filter(([, source]) => !sources[source]?.startsWith("~lib/"));
  const near = own.length > 0 ? own : inside;
  const found = near.filter(([at]) => at <= offset).at(-1) ?? near[0];
  return found ? `${sources[found[1]]}:${found[2]}:${found[3]}` : "";
}
