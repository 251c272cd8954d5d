/** The example chain of embed/go/sdk as a module of its own: at first without chain-upgrade, then with it, added as users add it. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/sources.js";
import type { SdkBinaries } from "./sdk-chain.js";

const EXAMPLE = join(ROOT, "embed/go/sdk/example");
const EXAMPLE_PATH = "github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example";
const OWNER = "github.com/chain-upgrade";
const RUNTIME = `${OWNER}/chain-upgrade/embed/go`;
const ADAPTER = `${RUNTIME}/sdk`;
const CHAIN = "example.com/chain";
/** What adding a module must leave as it is. */
const KEPT = [
  "github.com/cosmos/cosmos-sdk",
  "cosmossdk.io/x/upgrade",
  "cosmossdk.io/store",
  "cosmossdk.io/core",
  "github.com/cometbft/cometbft",
];
const SDK_REPLACES = [
  "github.com/99designs/keyring=github.com/cosmos/keyring@v1.2.0",
  "github.com/gin-gonic/gin=github.com/gin-gonic/gin@v1.9.1",
  "github.com/syndtr/goleveldb=github.com/syndtr/goleveldb@v1.0.1-0.20210819022825-2ae1ddf74ef7",
];
/** The chain's upgrades.go before it has any. */
const NO_UPGRADES = `package app

import (
	"cosmossdk.io/log"

	servertypes "github.com/cosmos/cosmos-sdk/server/types"
)

func (app *App) addUpgrade(log.Logger, servertypes.AppOptions) error { return nil }

func hasReceipts(servertypes.AppOptions) bool { return false }
`;

/**
 * @param folder that is created for the chain, the module proxy and the binaries
 * @param requires what the chain's go.mod requires: module@version; empty: what the example's does, without chain-upgrade
 * @throws Error when adding the modules changed a version of the SDK
 */
export function sdkBinaries(folder: string, requires: readonly string[]): { binaries: SdkBinaries; kept: string[] } {
  const chain = join(folder, "chain");
  const binaries = { 1: join(folder, "v1/exampled"), 2: join(folder, "v2/exampled") }; // the name is the prefix of its environment
  const go = goIn(chain, join(folder, "proxy"));
  copySources(chain);
  if (requires.length > 0) {
    writeFileSync(join(chain, "go.mod"), `module ${CHAIN}\n\ngo 1.25.0\n`);
    go("mod", "edit", ...requires.map((each) => `-require=${each}`), ...SDK_REPLACES.map((each) => `-replace=${each}`));
  } else {
    for (const file of ["go.mod", "go.sum"]) cpSync(join(EXAMPLE, file), join(chain, file));
    const own = [RUNTIME, ADAPTER, `${ADAPTER}/rehearse`];
    go("mod", "edit", `-module=${CHAIN}`, ...own.flatMap((each) => [`-droprequire=${each}`, `-dropreplace=${each}`]));
  }
  withoutChainUpgrade(chain);
  go("mod", "tidy");
  go("build", "-o", binaries[1], "./cmd/exampled");
  const before = versionsOf(go);

  execFileSync(process.execPath, [join(ROOT, "scripts/go-proxy.mjs"), join(folder, "proxy")]);
  copySources(chain);
  go("get", `${ADAPTER}@v0.1.0`, `${ADAPTER}/rehearse@v0.1.0`);
  const after = versionsOf(go);
  go("build", "-ldflags", `-X ${CHAIN}/app.Version=2`, "-o", binaries[2], "./cmd/exampled");
  for (const found of [after, versionsOf(go)]) {
    const changed = KEPT.filter((module) => found.get(module) !== before.get(module));
    if (changed.length > 0) {
      throw new Error(
        changed.map((name) => `go get moved ${name} from ${before.get(name)} to ${found.get(name)}`).join("\n"),
      );
    }
  }
  for (const [module, version] of after) {
    const was = before.get(module);
    if (was !== version && !module.startsWith(OWNER)) console.log(`  ${module}: ${was ?? "absent"} → ${version}`);
  }
  forgetModules(go);
  return { binaries, kept: KEPT.map((module) => `${module} ${before.get(module)}`) };
}

type Go = (...args: readonly string[]) => string;

function goIn(cwd: string, proxy: string): Go {
  const configured = execFileSync("go", ["env", "GOPROXY"], { encoding: "utf8" }).trim();
  const env = {
    ...process.env,
    ...{
      GOPROXY: `file://${proxy},${configured}`,
      GONOSUMDB: `${OWNER}/*`,
      GOFLAGS: "-mod=mod -buildvcs=false",
      GOWORK: "off",
    },
  };
  const go: Go = (...args) =>
    execFileSync("go", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  mkdirSync(cwd, { recursive: true });
  forgetModules(go);
  return go;
}

/** Go keeps what a proxy once gave under this version. */
function forgetModules(go: Go): void {
  const cache = go("env", "GOMODCACHE").trim();
  for (const kept of [join(cache, OWNER), join(cache, "cache/download", OWNER)]) {
    if (!existsSync(kept)) continue;
    execFileSync("chmod", ["-R", "u+w", kept]);
    rmSync(kept, { recursive: true });
  }
}

function versionsOf(go: Go): Map<string, string> {
  const lines = go("list", "-m", "-f", "{{.Path}} {{.Version}}", "all").trim().split("\n");
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

function copySources(chain: string): void {
  for (const part of ["app", "notes", "cmd/exampled"]) {
    cpSync(join(EXAMPLE, part), join(chain, part), { recursive: true, filter: (path) => !path.endsWith("_test.go") });
  }
  for (const path of readdirSync(chain, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".go")) change(join(chain, path), [[EXAMPLE_PATH, CHAIN]]);
  }
}

function withoutChainUpgrade(chain: string): void {
  writeFileSync(join(chain, "app/upgrades.go"), NO_UPGRADES);
  change(join(chain, "app/app.go"), [
    [`\twasmupgrade "${ADAPTER}"\n`, ""],
    ["wasmupgrade.ReceiptsStore", '"wasmupgrade"'],
  ]);
  change(join(chain, "cmd/exampled/root.go"), [
    [`\t"${ADAPTER}/rehearse"\n`, ""],
    ["\t\trehearse.Command(newApp, app.DefaultHome()),\n", ""],
  ]);
}

function change(path: string, replacements: readonly (readonly [string, string])[]): void {
  let text = readFileSync(path, "utf8");
  for (const [from, to] of replacements) text = text.replaceAll(from, to);
  writeFileSync(path, text);
}
