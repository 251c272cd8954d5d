import { describe, expect, test } from "vitest";
import { readyArguments } from "../../../host/base/terminal/arguments.js";
import { Cobra } from "../../../host/base/terminal/cobra.js";

function program(): Cobra {
  const root = new Cobra("chaind").option("-o, --output <string>").option("--log_format <string>").option("--trace");
  const send = root.command("send").option("-y, --yes").option("--upgrade-height <int>").option("--no-validate");
  send.option("--note <string>").option("-a, --account-number <uint>").option("--validator [power]");
  send.option("--rehearsal [file]");
  return root;
}

const ready = (...args: string[]) => readyArguments(args, program()).args;

describe("readyArguments()", () => {
  test.each([
    [["-o", "json"], ["--output=json"]],
    [["-o=json"], ["--output=json"]],
    [["-ojson"], ["--output=json"]],
    [["--output", "json"], ["--output=json"]],
    [["--output=json"], ["--output=json"]],
    [["--json"], ["--output=json"]],
    [
      ["-yo", "json"],
      ["--yes", "--output=json"],
    ],
    [
      ["-y", "-a=7"],
      ["--yes", "--account-number=7"],
    ],
    [["--upgrade-height", "-5"], ["--upgrade-height=-5"]],
    [["--upgrade_height=-5"], ["--upgrade-height=-5"]],
    [["--log-format", "json"], ["--log_format=json"]],
    [["--log_format", "json"], ["--log_format=json"]],
    [["--note", "--yes"], ["--note=--yes"]],
    [["--note", ""], ["--note="]],
    [["--note=a=b"], ["--note=a=b"]],
    [["--yes=true"], ["--yes"]],
    [
      ["send", "-5", "x"],
      ["send", "-5", "x"],
    ],
    [
      ["--unknown", "-x=1"],
      ["--unknown", "-x=1"],
    ],
    [["--note"], ["--note"]],
    [
      ["a", "--", "-o", "json"],
      ["a", "--", "-o", "json"],
    ],
    [
      ["--validator", "50", "a"],
      ["--validator=50", "a"],
    ],
    [
      ["--validator", "alice", "1x"],
      ["alice", "1x", "--validator"],
    ],
    [
      ["--validator=50", "a"],
      ["--validator=50", "a"],
    ],
    [
      ["send", "v2", "--rehearsal", "v2.json", "--yes"],
      ["send", "v2", "--rehearsal=v2.json", "--yes"],
    ],
    [["--rehearsal", "-"], ["--rehearsal=-"]],
    [
      ["send", "--rehearsal", "--yes", "v2"],
      ["send", "--yes", "v2", "--rehearsal"],
    ],
    [["--rehearsal"], ["--rehearsal"]],
  ])("%j → %j", (given, expected) => expect(ready(...given)).toEqual(expected));

  test("--yes=false → no flag, and it counts as turned off; a later --yes turns it on again", () => {
    expect(readyArguments(["send", "--yes=false"], program())).toEqual({ args: ["send"], off: new Set(["--yes"]) });
    expect(readyArguments(["--no-validate=0"], program()).off).toEqual(new Set(["--no-validate"]));
    expect(readyArguments(["--yes=false", "--yes"], program())).toEqual({ args: ["--yes"], off: new Set() });
  });

  test("--yes=maybe → UPG_INVALID_ARGUMENT", () => {
    expect(() => ready("--yes=maybe")).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
  });
});
