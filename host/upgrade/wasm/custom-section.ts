/** Custom sections, which engines pass over: a name, then bytes of any kind. One is made; those of some names are taken out. */
import { concatBytes, utf8 } from "../../base/text/bytes.js";
import { readModule } from "./decode.js";

const CUSTOM_ID = 0;

export function customSection(name: string, payload: Uint8Array): Uint8Array {
  const title = utf8(name);
  const content = concatBytes(leb(title.length), title, payload);
  return concatBytes(Uint8Array.of(CUSTOM_ID), leb(content.length), content);
}

function leb(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

/** The file without its custom sections of these names; from where it cannot be read on, it stays as it is. */
export function withoutSections(file: Uint8Array, names: readonly string[]): Uint8Array {
  const { customs } = readModule(file);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { name, section } of customs) {
    if (!names.includes(name)) continue;
    parts.push(file.subarray(at, section.start));
    at = section.end;
  }
  return concatBytes(...parts, file.subarray(at));
}
