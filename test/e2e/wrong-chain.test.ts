/** A program whose chain does not fit together: what people see who start it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { ROOT } from "../house/sources.js";
import { DIST } from "./chaind.js";

mkdirSync(join(ROOT, "build/run"), { recursive: true });
const folder = mkdtempSync(join(ROOT, "build/run/wrong-chain-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entry = JSON.stringify(pathToFileURL(join(DIST, "node.js")).href);
const DEFINE = `defineChain({ name: "wrongd", modules: [bank()] })`;
writeFileSync(
  join(folder, "chain.mjs"),
  `import { bank, defineChain } from ${entry};\nexport const chain = ${DEFINE};\n`,
);

/** Runs a program of these lines. */
function run(
  name: string,
  lines: string,
  ...args: string[]
): { status: number | null; stdout: string; stderr: string } {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, lines);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const LINE = "Error: defineChain: the module upgrade is missing: add upgrade() to modules [UPG_INVALID_ARGUMENT]\n";
const MAIN = `import { runChain } from ${entry};\nimport { chain } from "./chain.mjs";\nawait runChain(chain);\n`;

describe("defineChain() of a program, wrong", () => {
  test("that nobody catches → one line and exit status 2; JSON for those who ask; --trace has where", () => {
    expect(run("main", MAIN, "status")).toEqual({ status: 2, stdout: "", stderr: LINE });
    const json = run("main", MAIN, "status", "-o", "json");
    expect(JSON.parse(json.stderr)).toEqual({
      error: "defineChain: the module upgrade is missing: add upgrade() to modules",
      code: "UPG_INVALID_ARGUMENT",
    });
    expect(run("main", MAIN, "status", "--trace").stderr).toContain("chain.mjs:2");
  });

  test.each([
    [
      "messageKind",
      "messageKind({ schema: undefined, response: undefined, run: () => undefined })",
      "messageKind: schema is missing: give the generated …Schema",
    ],
    [
      "implement",
      "implement(undefined, [], {})",
      "implement: the first argument is no service: give the generated one, such as Query",
    ],
    [
      "records",
      'records("note", undefined)',
      'records: the prefix is a text and the schema a generated one: records("note", NoteSchema)',
    ],
  ])(
    "%s() before defineChain, wrong → one line and exit status 2; --trace has where; caught → the program continues",
    (name, call, message) => {
      writeFileSync(join(folder, `${name}.mjs`), `import { ${name} } from ${entry};\nexport const made = ${call};\n`);
      const main = `import "./${name}.mjs";\n${MAIN}`;
      const stderr = `Error: ${message} [UPG_INVALID_ARGUMENT]\n`;
      expect(run(`main-${name}`, main, "status")).toEqual({ status: 2, stdout: "", stderr });
      expect(run(`main-${name}`, main, "status", "--trace").stderr).toContain(`${name}.mjs:2`);
      const caught = `try { await import("./${name}.mjs"); } catch ({ code }) { console.log(code); }\n`;
      expect(run(`caught-${name}`, caught)).toEqual({ status: 0, stdout: "UPG_INVALID_ARGUMENT\n", stderr: "" });
    },
  );

  test("that is caught → the program goes on; a later error of its own ends it as Node does", () => {
    const caught = `try { await import("./chain.mjs"); } catch ({ code }) { console.log(code); }\n`;
    expect(run("caught", caught)).toEqual({ status: 0, stdout: "UPG_INVALID_ARGUMENT\n", stderr: "" });
    const own = run("own", `${caught}throw new Error("mine");\n`);
    expect(own).toMatchObject({ status: 1, stderr: expect.stringContaining("Error: mine") });
    expect(own.stderr).toContain("own.mjs:2");
  });

  test("where the program looks after errors itself → that is how it ends", () => {
    const lines = `process.on("uncaughtException", ({ code }) => process.exit(code === "UPG_INVALID_ARGUMENT" ? 9 : 8));\nawait import("./chain.mjs");\n`;
    expect(run("listens", lines)).toEqual({ status: 9, stdout: "", stderr: "" });
  });
});
