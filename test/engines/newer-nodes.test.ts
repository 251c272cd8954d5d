/**
 * What could differ on newer versions of Node.js: native packages, errors, files, processes, an upgrade from end to end, the entries
 * of the package. All tests run on the oldest version that is supported.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { newerNode, prepareNode } from "./prepare.js";

const TESTS = ["test/unit/base", "test/unit/node/programs", "test/unit/state/store/lmdb", "test/core/apply.test.ts"];
const ENTRIES = ["chain-upgrade", "chain-upgrade/node", "chain-upgrade/test", "chain-upgrade/verify"];
const MINUTES = 240_000;

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Code caches of other versions stay out of the user's folder; what this run set for its own tests is not passed on. */
const env = Object.fromEntries(
  Object.entries({ ...process.env, XDG_CACHE_HOME: folder, NO_COLOR: "1" }).filter(
    ([name]) => !/^(VITEST|TINYPOOL|CPU_FILE|NODE_OPTIONS|NODE_ENV|FORCE_COLOR)/.test(name),
  ),
);

/** Its output; with an exit status other than 0 the error has it. */
function run(node: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(node, args, { cwd: ROOT, env, encoding: "utf8", maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${args.join(" ")}: ${error.code}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

describe.each(["22", "24"])("Node.js %s", (major) => {
  const missing = prepareNode(major);
  const node = newerNode(major);
  const named = (what: string) => (missing ? `${what} (skipped: ${missing})` : what);

  test.skipIf(missing !== undefined)(
    named("the programs → this version runs them, an upgrade from end to end"),
    async () => {
      expect(await run(node, "--version")).toMatch(new RegExp(`^v${major}\\.`));
      for (const program of ["chaind", "chainvisor"]) await run(node, `dist/${program}.js`, "--version");
      expect(await run(node, "dist/chaind.js", "start", "--help")).toContain("--block-time");
      expect(await run(node, "dist/main-job.js", "--json")).toContain(`"event":"done","ok":true`);
    },
    MINUTES,
  );

  test.skipIf(missing !== undefined)(
    named("every entry of the package → imported"),
    async () => {
      const imports = ENTRIES.map((entry) => `await import("${entry}");`).join("");
      expect(await run(node, "--input-type=module", "--eval", imports)).toBe("");
    },
    MINUTES,
  );

  test.skipIf(missing !== undefined)(
    named("tests of native packages, errors, files and processes → pass"),
    async () => {
      await run(node, "node_modules/vitest/vitest.mjs", "run", "--reporter=dot", ...TESTS);
    },
    MINUTES,
  );
});
