/** A random module with the functions and the manifest of a handler, so that it passes every check and can be metered as one. */
import { concatBytes, utf8 } from "../../../host/base/text/bytes.js";
import { decodeModule } from "../../../host/upgrade/wasm/decode.js";
import { Findings } from "../../../host/upgrade/wasm/findings.js";
import { SECTION } from "../../../host/upgrade/wasm/wasm-module.js";
import { leb, MINIMAL_MANIFEST, manifestSection, section } from "../build.js";

/** `() -> ()`, and a body without instructions. */
const EMPTY_TYPE = [0x60, 0, 0];
const EMPTY_BODY = [2, 0, 0x0b];
/** The function `f1` of every random module: `(i32) -> i32`. */
const PLAIN = 1;

export function asHandler(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { module } = decodeModule(bytes, new Findings());
  const marker = module.functionTypes.length;
  const more = new Map<number, readonly number[][]>([
    [SECTION.type, [EMPTY_TYPE]],
    [SECTION.function, [leb(module.types.length)]],
    [SECTION.code, [EMPTY_BODY]],
    [
      SECTION.export,
      [
        exported("handler_abi_1", marker),
        ...["handler_in", "handler_out", "handler_run"].map((name) => exported(name, PLAIN)),
      ],
    ],
  ]);
  const parts = module.sections.map(({ id, start, contentStart, end }) => {
    const added = more.get(id);
    return added ? longer(id, bytes.subarray(contentStart, end), added) : bytes.subarray(start, end);
  });
  return concatBytes(bytes.subarray(0, 8), ...parts, manifestSection(MINIMAL_MANIFEST)) as Uint8Array<ArrayBuffer>;
}

function exported(name: string, index: number): number[] {
  return [name.length, ...utf8(name), 0, ...leb(index)];
}

/** A list with these items after its own. */
function longer(id: number, content: Uint8Array, items: readonly (readonly number[])[]): Uint8Array {
  let [count, at] = [0, 0];
  for (let shift = 0; ; shift += 7) {
    const byte = content[at++] ?? 0;
    count |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return section(id, [...leb(count + items.length), ...content.subarray(at), ...items.flat()]);
}
