/** Usage errors in the Cosmos SDK's words. */
import { describe, expect, test } from "vitest";
import { Cobra } from "../../../host/base/terminal/cobra.js";

function program(): Cobra {
  const root = new Cobra("chaind").exitOverride();
  root.command("one").argument("<a>");
  root.command("two").argument("<a>").argument("[b]");
  root.command("many").argument("<file...>");
  root.command("scenes").argument("[file]").option("--fixture <file...>").option("--gas");
  return root;
}

describe("a wrong number of arguments", () => {
  test.each([
    [["one"], "accepts 1 arg(s), received 0; see `chaind one --help`"],
    [["two", "a", "b", "c"], "accepts between 1 and 2 arg(s), received 3; see `chaind two --help`"],
    [
      ["scenes", "--fixture=a", "b", "c"],
      "accepts between 0 and 1 arg(s), received 2 (repeat --fixture before each of its values); see `chaind scenes --help`",
    ],
    [["scenes", "b", "c"], "accepts between 0 and 1 arg(s), received 2; see `chaind scenes --help`"],
    [["many"], "requires at least 1 arg(s), only received 0; see `chaind many --help`"],
  ])("%j → %s", async (args, message) => {
    const run = program().parseAsync(args, { from: "user" });
    await expect(run).rejects.toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", message }));
  });
});
