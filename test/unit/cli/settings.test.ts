import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readyArguments } from "../../../host/base/terminal/arguments.js";
import { Cobra } from "../../../host/base/terminal/cobra.js";
import { parseCount } from "../../../host/base/terminal/options.js";
import { envName, settle } from "../../../host/base/terminal/settings.js";

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-settings-"));
beforeAll(() => {
  mkdirSync(join(home, "config"));
  writeFileSync(
    join(home, "config", "client.toml"),
    'node = "file"\nyes = true\nhome = "elsewhere"\ncount = 7\noutput = ""\n',
  );
  writeFileSync(join(home, "config", "app.toml"), '[api]\naddress = "from app.toml"\n');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a command sees of its flags. */
async function seen(
  args: readonly string[],
  env: Record<string, string> = {},
  defaultHome = home,
): Promise<Record<string, unknown>> {
  let flags: Record<string, unknown> = {};
  const root = new Cobra("chaind")
    .option("--home <string>", "", defaultHome)
    .option("-o, --output <string>")
    .exitOverride();
  const take = (_: unknown, command: Cobra) => {
    flags = command.optsWithGlobals();
  };
  const ask = root.command("ask").option("--node <string>", "", "default").option("-y, --yes").option("--no-validate");
  ask.option("--count <n>", "", parseCount, 1).action(take);
  root.command("pre-upgrade").option("--api.address <string>", "", "default").action(take);
  const start = root.command("start").option("--api.address <string>", "", "default");
  start.option("--index-events <events>").action(take);
  const ready = readyArguments(args, root);
  root.hook("preAction", (_, command) => settle(command, { env, off: ready.off }));
  await root.parseAsync(ready.args, { from: "user" });
  return flags;
}

const elsewhere = ["--home", join(home, "none")];

describe("settle()", () => {
  test("a wrong value on the command line or in the environment → one message, without a stray full stop", async () => {
    await expect(seen(["ask", "--count", "x"])).rejects.toThrow(
      'invalid argument "x" for "--count" flag: expected a whole number; see `chaind ask --help`',
    );
    await expect(seen(["ask"], { CHAIND_COUNT: "x" })).rejects.toThrow(/CHAIND_COUNT: expected a whole number$/);
  });

  test("flag > environment > file > default", async () => {
    const env = { CHAIND_NODE: "env" };
    expect(await seen(["ask", "--node", "flag"], env)).toMatchObject({ node: "flag" });
    expect(await seen(["ask"], env)).toMatchObject({ node: "env" });
    expect(await seen(["ask"])).toMatchObject({ node: "file" });
    expect(await seen(["ask", ...elsewhere])).toMatchObject({ node: "default" });
  });

  test("the environment names the home whose file is read", async () => {
    expect(await seen(["ask"], { CHAIND_HOME: join(home, "none") })).toMatchObject({ node: "default" });
    expect(await seen(["ask", "--home", home], { CHAIND_HOME: "none" })).toMatchObject({ node: "file" });
  });

  test("pre-upgrade under Cosmovisor → the home and its app.toml are those of DAEMON_HOME, unless another one is named", async () => {
    const env = { DAEMON_HOME: home };
    const elsewhereIsDefault = { ...env, CHAIND_HOME: "" };
    for (const args of [["pre-upgrade"], ["pre-upgrade", "--home", home]]) {
      expect(await seen(args, elsewhereIsDefault, join(home, "none"))).toMatchObject({
        home,
        "api.address": "from app.toml",
      });
    }
    const other = { home: join(home, "none"), "api.address": "default" };
    expect(await seen(["pre-upgrade", ...elsewhere], env, home)).toMatchObject(other);
    expect(await seen(["pre-upgrade"], { ...env, CHAIND_HOME: join(home, "none") }, home)).toMatchObject(other);
    expect(await seen(["start"], env, join(home, "none"))).toMatchObject(other);
  });

  test("under a sidecar of this program → the home of every command is DAEMON_HOME; under another's it is not", async () => {
    const env = { DAEMON_HOME: home, DAEMON_NAME: "chaind" };
    const none = join(home, "none");
    expect(await seen(["start"], env, none)).toMatchObject({ home, "api.address": "from app.toml" });
    expect(await seen(["ask"], { ...env, CHAIND_HOME: "" }, none)).toMatchObject({ home, node: "file" });
    const other = { home: none, "api.address": "default" };
    expect(await seen(["start", ...elsewhere], env, home)).toMatchObject(other);
    expect(await seen(["start"], { ...env, CHAIND_HOME: none }, home)).toMatchObject(other);
    expect(await seen(["start"], { ...env, DAEMON_NAME: "simd" }, none)).toMatchObject(other);
    expect(await seen(["start"], { ...env, DAEMON_HOME: "" }, none)).toMatchObject(other);
  });

  test("the unit file of operate.md → its environment names the home that `start` takes", async () => {
    const page = readFileSync("docs/operate.md", "utf8");
    const unit = page.slice(page.indexOf("# /etc/systemd/system/chaind.service"));
    const lines = unit.slice(0, unit.indexOf("```")).matchAll(/^Environment=([A-Z_]+)=(.*)$/gm);
    const env = Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]));
    expect(await seen(["start"], env, home)).toMatchObject({ home: "/var/lib/chaind" });
  });

  test("switches: true, 1, false, 0; turned off on the command line counts more", async () => {
    expect(await seen(["ask"], { CHAIND_YES: "1", CHAIND_NO_VALIDATE: "true" })).toMatchObject({
      yes: true,
      validate: false,
    });
    expect(await seen(["ask", "--yes=false"], { CHAIND_YES: "true" })).toMatchObject({ yes: false });
    expect(await seen(["ask", "--no-validate=false"], { CHAIND_NO_VALIDATE: "true" })).toMatchObject({
      validate: true,
    });
    expect(await seen(["ask"], { CHAIND_YES: "0" })).toMatchObject({ yes: false });
  });

  test("a file answers no question for a person and moves no home; what is empty counts as not there", async () => {
    const flags = await seen(["ask"], { CHAIND_OUTPUT: "" });
    expect(flags).toMatchObject({ home });
    expect(flags["yes"]).toBeUndefined();
    expect(flags["output"]).toBeUndefined();
  });

  test("values are parsed as those of flags; `start` reads app.toml, tables by a dot", async () => {
    expect(await seen(["ask"])).toMatchObject({ count: 7 });
    expect(await seen(["ask"], { CHAIND_COUNT: "8" })).toMatchObject({ count: 8 });
    expect(await seen(["start"])).toMatchObject({ "api.address": "from app.toml" });
    expect(envName("--api.address", "CHAIND_")).toBe("CHAIND_API_ADDRESS");
  });

  test.each([
    ["client", ["ask"], 'node = ["a"]', "node has a wrong type: expected a text or a number"],
    ["client", ["ask"], "node = []", "node has a wrong type: expected a text or a number"],
    ["client", ["ask"], "node = true", "node has a wrong type: expected a text or a number"],
    ["client", ["ask"], "no-validate = [true]", "no-validate has a wrong type: expected true or false"],
    ["app", ["start"], '[api]\naddress = ["a"]', "api.address has a wrong type: expected a text or a number"],
    ["app", ["start"], "index-events = true", "index-events has a wrong type: expected a text or a list of them"],
  ])("%s.toml, %j with %j → UPG_INVALID_CONFIG: %s", async (file, args, text, message) => {
    const wrong = join(home, "wrong");
    mkdirSync(join(wrong, "config"), { recursive: true });
    writeFileSync(join(wrong, "config", `${file}.toml`), text);
    await expect(seen([...args, "--home", wrong])).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: `the setting ${message}`,
    });
  });

  test("a number for a text, a list for a flag of several values → taken", async () => {
    const own = join(home, "own");
    mkdirSync(join(own, "config"), { recursive: true });
    writeFileSync(join(own, "config", "client.toml"), "node = 5\n");
    writeFileSync(join(own, "config", "app.toml"), 'index-events = ["a.b", "c.d"]\n');
    expect(await seen(["ask", "--home", own])).toMatchObject({ node: "5" });
    expect(await seen(["start", "--home", own])).toMatchObject({ indexEvents: "a.b,c.d" });
  });

  test("wrong values name where they come from", async () => {
    await expect(seen(["ask"], { CHAIND_COUNT: "x" })).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringContaining("CHAIND_COUNT"),
    });
    await expect(seen(["ask"], { CHAIND_YES: "maybe" })).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    const broken = join(home, "broken");
    mkdirSync(join(broken, "config"), { recursive: true });
    writeFileSync(join(broken, "config", "client.toml"), "a = 1\nnode = [\n");
    await expect(seen(["ask", "--home", broken])).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining("client.toml, line"),
    });
  });
});
