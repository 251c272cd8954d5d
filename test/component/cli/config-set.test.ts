import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProgram } from "../../../host/cli/program/program.js";
import { CommandLine } from "../../e2e/command-line.js";
import { exampleContext } from "../../example-context.js";

describe("config set", () => {
  test.each([
    [["client", "nod", "x"], 'there is no setting "nod" in client.toml (did you mean "node"?)'],
    [["nod", "x"], 'there is no setting "nod" in client.toml (did you mean "node"?)'],
    [["app", "api.adress", "x"], 'there is no setting "api.adress" in app.toml (did you mean "api.address"?)'],
    [["app", "frobnicate", "x"], 'there is no setting "frobnicate" in app.toml; see'],
    [["client", "halt-height", "5"], "halt-height is a setting of app.toml: `chaind config set app halt-height"],
    [["app", "node", "x"], "node is a setting of client.toml: `chaind config set client node"],
    [["client", "home", "/x"], 'there is no setting "home" in client.toml'],
  ])("%j → 2, and the file is as it was", async (args, message) => {
    const line = new CommandLine();
    await line.json("init", "one");
    const files = () =>
      ["client", "app"].map((name) => readFileSync(join(line.home, "config", `${name}.toml`), "utf8"));
    const before = files();
    const { exit, stderr } = await line.run(["config", "set", ...args]);
    expect(stderr).toContain(message);
    expect(exit).toBe(2);
    expect(files()).toEqual(before);
  });

  test("a value that no command takes → 2 and what is expected, and the file is as it was", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    const files = () =>
      ["client", "app"].map((name) => readFileSync(join(line.home, "config", `${name}.toml`), "utf8"));
    const before = files();
    const wrong: readonly [args: readonly string[], message: string][] = [
      [["client", "node", "tcp://"], 'invalid value "tcp://" of the setting node: "tcp://" is no address of a node'],
      [["client", "broadcast-mode", "later"], 'invalid value "later" of the setting broadcast-mode'],
      [["app", "api.address", "nowhere"], "of the setting api.address: expected an address such as"],
      [["app", "rpc.laddr", '"'], "of the setting rpc.laddr: "],
      [["app", "rpc.laddr", "nowhere"], "of the setting rpc.laddr: "],
      [["app", "api.enable", "maybe"], 'invalid value "maybe" of the setting api.enable: expected true or false'],
      [["app", "block-time", "soon"], "of the setting block-time: expected a duration such as"],
      [["app", "halt-height", "-1"], "of the setting halt-height: expected a block height"],
      [["app", "minimum-gas-prices", "one stake"], 'invalid value "one stake" of the setting minimum-gas-prices'],
      [["app", "limits.max-requests", "0"], "of the setting limits.max-requests: expected more than 0"],
      [["app", "index-events", "[1]"], 'invalid value "[1]" of the setting index-events: expected a,b or ["a", "b"]'],
      [["app", "rpc.cors-allowed-origins", '["https://a"'], "expected a,b or"],
    ];
    for (const [args, message] of wrong) {
      const { exit, stderr } = await line.run(["config", "set", ...args]);
      expect(stderr).toContain(message);
      expect(exit).toBe(2);
    }
    expect(files()).toEqual(before);
    const two = before[1]?.replace("cors-allowed-origins = []", 'cors-allowed-origins = ["https://a", "https://b"]');
    for (const [value, file] of [
      ["https://a,https://b", two],
      ["[]", before[1]],
      ['["https://a", "https://b"]', two],
    ] as const) {
      expect((await line.run(["config", "set", "app", "rpc.cors-allowed-origins", value])).exit).toBe(0);
      expect(files()[1]).toBe(file);
    }
  });

  test("every setting that init writes → taken, under its own value", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    for (const name of ["client", "app"]) {
      const settings = await line.json("config", "view", name, "--sources");
      for (const [key, { value }] of Object.entries(settings as Record<string, { value: string }>)) {
        // In this process: there are seventy of them.
        const args = ["config", "set", name, key, value, "--home", line.home];
        const program = await makeProgram(exampleContext, args, "0.0.0");
        await expect(program.parseAsync(args, { from: "user" }), `${name} ${key}`).resolves.toBeDefined();
      }
    }
    expect(await line.json("config", "view", "app")).toBeDefined();
  });
});
