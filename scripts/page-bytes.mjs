// The page as a TypeScript file, which the program carries: also where it is one executable.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const CHECK_WASM = "check.wasm";
/** The program has check.wasm already: it is compressed when somebody asks for the page, a little less than here. */
const CHECK_WASM_SOURCE = `import { brotliCompressSync, constants } from "node:zlib";
import { fromHex, toBase64 } from "../../base/text/bytes.js";
import { checkWasmHex } from "../../upgrade/handler/check/check-wasm.js";

function checkWasm(): string {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return toBase64(brotliCompressSync(fromHex(checkWasmHex()), { params }));
}
`;

/**
 * Writes `host/serve/api/page-bytes.ts` of a folder with the page's files. Its `files.json` lists what is served:
 * `[{ "path": "/", "file": "page.html", "type": "text/html; charset=utf-8", "headers": { "cache-control": … } }]`.
 * Without that list the module is empty, and a node has no page. Returns the bytes that the files have when compressed.
 */
export function writePageModule(folder = "build/web", out = "host/serve/api/page-bytes.ts") {
  const list = join(folder, "files.json");
  const files = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  let bytes = 0;
  const entries = files.map(({ path, file, type, headers = {} }) => {
    const brotli = compressed(readFileSync(join(folder, file)));
    bytes += brotli.length;
    if (file !== CHECK_WASM) return `  ${JSON.stringify({ path, type, headers, brotli: brotli.toString("base64") })},`;
    return `  { ...${JSON.stringify({ path, type, headers })}, brotli: checkWasm() },`;
  });
  const hasCheckWasm = files.some(({ file }) => file === CHECK_WASM);
  const source = [
    "// Made by `npm run build` from web. Do not edit.",
    ...(hasCheckWasm ? [CHECK_WASM_SOURCE] : []),
    'import type { PageFile } from "./rest/page-files.js";',
    "",
    "/** What a node serves to browsers. */",
    entries.length === 0
      ? "export const PAGE_FILES: readonly PageFile[] = [];"
      : ["export const PAGE_FILES: readonly PageFile[] = [", ...entries, "];"].join("\n"),
    "",
  ];
  writeFileSync(out, source.join("\n"));
  return bytes;
}

/** The greatest quality: the page is built once and sent often. */
function compressed(bytes) {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
}
