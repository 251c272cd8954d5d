/** A decoded module: what its sections say, and where in the bytes. Function indices count imports first. */

export const SECTION = Object.freeze({
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
  tag: 13,
});

export const EXTERNAL_KINDS = ["function", "table", "memory", "global", "tag"] as const;
export type ExternalKind = (typeof EXTERNAL_KINDS)[number];

export interface Section {
  readonly id: number;
  /** The id byte. */
  readonly start: number;
  /** First byte after the size. */
  readonly contentStart: number;
  readonly end: number;
}

export interface CustomSection {
  readonly name: string;
  readonly section: Section;
  /** First byte after the name. */
  readonly payloadStart: number;
}

export interface FunctionType {
  /** Bytes of the binary format (`VALUE_TYPE`). */
  readonly params: readonly number[];
  readonly results: readonly number[];
}

export interface FunctionImport {
  readonly module: string;
  readonly name: string;
  readonly typeIndex: number;
  readonly offset: number;
}

export interface ModuleExport {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly index: number;
  readonly offset: number;
}

export interface Limits {
  readonly min: number;
  /** Undefined: none declared. */
  readonly max: number | undefined;
}

/** One function of the code section. */
export interface FunctionBody {
  readonly functionIndex: number;
  readonly type: FunctionType;
  /** First byte of the body, the number of its local declarations; the size is before it. */
  readonly start: number;
  /** First instruction. */
  readonly codeStart: number;
  readonly end: number;
  /** Declared locals; parameters come before them in the index space. */
  readonly locals: number;
}

export interface WasmModule {
  readonly bytes: Uint8Array;
  readonly sections: readonly Section[];
  readonly customs: readonly CustomSection[];
  readonly types: readonly FunctionType[];
  readonly functionImports: readonly FunctionImport[];
  /** Type index of every function. */
  readonly functionTypes: readonly number[];
  readonly tables: readonly Limits[];
  /** In pages of 64 KiB. */
  readonly memories: readonly Limits[];
  /** How many globals there are. */
  readonly globals: number;
  readonly exports: readonly ModuleExport[];
  /** Functions that are in a table: what an indirect call may reach. */
  readonly tableFunctions: ReadonlySet<number>;
  /** Number in the data count section; undefined without one. */
  readonly dataCount: number | undefined;
  /** Those that could be decoded. */
  readonly bodies: readonly FunctionBody[];
}
