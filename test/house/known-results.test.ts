/** What `chaind` prints without loading its program, and how the library becomes a script. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { scriptOfModule } from "../../host/base/native/module-script.js";
import { VERSION } from "../../host/base/terminal/version.js";
import { ROOT } from "./sources.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-known-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const chaind = join(ROOT, "dist/chaind.js");
/** Without the files that it loads: whatever it prints, it printed alone. */
const alone = join(folder, "chaind.mjs");
copyFileSync(chaind, alone);

function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
  });
  return { status, stdout, stderr };
}
/** A setting of the environment, also one that no flag has, makes the program answer itself. */
const byProgram = (args: readonly string[], env = {}) => run(chaind, args, { ...env, CHAIND_NONE: "1" });

test.each([
  [""],
  ["help"],
  ["-h"],
  ["--help --json"],
  ["version"],
  ["version -o json"],
  ["-v"],
  ["--version --output=json"],
])("chaind %s → printed without the program, in the program's words", (text) => {
  const args = text.split(" ").filter(Boolean);
  const printed = run(alone, args);
  expect(printed).toEqual(byProgram(args));
  expect(printed).toMatchObject({ status: 0, stderr: "" });
  expect(printed.stdout).toMatch(args.some((arg) => /^-?-?v/.test(arg)) ? VERSION : /^Available Commands:$/m);
});

test("anything else, and settings that could change the result → the program is asked", () => {
  for (const args of [["version", "--long"], ["--help", "--trace"], ["help", "tx"], ["tx"], ["-o", "yaml"]]) {
    expect(run(alone, args).status, args.join(" ")).not.toBe(0);
    expect(run(alone, args).stdout, args.join(" ")).toBe("");
  }
  expect(run(alone, ["version"], { CHAIND_OUTPUT: "json" }).stdout).toBe("");
  expect(run(alone, ["version"], { DAEMON_NAME: "chaind" }).stdout).toBe("");
});

test("version and the client.toml of the home → the same as from the program", () => {
  mkdirSync(join(folder, ".chaind/config"), { recursive: true });
  const client = join(folder, ".chaind/config/client.toml");
  const plain = '# a remark\n\nchain-id = "test-1"\nkeyring-backend = "file"\noutput = "text"\n';
  const files = { [plain]: true, 'output = "json"\n': false, broken: false, 'trace = "x"\n': false, "[a]\n": false };
  for (const [text, isPlain] of Object.entries(files)) {
    writeFileSync(client, text);
    expect(run(chaind, ["version"]), text).toEqual(byProgram(["version"]));
    expect(run(alone, ["version"]).stdout, text).toBe(isPlain ? `${VERSION}\n` : "");
    expect(run(alone, ["--version"]).stdout, text).toBe(`${VERSION}\n`);
  }
});

test("a module of the build → a script with the same exports, on the same lines", () => {
  const text = 'var a=1;function f(){return h(a)}import{h,k as l}from"x";\nvar b=l+1;export{a,f as\ng,b as c};\n';
  const script = scriptOfModule(text);
  const names = (package_: string) => ({ h: (value: number) => `${package_}${value}`, k: 1 });
  const load = new Script(script).runInThisContext() as (from: typeof names) => { g(): string };
  const made = load(names);
  expect({ ...made, g: made.g() }).toEqual({ a: 1, g: "x1", c: 2 });
  expect(() => scriptOfModule("var a = 1;\n")).toThrow("does not end with its exports");
});
