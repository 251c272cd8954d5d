/** `chaind handler new` and `build` where no project can be made, or is: one line that says what to do, nothing left behind. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { at, handler } from "../../../e2e/handler-line.js";

vi.setConfig({ testTimeout: 60_000 });

test.each([
  ["a file", "a-file", "UPG_INVALID_ARGUMENT", 2],
  ["a folder in a file", "a-file/project", "UPG_STORE_IO", 30],
  ["where nobody can make a folder", "/proc/project", "UPG_STORE_IO", 30],
  ["nothing", "", "UPG_INVALID_ARGUMENT", 2],
])("new in %s → one line, %s", async (_, dir, code, exit) => {
  writeFileSync(at("a-file"), "kept");
  const end = await handler("new", dir, "--json");
  expect(end).toMatchObject({ exit, stdout: "" });
  expect(JSON.parse(end.stderr)).toMatchObject({ code });
  expect(readFileSync(at("a-file"), "utf8")).toBe("kept");
});

test("new for a plan without a name → exit 2, nothing made", async () => {
  expect(await handler("new", "nameless", "--plan", "")).toMatchObject({ exit: 2 });
  expect(existsSync(at("nameless"))).toBe(false);
});

test("build where there is no project → exit 2, which says what to do", async () => {
  const end = await handler("build", "--project", "nowhere");
  expect(end.exit).toBe(2);
  expect(end.stderr).toContain("there is no assembly/index.ts");
  expect(end.stderr.trim().split("\n")).toHaveLength(1);
});

test("test before the first build → exit 2, which says what to do", async () => {
  mkdirSync(at("unbuilt"));
  writeFileSync(at("unbuilt/package.json"), "{}");
  const end = await handler("test", "--project", "unbuilt");
  expect(end).toMatchObject({ exit: 2, stdout: "" });
  expect(end.stderr).toContain("chaind handler build");
});
