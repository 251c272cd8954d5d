/** The commands for authors from the packed package, as the registry would give it, and `npm start` with a given handler. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { DIST, run } from "./chaind.js";
import { installPackage } from "./installed.js";

vi.setConfig({ testTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-installed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface PackageJson {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Files that a page of the package links to, without those of other sites. */
function linkedFiles(page: string): string[] {
  const links = Array.from(readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g), ([, link = ""]) => link);
  return links.filter((link) => !link.includes("://")).map((link) => join(dirname(page), link));
}

/** Of the strictest project: no library of browsers, and declarations of packages are checked too. */
const STRICTEST = {
  ...{ module: "nodenext", target: "es2022", lib: ["es2022"], strict: true, skipLibCheck: false, noEmit: true },
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
};
const ENTRIES: readonly (readonly [what: string, entries: readonly string[], types: readonly string[]])[] = [
  ["the library alone, without any types of the machine", ["chain-upgrade"], []],
  ["all entries, with those of Node.js", ["chain-upgrade", "chain-upgrade/node", "chain-upgrade/test"], ["node"]],
];

describe("installed package", () => {
  const root = installPackage(folder);
  const installed = join(root, "dist/chaind.js");

  test("links of README.md and docs/ → every file is in the package", () => {
    const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
    const pages = ["README.md", ...docs.map((name) => `docs/${name}`)];
    const linked = pages.flatMap((page) => linkedFiles(join(root, page)));
    expect(linked.length).toBeGreaterThan(20);
    expect(linked.filter((file) => !existsSync(file))).toEqual([]);
  });

  test.each(ENTRIES)("tsc over a file that imports %s → no error", (_, entries, types) => {
    const project = mkdtempSync(join(folder, "types-"));
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...STRICTEST, types }, files: ["use.ts"] }),
    );
    const lines = entries.map((entry, at) => `import * as entry${at} from "${entry}";\nexport { entry${at} };`);
    writeFileSync(join(project, "use.ts"), lines.join("\n"));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    // Node.js's own declarations do not fit each other under `exactOptionalPropertyTypes`.
    const errors = stdout.split("\n").filter((line) => /error TS\d/.test(line));
    expect(errors.filter((line) => !line.startsWith("node_modules/@types/node/"))).toEqual([]);
  });

  test("declarations in the package → those that an entry reaches, none of a thread or a command", () => {
    const declared = readdirSync(join(root, "dist/types"), { recursive: true }).map(String);
    expect(declared).toContain("index.d.ts");
    expect(declared.filter((file) => /^(thread|relay|client)\b/.test(file) && file.endsWith(".d.ts"))).toEqual([]);
  });

  test("npm start → a chain goes through an upgrade", () => {
    const { status, stdout, stderr } = spawnSync("npm", ["--prefix", root, "start", "--silent", "--", "--json"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ event: "done", ok: true });
  }, 600_000);

  test("the chain of README.md, made into a program as the page says → what the page says that it prints", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, code = "", printed = ""] = /^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    const project = mkdtempSync(join(folder, "chain-"));
    writeFileSync(join(project, "package.json"), "{}");
    writeFileSync(join(project, "chain.ts"), code);
    // TypeScript is here already, at the version that the page names.
    const commands =
      /^npm pkg set [\s\S]*?&& node chain\.js$/m.exec(readme)?.[0].replace(/ && npm install .*$/m, "") ?? "";
    const tsc = `"${process.execPath}" "${join(ROOT, "node_modules/typescript/bin/tsc")}"`;
    const script = commands.replace("npx tsc", tsc);
    const { status, stdout, stderr } = spawnSync("bash", ["-ec", script], { cwd: project, encoding: "utf8" });
    expect(status, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toBe(printed);
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageJson;
    for (const name of ["typescript", "@types/node"]) expect(readme).toContain(`${name}@${devDependencies[name]}`);
  });

  test("npx chaind demo in an empty folder → a chain goes through an upgrade", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [installed, "demo", "--json"], {
      cwd: mkdtempSync(join(folder, "empty-")),
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ event: "done", ok: true });
  }, 600_000);

  test("chaind handler new, build and test → green, with the bytes that a checkout makes", () => {
    const handler = (program: string, ...args: string[]) =>
      spawnSync(process.execPath, [program, "handler", ...args], { cwd: folder, encoding: "utf8" });
    expect(handler(installed, "new", "mine").status).toBe(0);
    const json = JSON.parse(readFileSync(join(folder, "mine/package.json"), "utf8")) as Record<string, unknown>;
    expect(json["dependencies"]).toEqual({ "chain-upgrade": expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(json["devDependencies"]).toEqual({ assemblyscript: "0.28.20" });
    const built = handler(installed, "build", "--project", "mine");
    expect(built.status, built.stderr).toBe(0);
    expect(handler(installed, "test", "--project", "mine").status).toBe(0);
    const tests = spawnSync(process.execPath, ["--test"], { cwd: join(folder, "mine"), encoding: "utf8" });
    expect(tests.status, tests.stdout).toBe(0);
    const locked = handler(join(DIST, "chaind.js"), "build", "--project", "mine", "--locked");
    expect(locked.status, locked.stderr).toBe(0);
  });
});

describe("npm start --handler", () => {
  test("for a plan that the program has a handler for → the given one is used, and the chain goes on without it", async () => {
    const home = join(folder, "home");
    const given = join(ROOT, "build/examples/split-balances.wasm");
    const job = await run(join(DIST, "main-job.js"), ["--json", "--handler", given, "--home", home]).end;
    expect(job.exit, job.stderr).toBe(0);
    const events = job.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.filter(({ event }) => event === "applied")).toMatchObject([{ plan: "v2" }]);
    expect(events.at(-1)).toMatchObject({ event: "done", ok: true });
    const later = await run(join(DIST, "chaind.js"), [
      "start",
      "--home",
      home,
      "--max-blocks",
      "1",
      "--block-time",
      "0",
    ]).end;
    expect(later.exit, later.stderr).toBe(0);
  });
});
