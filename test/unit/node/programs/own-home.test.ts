/** The program of a sidecar is started on the sidecar's own home. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireOwnHome } from "../../../../host/visor/decide/own-home.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-own-home-"));
const at = (...names: readonly string[]) => join(folder, ...names);
beforeAll(() => {
  for (const name of ["home/cosmovisor", "home/data", "other/data"]) mkdirSync(at(name), { recursive: true });
  symlinkSync(at("home"), at("link"));
  mkdirSync(at("split"));
  symlinkSync(at("home", "data"), at("split", "data"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const check = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  requireOwnHome({ settings: { home: at("home"), root: at("home", "cosmovisor"), name: "chaind" }, args, env });

test.each([
  ["none", [], {}],
  ["the same", ["--home", at("home")], {}],
  ["the same, from the sidecar's folder", ["--home=.."], {}],
  ["a link to it", ["--home", at("link")], {}],
  ["another folder with the same data", ["--home", at("split")], {}],
  ["the last one counts", ["--home", at("other"), "--home", at("home")], {}],
  ["the flag comes before the variable", ["--home", at("home")], { CHAIND_HOME: at("other") }],
  ["the variable of another program", [], { SIMD_HOME: at("other") }],
])("%s → started", (_what, flags, env) => {
  expect(() => check(["start", ...flags], env)).not.toThrow();
});

test("the flag comes before the command → refused as well; another command → any home", () => {
  expect(() => check(["--home", at("other"), "start"])).toThrow(/looks after/);
  expect(() => check(["--home", at("other"), "start", "--home", at("home")])).not.toThrow();
  expect(() =>
    requireOwnHome({
      settings: { home: at("home"), root: at("home", "cosmovisor"), name: "chaind" },
      args: ["version", "--home", at("other")],
      env: {},
    }),
  ).not.toThrow();
});

test.each([
  ["--home", ["--home", at("other")], {}],
  ["--home=", [`--home=${at("other")}`], {}],
  ["a folder that does not exist", ["--home", at("none")], {}],
  ["the variable", [], { CHAIND_HOME: at("other") }],
])("another home by %s → refused, naming both and the setting", (_what, flags, env) => {
  expect(() => check(["start", ...flags], env)).toThrow(
    expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(at("home")) }),
  );
});
