/** `chaind demo` as a command of the program: its help, its mistakes, its output. What it shows is tested in main-job.test.ts. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { genesisDocument } from "../scenario/genesis-text.js";
import { DIST, run } from "./chaind.js";
import { CommandLine } from "./command-line.js";

describe("chaind demo", () => {
  test("in the help of the program, in `help demo` and `demo --help` → listed, and the same text", async () => {
    const line = new CommandLine();
    expect(await line.text("--help")).toMatch(/^ {2}demo +Take a chain through an upgrade, visibly$/m);
    const help = (await line.run(["demo", "--help"])).stdout;
    expect(help).toContain("Usage:\n  chaind demo [flags]\n");
    expect(help).toMatch(/--output string +format of results/);
    expect(help).toMatch(/--home string +use this \(new\) home and keep it; without: a temporary one/);
    expect((await line.run(["help", "demo"])).stdout).toBe(help);
  });

  test("a mistyped flag → 2, with the nearest one and a code; as JSON with -o json", async () => {
    const line = new CommandLine();
    const typed = await line.run(["demo", "--genesi", "x"]);
    const text = 'unknown flag: --genesi (did you mean "--genesis"?); see `chaind demo --help`';
    expect([typed.exit, typed.stderr]).toEqual([2, `Error: ${text} [UPG_INVALID_ARGUMENT]\n`]);
    const json = await line.run(["demo", "--genesi", "x", "-o", "json"]);
    expect(JSON.parse(json.stderr)).toEqual({ error: text, code: "UPG_INVALID_ARGUMENT" });
  });

  test("--home of a chain → 2: name a new folder, or start that one", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    const refused = await line.run(["demo", "--home", line.home]);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toBe(
      `Error: ${line.home} has a chain in it: name a folder that is new; \`npx chaind start --home ${line.home}\` goes on ` +
        "with that chain [UPG_INVALID_CONFIG]\n",
    );
  });

  test("killed while its node runs → the node ends too, and lets go of the home", async () => {
    const line = new CommandLine();
    const demo = run(join(DIST, "chaind.js"), ["demo", "--home", line.home], line.env);
    let [node] = nodesOf(line.home, demo.child.pid);
    for (; node === undefined && demo.child.exitCode === null; [node] = nodesOf(line.home, demo.child.pid))
      await sleep(5);
    expect(node, "a node of the demo").toBeDefined();
    demo.child.kill("SIGKILL");
    expect((await demo.end).signal).toBe("SIGKILL");
    while (nodesOf(line.home).includes(node as number)) await sleep(20);
  });

  test("--genesis of a document that was exported after v2 → 2, what to do instead, and no home is made", async () => {
    const line = new CommandLine();
    mkdirSync(line.home, { recursive: true });
    const file = join(line.home, "exported.json");
    const document = genesisDocument();
    writeFileSync(file, JSON.stringify({ ...document, consensus: { params: { version: { app: "2" } } } }));
    const home = join(line.home, "new");
    const { exit, stderr } = await line.run(["demo", "--genesis", file, "--home", home]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`${file}: names app version 2, and the demonstration begins with version 1`);
    expect(stderr).toContain(`\`npx chaind init my-node --genesis ${file} --home my-chain\``);
    expect(existsSync(home)).toBe(false);
  });
});

/** Processes of `start` on this home; those of one parent, where it is given. */
function nodesOf(home: string, parent?: number): number[] {
  const lines = execFileSync("ps", ["-ww", "-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const found = lines.filter((text) => text.includes(` start --home ${home} `)).map((text) => text.trim().split(/ +/));
  return found.filter(([, owner]) => parent === undefined || Number(owner) === parent).map(([id]) => Number(id));
}

test("npm start -- with a mistyped flag → the same, in its own name", async () => {
  const script = join(DIST, "main-job.js");
  const { exit, stderr } = await run(script, ["--hom", "x"], { npm_lifecycle_event: "start" }).end;
  const text = 'unknown flag: --hom (did you mean "--home"?); see `npm start -- --help`';
  expect([exit, stderr]).toEqual([2, `Error: ${text} [UPG_INVALID_ARGUMENT]\n`]);
});
