import type { Plugin } from "esbuild";

export const checkWasmBeside: Plugin;
