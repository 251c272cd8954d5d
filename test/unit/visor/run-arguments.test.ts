/** What of the command line is the application's: all after `run`, but the file of settings. */
import { describe, expect, test } from "vitest";
import { splitArguments } from "../../../host/visor/decide/run-arguments.js";

describe("splitArguments()", () => {
  test.each<[string, string[], string[], string[] | undefined]>([
    ["another command", ["add-upgrade", "run", "x"], ["add-upgrade", "run", "x"], undefined],
    ["no command", ["--help"], ["--help"], undefined],
    [
      "flags of both",
      ["--home", "/h", "run", "start", "--home", "/h"],
      ["--home", "/h", "run"],
      ["start", "--home", "/h"],
    ],
    ["a value that is called run", ["--name", "run", "run", "start"], ["--name", "run", "run"], ["start"]],
    ["help of the application", ["run", "start", "--help", "-o", "json"], ["run"], ["start", "--help", "-o", "json"]],
    ["nothing after it", ["run"], ["run"], []],
    [
      "the file",
      ["run", "start", "--cosmovisor-config", "/c", "-x"],
      ["--chainvisor-config", "/c", "run"],
      ["start", "-x"],
    ],
    [
      "one dash, other case",
      ["run", "-Cosmovisor-Config", "/c", "start"],
      ["--chainvisor-config", "/c", "run"],
      ["start"],
    ],
    ["its own name", ["run", "start", "--chainvisor-config", "/c"], ["--chainvisor-config", "/c", "run"], ["start"]],
    [
      "the form with =",
      ["run", "start", "--cosmovisor-config=/c", "-c", "/d"],
      ["run"],
      ["start", "--cosmovisor-config=/c", "-c", "/d"],
    ],
  ])("%s → split", (_case, args, own, app) => {
    expect(splitArguments(args)).toEqual({ own, app });
  });

  test("the file's flag at the end → Cosmovisor's words", () => {
    expect(() => splitArguments(["run", "start", "--cosmovisor-config"])).toThrow(
      "--cosmovisor-config requires an argument",
    );
  });
});
