/** What to call a function in a finding: the name section's name, an export's, an import's, or its index. */

import { ByteReader } from "./byte-reader.js";
import { Refusal } from "./findings.js";
import { printable } from "./guest-text.js";
import { FUNCTIONS_MAX } from "./limits.js";
import { rustName } from "./rust-names.js";
import type { WasmModule } from "./wasm-module.js";

const NAME_SECTION = "name";
const FUNCTION_NAMES = 1;
const SHOWN_CHARACTERS_MAX = 200;

export function functionNamer(module: WasmModule): (index: number) => string {
  const names = readNameSection(module);
  for (const { kind, index, name } of module.exports)
    if (kind === "function" && !names.has(index)) names.set(index, name);
  module.functionImports.forEach(({ module: from, name }, index) => {
    if (!names.has(index)) names.set(index, `${from}.${name}`);
  });
  return (index) => shownName(names.get(index) ?? `func[${index}]`);
}

/** A function's name as a file has it, for people: readable where it is a Rust function's, harmless, never long. */
export function shownName(name: string): string {
  return printable(rustName(name).slice(0, SHOWN_CHARACTERS_MAX));
}

/** A custom section cannot make a module invalid: what cannot be read is ignored. */
function readNameSection(module: WasmModule): Map<number, string> {
  const names = new Map<number, string>();
  const custom = module.customs.find(({ name }) => name === NAME_SECTION);
  if (!custom) return names;
  const reader = new ByteReader(module.bytes, custom.payloadStart, custom.section.end);
  try {
    while (!reader.isDone) {
      const id = reader.byte("a subsection");
      const size = reader.u32("its size");
      const start = reader.at;
      reader.skip(size, "a subsection");
      if (id === FUNCTION_NAMES) readFunctionNames(new ByteReader(module.bytes, start, start + size), names);
    }
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
  }
  return names;
}

function readFunctionNames(reader: ByteReader, names: Map<number, string>): void {
  const count = reader.count("names", 2 * FUNCTIONS_MAX);
  for (let i = 0; i < count; i++) {
    const index = reader.u32("a function");
    const name = reader.name("a name");
    if (name !== "") names.set(index, name);
  }
}
