/** embed/go: the module's own tests, which read the vectors of test/vectors too, and its formatter and checker. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepareGo } from "../engines/prepare.js";
import { ROOT } from "../house/sources.js";
import { readVectors } from "./vector-counts.js";

const MODULE = join(ROOT, "embed/go");
const MINUTES = 60_000;

const missing = prepareGo(MODULE);
const named = (name: string) => (missing ? `${name} (skipped: ${missing})` : name);

function runIn(cwd: string, program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
  return { status, output: `${stdout}${stderr}` };
}

const run = (program: string, ...args: readonly string[]) => runIn(MODULE, program, ...args);

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
        const { status, output } = runIn(copy, "go", "test", "-count=1", "-short", "-vet=off", "-v", ".");
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
