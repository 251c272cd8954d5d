interface Layer {
  readonly name: string;
  readonly what: string;
  readonly folders: readonly string[];
}
export interface LayerTable {
  readonly layers: readonly Layer[];
  readonly machine: readonly string[];
}
export function readLayers(): LayerTable;
export function placeOf(
  layers: readonly Layer[],
  path: string,
): { readonly layer: number; readonly at: number } | undefined;
export function generatedDocs(): Map<string, string>;
