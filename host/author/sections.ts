/** Custom sections of a module's file: one made, and those of some names taken out. */
import { concatBytes, utf8 } from "../bytes.js";
import { requireNoFindings } from "../handler/handler.js";
import { decodeModule } from "../wasm/decode.js";
import { Findings } from "../wasm/findings.js";

export function customSection(name: string, payload: Uint8Array): Uint8Array {
  const title = utf8(name);
  const body = concatBytes(leb(title.length), title, payload);
  return concatBytes(Uint8Array.of(0), leb(body.length), body);
}

function leb(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

/** The file without its custom sections of these names. @throws UpgradeError UPG_HANDLER_FORMAT where sections cannot be told apart */
export function withoutSections(bytes: Uint8Array, names: readonly string[]): Uint8Array {
  const findings = new Findings();
  const { module, isFramed } = decodeModule(bytes, findings);
  if (!isFramed) requireNoFindings(findings.list(String));
  const out: Uint8Array[] = [];
  let at = 0;
  for (const { name, section } of module.customs) {
    if (!names.includes(name)) continue;
    out.push(bytes.subarray(at, section.start));
    at = section.end;
  }
  return concatBytes(...out, bytes.subarray(at));
}
