import type { Plugin } from "esbuild";

export const withoutMeanings: Plugin;
export const withoutKinds: Plugin;
