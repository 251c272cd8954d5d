/** Unit files of Cosmos SDK nodes: their flags of `start`, and their way to name a log level. */
import { Command } from "commander";
import { expect, test } from "vitest";
import { addSdkFlags, parseLogLevel, sdkFlagWarnings } from "../../../host/cli/sdk-flags.js";

function given(...args: string[]): string[] {
  const command = new Command("start");
  addSdkFlags(command);
  command.parse(args, { from: "user" });
  return sdkFlagWarnings(command);
}

test("sdkFlagWarnings() flags of a unit file → one warning each, with what to use in its place; none given → none", () => {
  expect(given()).toEqual([]);
  expect(given("--pruning", "nothing", "--halt-time", "9", "--transport", "socket")).toEqual([
    "--halt-time has no effect here: use --halt-height",
    "--pruning has no effect here: use --keep-versions",
    "--transport has no effect here: there is no ABCI connection",
  ]);
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
