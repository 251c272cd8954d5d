/**
 * Gives a module's memory a maximum: the smaller of what it declares and of what the host allows. Growth past it answers
 * -1 in every engine alike. This is a change of one section; every index, and the code, stay as they are.
 */
import { MEMORY_PAGES_MAX } from "./limits.js";
import { SECTION, type WasmModule } from "./wasm-module.js";

const ONE_MEMORY = 1;
const WITH_MAXIMUM = 1;

/** @param module whole and without findings: exactly one memory, plain 32-bit limits */
export function capMemory(module: WasmModule): Uint8Array<ArrayBuffer> {
  const section = module.sections.find(({ id }) => id === SECTION.memory);
  const memory = module.memories[0];
  if (!section || !memory) return new Uint8Array(module.bytes);
  const max = Math.min(memory.max ?? MEMORY_PAGES_MAX, MEMORY_PAGES_MAX);
  const content = [ONE_MEMORY, WITH_MAXIMUM, ...leb(memory.min), ...leb(max)];
  const replacement = [SECTION.memory, ...leb(content.length), ...content];
  const { bytes } = module;
  const out = new Uint8Array(bytes.length - (section.end - section.start) + replacement.length);
  out.set(bytes.subarray(0, section.start));
  out.set(replacement, section.start);
  out.set(bytes.subarray(section.end), section.start + replacement.length);
  return out;
}

/** Unsigned LEB128, shortest form. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  bytes.push(value);
  return bytes;
}
