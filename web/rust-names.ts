/** Takes the place of host/upgrade/wasm/rust-names.ts in the page: a failed run shows names of functions as the compiler wrote them. */
export const rustName = (name: string): string => name;
