// What the sections of the file said, filled by the decoders. Function indices count imports first. Tables of fixed size: each
// decoder keeps within the limits that they are made for.
@unmanaged
export class Section {
  id: u32;
  start: usize;
  content: usize;
  end: usize;
}

@unmanaged
export class Custom {
  name: usize;
  nameLen: u32;
  start: usize;
  payload: usize;
  end: usize;
}

@unmanaged
export class Type {
  params: usize;
  paramCount: u32;
  results: usize;
  resultCount: u32;
}

@unmanaged
export class Import {
  module: usize;
  moduleLen: u32;
  name: usize;
  nameLen: u32;
  type: u32;
  at: usize;
}

@unmanaged
export class Export {
  name: usize;
  nameLen: u32;
  kind: u32;
  index: u32;
  at: usize;
  hash: u32;
}

@unmanaged
export class Body {
  fn: u32;
  type: u32;
  /** The number of its local declarations; the size is before it. */
  start: usize;
  /** First instruction. */
  code: usize;
  end: usize;
  /** Declared locals, without parameters. */
  locals: u32;
}

export const FUNCTION_KIND: u32 = 0;
export const TABLE_KIND: u32 = 1;
export const MEMORY_KIND: u32 = 2;
export const GLOBAL_KIND: u32 = 3;
export const TAG_KIND: u32 = 4;

/** 64 custom ones and each of the others once. */
const sectionRows: usize = memory.data(16 * 78, 4);
const customRows: usize = memory.data(20 * 64, 4);
const typeRows: usize = memory.data(16 * 2_000, 4);
const importRows: usize = memory.data(24 * 16, 4);
const exportRows: usize = memory.data(24 * 1_000, 4);
const bodyRows: usize = memory.data(24 * 20_000, 4);
const functionTypeRows: usize = memory.data(4 * 20_016, 4);
const inTableRows: usize = memory.data(20_016);

export let fileStart: usize = 0;
export let fileEnd: usize = 0;
export let sections: u32 = 0;
export let customs: u32 = 0;
export let types: u32 = 0;
export let imports: u32 = 0;
export let functions: u32 = 0;
export let tables: u32 = 0;
export let tableMin: u64 = 0;
export let memories: u32 = 0;
export let memoryMin: u64 = 0;
export let memoryMax: u64 = 0;
export let globals: u32 = 0;
export let exports: u32 = 0;
/** -1: there is no data count section. */
export let dataCount: i32 = -1;
/** Bodies in the code section, those that could not be decoded included. */
export let bodyCount: u32 = 0;
export let dataSegments: u32 = 0;
/** Bodies that could be decoded. */
export let bodies: u32 = 0;

export function openModule(start: usize, length: u32): void {
  fileStart = start;
  fileEnd = start + length;
  sections = 0;
  customs = 0;
  types = 0;
  imports = 0;
  functions = 0;
  tables = 0;
  tableMin = 0;
  memories = 0;
  memoryMin = 0;
  memoryMax = 0;
  globals = 0;
  exports = 0;
  dataCount = -1;
  bodyCount = 0;
  dataSegments = 0;
  bodies = 0;
  memory.fill(inTableRows, 0, 20_016);
}

export function sectionAt(index: u32): Section {
  return changetype<Section>(sectionRows + index * offsetof<Section>());
}

export function customAt(index: u32): Custom {
  return changetype<Custom>(customRows + index * offsetof<Custom>());
}

export function typeAt(index: u32): Type {
  return changetype<Type>(typeRows + index * offsetof<Type>());
}

export function importAt(index: u32): Import {
  return changetype<Import>(importRows + index * offsetof<Import>());
}

export function exportAt(index: u32): Export {
  return changetype<Export>(exportRows + index * offsetof<Export>());
}

export function bodyAt(index: u32): Body {
  return changetype<Body>(bodyRows + index * offsetof<Body>());
}

export function typeOf(fn: u32): u32 {
  return load<u32>(functionTypeRows + fn * 4);
}

/** An indirect call may reach it. */
export function isInTable(fn: u32): bool {
  return load<u8>(inTableRows + fn) != 0;
}

export function addSection(): Section {
  return sectionAt(sections++);
}

export function addCustom(): Custom {
  return customAt(customs++);
}

export function addType(): Type {
  return typeAt(types++);
}

export function addImport(): Import {
  return importAt(imports++);
}

export function addExport(): Export {
  return exportAt(exports++);
}

export function addBody(): Body {
  return bodyAt(bodies++);
}

export function dropBody(): void {
  bodies--;
}

export function addFunction(type: u32): void {
  store<u32>(functionTypeRows + functions++ * 4, type);
}

export function addTable(min: u64): void {
  if (tables++ == 0) tableMin = min;
}

export function addMemory(min: u64, max: u64): void {
  if (memories++ > 0) return;
  memoryMin = min;
  memoryMax = max;
}

export function addGlobal(): void {
  globals++;
}

export function addToTable(fn: u32): void {
  store<u8>(inTableRows + fn, 1);
}

export function setDataCount(count: u32): void {
  dataCount = <i32>count;
}

export function setDataSegments(count: u32): void {
  dataSegments = count;
}

export function setBodyCount(count: u32): void {
  bodyCount = count;
}

export function isNamed(ptr: usize, len: u32, name: string): bool {
  if (len != <u32>name.length) return false;
  for (let i: u32 = 0; i < len; i++) if (load<u8>(ptr + i) != name.charCodeAt(i)) return false;
  return true;
}

/** The first export of that name; null: there is none. */
export function exportNamed(name: string): Export | null {
  for (let i: u32 = 0; i < exports; i++) {
    const each = exportAt(i);
    if (isNamed(each.name, each.nameLen, name)) return each;
  }
  return null;
}

export function hashOf(ptr: usize, len: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let i: u32 = 0; i < len; i++) hash = (hash ^ <u32>load<u8>(ptr + i)) * 0x01000193;
  return hash;
}
