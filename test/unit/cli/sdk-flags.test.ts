/** Unit files of Cosmos SDK nodes: their flags of `start`, and their way to name a log level. */

import { Command } from "commander";
import { expect, test } from "vitest";
import { notesChain } from "../../../examples/notes-chain/chain.js";
import { addSdkFlags, givenOf, parseLogLevel, sdkFlagWarnings } from "../../../host/cli/flags/sdk-flags.js";
import { makeProgram } from "../../../host/cli/program/program.js";
import { COMET_FLAGS, cometArgs } from "../../../host/node/comet/engine/flags.js";
import { contextOf } from "../../example-context.js";

const notes = contextOf(notesChain);

function parsed(...args: string[]): Command {
  const command = new Command("start");
  addSdkFlags(command);
  return command.parse(args, { from: "user" });
}

const given = (...args: string[]) => sdkFlagWarnings(parsed(...args), false);

test("sdkFlagWarnings() flags of a unit file → one warning each, with what to use in its place; none given → none", () => {
  expect(given()).toEqual([]);
  expect(given("--pruning", "nothing", "--halt-time", "9", "--p2p.seeds", "a@b:1")).toEqual([
    "--halt-time has no effect here: use --halt-height",
    "--p2p.seeds has no effect here: there are no peers",
    "--pruning has no effect here: use --keep-versions",
  ]);
});

test("flags of peers with CometBFT as the engine → no warning, and passed on to it as they were given", () => {
  const command = parsed("--p2p.seeds", "a@b:1", "--p2p.laddr", "tcp://0.0.0.0:5", "--halt-time", "9");
  expect(sdkFlagWarnings(command, true)).toEqual(["--halt-time has no effect here: use --halt-height"]);
  expect(cometArgs(givenOf(command))).toEqual(["--p2p.laddr=tcp://0.0.0.0:5", "--p2p.seeds=a@b:1"]);
  expect(cometArgs(givenOf(parsed()))).toEqual([]);
});

test("switches of CometBFT, on and off → passed on as they were given", () => {
  const command = parsed("--p2p.pex", "--priv_validator_laddr", "tcp://127.0.0.1:9");
  // As the command line takes a switch that is turned off.
  command.setOptionValueWithSource("consensus.create_empty_blocks", false, "cli");
  expect(sdkFlagWarnings(command, true)).toEqual([]);
  expect(cometArgs(givenOf(command))).toEqual([
    "--consensus.create_empty_blocks=false",
    "--p2p.pex=true",
    "--priv_validator_laddr=tcp://127.0.0.1:9",
  ]);
});

test("peers that the environment or app.toml gives → passed on too; a default is not", () => {
  const command = parsed();
  command.setOptionValueWithSource("p2p.persistent_peers", "a@b:1", "env");
  command.setOptionValueWithSource("p2p.seeds", "c@d:1", "config");
  command.setOptionValueWithSource("p2p.pex", true, "default");
  expect(cometArgs(givenOf(command))).toEqual(["--p2p.persistent_peers=a@b:1", "--p2p.seeds=c@d:1"]);
});

test("each flag that is passed on is one that `start` takes, and its help names it", async () => {
  const start = (await makeProgram(notes, ["start"], "1.0.0")).commands.find((each) => each.name() === "start");
  const known = start?.options.map(({ long }) => long);
  for (const name of COMET_FLAGS) {
    expect(known).toContain(`--${name}`);
    expect(start?.helpInformation().split("Usage:")[0]).toContain(`--${name}`);
  }
});

test.each<[string, string]>([
  ["info", "info"],
  ["*:info,p2p:error", "info"],
  ["p2p:error,*:warn", "warn"],
  ["none", "silent"],
])("parseLogLevel() %s → %s", (text, level) => {
  expect(parseLogLevel(text)).toBe(level);
});

test.each(["", "loud", "p2p:error", "*:loud"])("parseLogLevel() %j → refused with the choices", (text) => {
  expect(() => parseLogLevel(text)).toThrow("Allowed choices are trace, debug");
});
