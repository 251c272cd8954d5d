/**
 * Makes the side file of a build, `handler.map.json`: the sources are compiled once more, with names and a source map. Its
 * code must be the released one, byte for byte, or there is no map: a wrong line is worse than none.
 */
import { equalBytes } from "../../../base/text/bytes.js";
import type { MapDocument } from "../../../upgrade/test-kit/failure/handler-map.js";
import { readModule } from "../../../upgrade/wasm/decode.js";
import { functionNamer } from "../../../upgrade/wasm/function-names.js";
import { SECTION, type Section, type WasmModule } from "../../../upgrade/wasm/wasm-module.js";
import { type CompileOptions, compileMapped, type Output } from "../compile.js";
import { unreadResults } from "../unread-results.js";
import { readSourceMap } from "./source-map.js";

/** `build/handler.map.json` of `build/handler.wasm`. */
export const mapFileOf = (file: string): string => `${file.replace(/\.wasm$/, "")}.map.json`;

export interface ReleasedHandler {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

export interface MappedBuild {
  /** Undefined when the second build made other code than the released one. */
  readonly map: string | undefined;
  /** What the sources do, and most likely do not mean. */
  readonly warnings: readonly string[];
}

export async function makeMap(options: CompileOptions, released: ReleasedHandler): Promise<MappedBuild> {
  const { text, ...output } = await compileMapped(options);
  return { map: mapOf(output, released), warnings: unreadResults(text) };
}

function mapOf({ wasm, sourceMap }: Output, released: ReleasedHandler): string | undefined {
  const [named, module] = [readModule(wasm), readModule(released.bytes)];
  const section = codeOf(named);
  if (!section || !isSameCode(named, module)) return undefined;
  const { sources, lines } = readSourceMap(sourceMap);
  const nameOf = functionNamer(named);
  const document: MapDocument = {
    map: 1,
    handler: released.hash,
    functions: Object.fromEntries(named.functionTypes.map((_, index) => [index, nameOf(index)])),
    sources,
    lines: lines.filter(([at]) => at >= section.contentStart && at < section.end),
  };
  return `${JSON.stringify(document)}\n`;
}

const codeOf = ({ sections }: WasmModule) => sections.find(({ id }) => id === SECTION.code);

/** At the same place too: lines are found by bytes of the file. */
function isSameCode(a: WasmModule, b: WasmModule): boolean {
  const [left, right] = [codeOf(a), codeOf(b)];
  if (!left || !right || left.contentStart !== right.contentStart) return false;
  const of = ({ bytes }: WasmModule, { contentStart, end }: Section) => bytes.subarray(contentStart, end);
  return equalBytes(of(a, left), of(b, right));
}
