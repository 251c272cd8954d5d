/** Flags of `start` that choose the engine: what they lead to, and what is refused before anything is made. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Cobra } from "../../../host/base/terminal/cobra.js";
import { addCometFlags, type CometFlags, chosenComet, relayWarnings } from "../../../host/cli/flags/comet-flags.js";
import { givenOf } from "../../../host/cli/flags/sdk-flags.js";
import { addServerFlags } from "../../../host/cli/flags/server-flags.js";
import { recheckWarnings } from "../../../host/node/comet/comet-files.js";
import { findComet } from "../../../host/node/comet/engine/binary.js";
import { cometArgs } from "../../../host/node/comet/engine/flags.js";
import { Home } from "../../../host/node/home/home.js";
import { failureOf } from "../../scenario/chain.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that prints this when it is asked for its version. */
function program(name: string, version: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n[ "$1" = version ] && echo "${version}"\n`);
  chmodSync(path, 0o755);
  return path;
}

const chosen = (...args: string[]) => chosenIn("/var/notes", ...args);

function chosenIn(home: string, ...args: string[]) {
  const command = addCometFlags(new Cobra("start")).exitOverride();
  const off = "--with-comet=false";
  const parsed = args.filter((arg) => arg !== off);
  command.configureOutput({ writeErr: () => undefined }).parse(parsed, { from: "user" });
  // As the command line takes a switch that is turned off.
  if (parsed.length < args.length) command.setOptionValueWithSource("withComet", false, "cli");
  return chosenComet(command.opts<CometFlags>(), new Home(home), command);
}

describe("chosenComet()", () => {
  const good = program("good", "0.38.25");

  test("no flag → the embedded engine; CometBFT → a socket in the home and its program; elsewhere → the SDK's address", () => {
    expect(chosen()).toBeUndefined();
    const unix = { kind: "unix", path: "/var/notes/abci.sock" };
    const rpc = "tcp://127.0.0.1:26657";
    expect(chosen("--engine", "cometbft", "--comet.bin", good)).toEqual({ address: unix, program: good, rpc });
    const tcp = { kind: "tcp", host: "127.0.0.1", port: 26_658 };
    expect(chosen("--with-comet=false", "--transport", "socket")).toEqual({ address: tcp, program: undefined, rpc });
    expect(chosen("--with-comet=false", "--engine", "cometbft", "--address", "tcp://127.0.0.1:5")).toEqual({
      address: { ...tcp, port: 5 },
      program: undefined,
      rpc,
    });
  });

  test("where CometBFT's RPC is: the flag, else its own settings, asked at this machine where it listens at all addresses", () => {
    const home = join(folder, "home");
    mkdirSync(join(home, "config"), { recursive: true });
    const off = ["--with-comet=false"];
    for (const [laddr, asked] of [
      ["tcp://127.0.0.1:5", "tcp://127.0.0.1:5"],
      ["tcp://0.0.0.0:5", "tcp://127.0.0.1:5"],
      ["tcp://[::]:5", "tcp://127.0.0.1:5"],
      ["tcp://:5", "tcp://127.0.0.1:5"],
      ["tcp://127.0.0.1:5, tcp://127.0.0.1:6", "tcp://127.0.0.1:5"],
      ["", "tcp://127.0.0.1:26657"],
    ] as const) {
      writeFileSync(join(home, "config/config.toml"), `[rpc]\nladdr = "${laddr}"\n`);
      expect(chosenIn(home, ...off)).toMatchObject({ rpc: asked });
      expect(chosenIn(home, ...off, "--comet.rpc", "https://node:443")).toMatchObject({ rpc: "https://node:443" });
    }
    writeFileSync(join(home, "config/config.toml"), '[rpc]\nladdr = "unix:///rpc.sock"\n');
    const failure = failureOf(() => chosenIn(home, ...off));
    expect(failure).toMatchObject({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining("--comet.rpc") });
    writeFileSync(join(home, "config/config.toml"), '[rpc]\nladdr = "tcp://127.0.0.1:0"\n');
    expect(failureOf(() => chosenIn(home, ...off))).toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining("rpc.laddr of config.toml: CometBFT serves the RPC"),
    });
    expect(chosenIn(home, ...off, "--comet.rpc", "tcp://node:5")).toMatchObject({ rpc: "tcp://node:5" });
  });

  test("--rpc.laddr with an address of IPv6 → CometBFT gets it, and is asked at it, with brackets", () => {
    for (const [given, passed, asked] of [
      ["tcp://[::1]:5", "tcp://[::1]:5", "tcp://[::1]:5"],
      ["tcp://[::]:5", "tcp://[::]:5", "tcp://127.0.0.1:5"],
      [":5", "tcp://0.0.0.0:5", "tcp://127.0.0.1:5"],
    ]) {
      const command = addServerFlags(addCometFlags(new Cobra("start"))).exitOverride();
      command.parse(["--engine", "cometbft", "--comet.bin", good, "--rpc.laddr", given ?? ""], { from: "user" });
      expect(cometArgs(givenOf(command))).toEqual(["--rpc.laddr", passed]);
      expect(chosenComet(command.opts<CometFlags>(), new Home("/var/notes"), command)).toMatchObject({ rpc: asked });
    }
  });

  test("the RPC's address in the environment → CometBFT gets it and is asked at it; that of app.toml is the embedded engine's", () => {
    for (const [source, passed, asked] of [
      ["env", ["--rpc.laddr", "tcp://127.0.0.1:5"], "tcp://127.0.0.1:5"],
      ["config", [], "tcp://127.0.0.1:26657"],
    ] as const) {
      const command = addServerFlags(addCometFlags(new Cobra("start"))).exitOverride();
      command.parse(["--engine", "cometbft", "--comet.bin", good], { from: "user" });
      command.setOptionValueWithSource("rpc.laddr", { host: "127.0.0.1", port: 5 }, source);
      expect(cometArgs(givenOf(command))).toEqual(passed);
      expect(chosenComet(command.opts<CometFlags>(), new Home("/var/notes"), command)).toMatchObject({ rpc: asked });
    }
  });

  test.each<[string, string[], string]>([
    ["an address without an engine for it", ["--address", "tcp://127.0.0.1:1"], "give --engine cometbft"],
    ["its RPC without it", ["--comet.rpc", "tcp://127.0.0.1:1"], "give --engine cometbft"],
    ["an RPC that is none", ["--with-comet=false", "--comet.rpc", "ftp://x"], "--comet.rpc: "],
    ["a program without it", ["--comet.bin", good], "give --engine cometbft"],
    [
      "the embedded engine without CometBFT",
      ["--engine", "embedded", "--with-comet=false"],
      "leave out --with-comet=false",
    ],
    ["an address that is none", ["--with-comet=false", "--address", "here"], "is no address"],
  ])("%s → UPG_INVALID_CONFIG", (_what, args, message) => {
    expect(failureOf(() => chosen(...args))).toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining(message),
    });
  });

  test("ABCI over gRPC, or another engine → refused with the choices", () => {
    expect(() => chosen("--with-comet=false", "--transport", "grpc")).toThrow("Allowed choices are socket");
    expect(() => chosen("--engine", "other")).toThrow("Allowed choices are embedded, cometbft");
  });
});

describe("findComet()", () => {
  test("the flag, else COMETBFT_BIN, else the first cometbft of PATH", () => {
    const [flag, env, path] = [program("flag", "0.38.1"), program("env", "v0.38.22"), program("cometbft", "0.38.25")];
    const all = { COMETBFT_BIN: env, PATH: `/none:${folder}` };
    expect(findComet(flag, all)).toEqual({ path: flag, version: "0.38.1" });
    expect(findComet(undefined, all)).toEqual({ path: env, version: "v0.38.22" });
    expect(findComet(undefined, { ...all, COMETBFT_BIN: "" })).toEqual({ path, version: "0.38.25" });
  });

  test.each<[string, string | undefined, string]>([
    ["none", undefined, "there is no cometbft on PATH"],
    ["a file that is absent", "/none/cometbft", "cannot be run"],
    ["one of another version", program("later", "1.0.1"), 'is version "1.0.1", and this node works with CometBFT 0.38'],
    ["a program that prints nothing", program("silent", ""), 'is version ""'],
  ])("%s → UPG_INVALID_CONFIG with how to install it", (_what, given, message) => {
    const error = failureOf(() => findComet(given, { PATH: "/none" }));
    expect(error).toMatchObject({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining(message) });
  });
});

test("relayWarnings(): app-version from app.toml → one that names the variable; from anywhere else, or none → none", () => {
  const command = new Cobra("start").option("--app-version <n>", "");
  new Cobra("chaind").addCommand(command);
  expect(relayWarnings(command)).toEqual([]);
  for (const source of ["cli", "env"]) {
    command.setOptionValueWithSource("appVersion", 1n, source);
    expect(relayWarnings(command)).toEqual([]);
  }
  command.setOptionValueWithSource("appVersion", 1n, "config");
  expect(relayWarnings(command).join()).toMatch(/app\.toml.*CHAIND_APP_VERSION/);
});

test.each([
  ["recheck = false", 1],
  ['recheck = "false"', 1],
  ["recheck = true", 0],
  ["size = 5000", 0],
  ["recheck =", 0],
])("recheckWarnings(): config.toml with [mempool] %s → %i", (setting, count) => {
  const home = new Home(mkdtempSync(join(folder, "recheck-")));
  expect(recheckWarnings(home.path)).toEqual([]);
  mkdirSync(join(home.path, "config"));
  writeFileSync(join(home.path, "config", "config.toml"), `[mempool]\n${setting}\n`);
  const found = recheckWarnings(home.path);
  expect(found).toHaveLength(count);
  for (const each of found) expect(each).toContain(`mempool.recheck is false in ${home.path}/config/config.toml`);
});
