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
 * Test files share a process, file after file: starting one and loading the same modules for each file costs a second of CPU. These
 * have one of their own: they define another chain, replace a module or count the process's timers.
 */
const ALONE_UNIT = [
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
const alone = (name: string, include = [`test/${name}/**/*.test.ts`], globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, include, globalSetup },
});

export default defineConfig({
  resolve: { alias },
  test: {
    // Four test files at a time, also on two cores: the longest ones mostly wait for processes that they started.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Set by scripts/test.mjs: the file to which each test file adds its CPU time.
    setupFiles: [...(process.env["CPU_FILE"] ? ["test/cpu-of-file.ts"] : []), "test/clean-up.ts"],
    projects: [
      together("core"),
      together("unit", ALONE_UNIT),
      alone("unit-alone", ALONE_UNIT),
      together("vectors"),
      together("data"),
      together("scenario"),
      together("guest"),
      // Their tests call commands and look at what these leave in the process: a neighbour's timer would count.
      ...["engines", "visor", "sim", "web", "embed", "component"].map((name) => alone(name)),
      alone("e2e", undefined, ["test/e2e/packed-folder.ts"]),
      // `npm run verify:sdk`: the Cosmos SDK takes long to compile.
      ...(process.env["WITH_SDK"] ? [alone("sdk", ["test/embed-sdk/**/*.test.ts"])] : []),
      together("house"),
    ],
  },
});
