/** A chain as two programs: the repository's own of the Cosmos SDK, any other of the SDK that has the usual commands, or `chaind`. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { launchers } from "../../cosmovisor/supervisor.js";
import { binaryOf } from "../../embed-sdk/sdk-chain.js";
import { ROOT } from "../../house/sources.js";
import type { ChainHome } from "./chain-home.js";
import { ChaindHome } from "./chaind-home.js";
import { SdkHome } from "./sdk-home.js";
import { DIST } from "./supervised.js";

export interface SdkApp {
  /** For people. */
  readonly name: string;
  /** The program of before the upgrade `v2`, and of after it. */
  readonly before: string;
  readonly after: string;
  readonly env: Readonly<Record<string, string>>;
  readonly homeAt: (path: string) => ChainHome;
}

/** `embed/go/sdk`'s chain; undefined: it is not built, and Go is missing. */
export function exampleApp(): SdkApp | undefined {
  if (!existsSync(binaryOf(2))) {
    try {
      execFileSync("go", ["version"], { stdio: "ignore" });
    } catch {
      return undefined;
    }
    const build = [join(ROOT, "scripts/run.mjs"), join(ROOT, "test/embed-sdk/binaries.ts")];
    execFileSync(process.execPath, build, { stdio: "inherit" });
  }
  const handler = join(ROOT, "embed/go/sdk/testdata/v2.wasm");
  const env = { EXAMPLED_UPGRADE_HANDLER: handler, EXAMPLED_UPGRADE_UNPINNED: "true" };
  const before = binaryOf(1);
  return { name: "exampled", before, after: binaryOf(2), env, homeAt: (path) => new SdkHome(before, path) };
}

/** Programs `<name>-v1` and `<name>-v2` of a folder. */
export function appIn(folder: string, name: string): SdkApp {
  const at = (version: string) => join(folder, `${name}-${version}`);
  for (const file of [at("v1"), at("v2")]) if (!existsSync(file)) throw new Error(`${file} is missing`);
  return { name, before: at("v1"), after: at("v2"), env: {}, homeAt: (path) => new SdkHome(at("v1"), path) };
}

/** Ours, under CometBFT. @param folder where its two versions are put */
export function ownApp(folder: string): SdkApp {
  const programs = launchers(folder, join(DIST, "chaind.js"));
  return { name: "chaind", ...programs, env: {}, homeAt: (path) => new ChaindHome(path) };
}
