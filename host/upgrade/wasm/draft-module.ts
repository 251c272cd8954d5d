/** A module while its sections are being read. */
import type { Findings } from "./findings.js";
import type {
  CustomSection,
  FunctionBody,
  FunctionImport,
  FunctionType,
  Limits,
  ModuleExport,
  Section,
  WasmModule,
} from "./wasm-module.js";

export class DraftModule implements WasmModule {
  readonly sections: Section[] = [];
  readonly customs: CustomSection[] = [];
  readonly types: FunctionType[] = [];
  readonly functionImports: FunctionImport[] = [];
  readonly functionTypes: number[] = [];
  readonly tables: Limits[] = [];
  readonly memories: Limits[] = [];
  readonly exports: ModuleExport[] = [];
  readonly tableFunctions = new Set<number>();
  readonly bodies: FunctionBody[] = [];
  globals = 0;
  dataCount: number | undefined;
  /** Bodies in the code section, those that could not be decoded included. */
  bodyCount = 0;
  /** Segments in the data section. */
  dataSegments = 0;

  constructor(
    readonly bytes: Uint8Array,
    readonly findings: Findings,
  ) {}

  /** A policy is broken; reading goes on. */
  refuse(code: Parameters<Findings["add"]>[0], offset: number, message: string): void {
    this.findings.add(code, offset, message);
  }
}
