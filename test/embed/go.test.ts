/** embed/go: the module's own tests, which read the vectors of test/vectors too, and its formatter and checker. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepareGo } from "../engines/prepare.js";
import { ROOT } from "../house/sources.js";
import { readVectors } from "./vector-counts.js";

const MODULE = join(ROOT, "embed/go");
const MINUTES = 60_000;

const GO_PATH = "github.com/chain-upgrade/chain-upgrade/embed/go";
const USES_EMBED_GO = `package main

import upgrade "${GO_PATH}"

func main() { println(len(upgrade.VersionMap{})) }
`;

const missing = prepareGo(MODULE);
const named = (name: string) => (missing ? `${name} (skipped: ${missing})` : name);

function runIn(cwd: string, program: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...settings };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26 });
  return { status, output: `${stdout}${stderr}` };
}

const run = (program: string, ...args: readonly string[]) => runIn(MODULE, program, args);

describe("embed/go", () => {
  test.skipIf(missing)(
    named("gofmt and go vet → nothing to say"),
    () => {
      // The folder sdk is another module.
      expect(run("gofmt", "-l", "internal", ...sources())).toEqual({ status: 0, output: "" });
      expect(run("go", "vet", "./...")).toEqual({ status: 0, output: "" });
    },
    5 * MINUTES,
  );

  test.skipIf(missing)(
    named(
      "go test → every recorded call and handler case is as the node's in wazero's compiler, a tenth in its interpreter",
    ),
    () => {
      // `npm run embed:go` runs all in both.
      const { status, output } = run("go", "test", "-count=1", "-short", "-v", "./...");
      expect(status, output).toBe(0);
      const { coreCalls, handlerCases } = readVectors();
      for (const line of [`${coreCalls} of ${coreCalls} calls`, `${handlerCases} of ${handlerCases} cases`]) {
        expect(output).toContain(line);
      }
      expect(output.match(/\d+ of \d+ (?:calls|cases)$/gm)).toHaveLength(4);
      expect(output).not.toContain("--- SKIP");
    },
    10 * MINUTES,
  );

  test.skipIf(missing)(
    named("go test in a copy of the module alone → passes, and what needs the repository is skipped with the reason"),
    () => {
      const copy = mkdtempSync(join(tmpdir(), "embed-go-"));
      try {
        cpSync(MODULE, copy, { recursive: true, filter: (path) => path !== join(MODULE, "sdk") });
        const { status, output } = runIn(copy, "go", ["test", "-count=1", "-short", "-vet=off", "-v", "."]);
        expect(status, output).toBe(0);
        expect(output).toContain("--- PASS: TestNewCore_otherBytes_areRefused/half");
        expect(output).toContain("--- SKIP: TestNewCore_otherBytes_areRefused/a_handler");
        expect(output).toContain("handler-cases.json.gz is in the repository, not in the module");
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    },
    5 * MINUTES,
  );
});

describe("a Go module proxy in a folder", () => {
  test.skipIf(missing)(
    named("scripts/go-proxy.mjs, go get → an empty module has embed/go, and a program with it runs"),
    () => {
      const folder = mkdtempSync(join(tmpdir(), "go-proxy-"));
      try {
        const chain = join(folder, "chain");
        mkdirSync(chain);
        const proxy = [join(ROOT, "scripts/go-proxy.mjs"), join(folder, "proxy")];
        expect(runIn(ROOT, process.execPath, proxy).status).toBe(0);
        writeFileSync(join(chain, "go.mod"), "module example.com/chain\n\ngo 1.25.0\n");
        writeFileSync(join(chain, "main.go"), USES_EMBED_GO);
        // What this machine downloaded before is the other proxy, so that nothing is asked of the network.
        const cache = run("go", "env", "GOMODCACHE").output.trim();
        const env = {
          ...{ GOPROXY: `file://${folder}/proxy,file://${cache}/cache/download,off`, GOSUMDB: "off", GOWORK: "off" },
          ...{ GOMODCACHE: join(folder, "cache"), GOFLAGS: "-modcacherw -mod=mod -buildvcs=false" },
        };
        const go = (...args: readonly string[]) => runIn(chain, "go", args, env);
        const got = go("get", `${GO_PATH}@v0.1.0`);
        expect(got.status, got.output).toBe(0);
        expect(readFileSync(join(chain, "go.mod"), "utf8")).toContain(`${GO_PATH} v0.1.0`);
        expect(go("run", ".").output).toMatch(/0\n$/);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    5 * MINUTES,
  );
});

function sources(): string[] {
  return run(
    "go",
    "list",
    "-f",
    '{{join .GoFiles "\\n"}}\n{{join .TestGoFiles "\\n"}}\n{{join .XTestGoFiles "\\n"}}',
    ".",
  )
    .output.split("\n")
    .filter(Boolean);
}
