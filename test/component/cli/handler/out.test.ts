/** `chaind handler … --out`: what is no ordinary file stays what it is, and what a command reads is not replaced by what it makes. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { at, handler, SPLIT_BALANCES, written } from "../../../e2e/handler-line.js";
import { makeHome, withNode } from "../../../e2e/prepared-home.js";
import { build, guest, MINIMAL_MANIFEST } from "../../../guest/build.js";
import { genesisText } from "../../../scenario/genesis-text.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ROOT = join(import.meta.dirname, "../../../..");
const home = at("home");
const project = at("project");
const manifest = written("manifest.json", Buffer.from(JSON.stringify(MINIMAL_MANIFEST)));
const module = written("module.wasm", build(guest()));
const keep = at("keep.wasm");

beforeAll(async () => {
  cpSync(SPLIT_BALANCES, keep);
  makeHome(home, genesisText());
  withNode({ path: home, handlers: at("none") }, (node) => node.makeBlock());
  expect((await handler("new", "project", "--plan", "mine")).exit).toBe(0);
  mkdirSync(join(project, "node_modules"));
  symlinkSync(ROOT, join(project, "node_modules/chain-upgrade"));
  execFileSync("mkfifo", [at("pipe")]);
});

const SCENE = ["scene", "--state", home, "--store", "bank"];
const COMMANDS = [
  ["pack", module, "--manifest", manifest],
  ["meter", SPLIT_BALANCES],
  SCENE,
  ["build", "--project", "project"],
];

describe("chaind handler --out", () => {
  test.each(COMMANDS)("of a pipe, by %s → exit 2 at once, and it is a pipe still", async (...command) => {
    const { exit, stderr } = await handler(...command, "--out", at("pipe"));
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`cannot write ${at("pipe")}: it is a pipe`)]);
    expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  });

  test.each([
    ["pack onto the manifest", ["pack", module, "--manifest", manifest], manifest],
    ["scene onto the handler", [...SCENE, "--handler", keep], keep],
    ["scene onto the chain's genesis", SCENE, join(home, "config/genesis.json")],
    ["build onto a source", ["build", "--project", "project"], join(project, "assembly/index.ts")],
    ["build onto a scene", ["build", "--project", "project"], join(project, "fixtures/three-holders.json")],
    ["build onto a link to a source", ["build", "--project", "project"], join(project, "assembly/link.ts")],
  ])("%s → exit 2, and it stays", async (_, command, out) => {
    if (out.endsWith("link.ts")) symlinkSync("index.ts", out);
    const before = readFileSync(out);
    const { exit, stderr } = await handler(...command, "--out", out);
    expect([exit, stderr]).toEqual([2, expect.stringContaining("UPG_INVALID_ARGUMENT")]);
    expect(readFileSync(out).equals(before)).toBe(true);
  });

  test("scene --limit 0 → exit 2, and nothing is written", async () => {
    const { exit, stderr } = await handler(...SCENE, "--limit", "0", "--out", at("empty.json"));
    expect([exit, stderr]).toEqual([2, expect.stringContaining("expected at least 1")]);
    expect(existsSync(at("empty.json"))).toBe(false);
  });
});

describe("chaind handler test", () => {
  test("--fixture of a pipe, of a folder → exit 30 at once with what it is", async () => {
    for (const [file, kind] of [
      ["pipe", "a pipe"],
      [".", "a folder"],
    ] as const) {
      const { exit, stderr } = await handler("test", SPLIT_BALANCES, "--fixture", file);
      expect([exit, stderr]).toEqual([30, expect.stringContaining(`it is no regular file, but ${kind}`)]);
    }
  });

  test("--watch of a folder that is no project → exit 2, as without --watch", async () => {
    const { exit, stderr } = await handler("test", "--watch", "--project", "nope");
    expect([exit, stderr]).toEqual([2, expect.stringContaining("name a handler's project with --project")]);
  });
});
