import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The examples import the package by its name. */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const alias = [
  { find: /^chain-upgrade$/, replacement: here("host/index.ts") },
  { find: /^chain-upgrade\/node$/, replacement: here("host/node.ts") },
  { find: /^chain-upgrade\/test$/, replacement: here("host/harness/index.ts") },
];

export default defineConfig({
  resolve: { alias },
  test: {
    // Three test files at a time, also on two cores: the longest ones mostly wait for processes that they started.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "core", include: ["test/core/**/*.test.ts"] } },
      { extends: true, test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { extends: true, test: { name: "vectors", include: ["test/vectors/**/*.test.ts"] } },
      { extends: true, test: { name: "data", include: ["test/data/**/*.test.ts"] } },
      { extends: true, test: { name: "scenario", include: ["test/scenario/**/*.test.ts"] } },
      { extends: true, test: { name: "guest", include: ["test/guest/**/*.test.ts"] } },
      { extends: true, test: { name: "engines", include: ["test/engines/**/*.test.ts"] } },
      { extends: true, test: { name: "sim", include: ["test/sim/**/*.test.ts"] } },
      { extends: true, test: { name: "e2e", include: ["test/e2e/**/*.test.ts"] } },
      { extends: true, test: { name: "house", include: ["test/house/**/*.test.ts"] } },
    ],
  },
});
