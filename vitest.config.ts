import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The examples import the package by its name. */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const alias = [
  { find: /^chain-upgrade$/, replacement: here("host/index.ts") },
  { find: /^chain-upgrade\/node$/, replacement: here("host/node.ts") },
  { find: /^chain-upgrade\/verify$/, replacement: here("host/verify/index.ts") },
  { find: /^chain-upgrade\/test$/, replacement: here("host/upgrade/test-kit/index.ts") },
];

/**
 * Tests that call functions share a process, file after file: loading the same modules for each would cost a third of their
 * time. These have one of their own: they define another chain, replace a module, count the process's timers or share a folder
 * with their neighbours.
 */
const ALONE = [
  "test/unit/{node/comet,node/home,visor/hot,state/store}/**/*.test.ts",
  "test/unit/serve/api/{described-chain,grpc-web,params-of-heights,power-change}.test.ts",
  "test/unit/chain/app/{define-chain,definition-names}.test.ts",
  "test/unit/cli/{help-defaults,program-name,sdk-flags}.test.ts",
  "test/unit/cli/client/derived.test.ts",
  "test/unit/cli/localnet/run.test.ts",
  "test/unit/state/witness/without-simd.test.ts",
];
const together = (name: string, exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], exclude, isolate: false },
});

export default defineConfig({
  resolve: { alias },
  test: {
    // Four test files at a time, also on two cores: the longest ones mostly wait for processes that they started.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Set by scripts/test.mjs: the file to which each test file adds its CPU time.
    setupFiles: process.env["CPU_FILE"] ? ["test/cpu-of-file.ts"] : [],
    projects: [
      together("core"),
      together("unit", ALONE),
      { extends: true, test: { name: "unit-alone", include: ALONE } },
      together("vectors"),
      together("data"),
      together("scenario"),
      together("guest"),
      { extends: true, test: { name: "engines", include: ["test/engines/**/*.test.ts"] } },
      { extends: true, test: { name: "visor", include: ["test/visor/**/*.test.ts"] } },
      { extends: true, test: { name: "sim", include: ["test/sim/**/*.test.ts"] } },
      { extends: true, test: { name: "web", include: ["test/web/**/*.test.ts"] } },
      { extends: true, test: { name: "component", include: ["test/component/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], globalSetup: "test/e2e/packed-folder.ts" },
      },
      // `npm run verify:sdk`: the Cosmos SDK takes long to compile.
      ...(process.env["WITH_SDK"]
        ? [{ extends: true as const, test: { name: "sdk", include: ["test/embed-sdk/**/*.test.ts"] } }]
        : []),
      { extends: true, test: { name: "embed", include: ["test/embed/**/*.test.ts"] } },
      together("house"),
    ],
  },
});
