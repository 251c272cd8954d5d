/** CometBFT's own files in a home: which of them must be there, and be whole, before CometBFT is started. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Home } from "../../../../host/node/home/home.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { genesisText } from "../../../scenario/genesis-text.js";
import { node, program } from "./running-node.js";
import { folder } from "./served.js";

describe("CometBFT's own files", () => {
  const start = async (change: (home: Home) => void, isNew = true) => {
    const home = new Home(mkdtempSync(join(folder, "files-")));
    makeHome(home.path, genesisText());
    change(home);
    writeFileSync(join(home.path, "end"), "");
    const running = await node({ isNew, comet: program(home) });
    const error = await running.end;
    return { home, error, said: running.said.join("\n"), hasStarted: existsSync(join(home.path, "started")) };
  };
  const damaged = (file: "nodeKeyFile" | "validatorKeyFile" | "lastSignedFile", text: string) => (home: Home) =>
    writeFileSync(home[file], text);

  test.each([
    ["an empty node key", damaged("nodeKeyFile", ""), "UPG_INVALID_CONFIG"],
    ["a node key without a key", damaged("nodeKeyFile", "{}"), "UPG_INVALID_CONFIG"],
    ["an empty consensus key", damaged("validatorKeyFile", ""), "UPG_INVALID_CONFIG"],
    ["an empty record of what was signed", damaged("lastSignedFile", ""), "UPG_STORE_CORRUPT"],
  ])("%s → %s, and CometBFT is not started", async (_what, change, code) => {
    expect(await start(change)).toMatchObject({ error: { code }, hasStarted: false });
  });

  test("no record of what was signed: on a new chain it is made; later → UPG_INVALID_CONFIG that says what to do", async () => {
    const without = (home: Home) => rmSync(home.lastSignedFile);
    const { home, ...made } = await start(without);
    expect(made).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
    expect(existsSync(home.lastSignedFile)).toBe(true);
    const later = await start(without, false);
    expect(later).toMatchObject({ error: { code: "UPG_INVALID_CONFIG" }, hasStarted: false });
    expect((later.error as Error).message).toContain("restore");
  });

  test("a consensus key that has signed is missing → UPG_INVALID_CONFIG, its record stays; the record moved away → CometBFT starts", async () => {
    const record = '{ "height": "7", "round": 0, "step": 3 }';
    const without = (keepsRecord: boolean) => (home: Home) => {
      rmSync(home.validatorKeyFile);
      if (keepsRecord) writeFileSync(home.lastSignedFile, record);
      else rmSync(home.lastSignedFile);
    };
    const { home, ...lost } = await start(without(true), false);
    expect(lost).toMatchObject({ error: { code: "UPG_INVALID_CONFIG" }, hasStarted: false });
    expect((lost.error as Error).message).toMatch(
      /is missing, and it has signed up to height 7 .*restore it from your backup/,
    );
    expect(readFileSync(home.lastSignedFile, "utf8")).toBe(record);
    expect(await start(without(false), false)).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
  });

  test("a node key that is missing once there are blocks → a warning that the id changes", async () => {
    const { said, hasStarted } = await start((home) => rmSync(home.nodeKeyFile), false);
    expect(said).toMatch(/^warn .*node_key\.json is missing: CometBFT makes another one/m);
    expect(hasStarted).toBe(true);
  });

  test("a key that has signed, on a chain without a block → a warning that names the height; none once there are blocks", async () => {
    const signed = damaged("lastSignedFile", '{ "height": "7", "round": 0, "step": 3 }');
    const begun = await start(signed);
    expect(begun).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
    expect(begun.said).toMatch(/^warn .*has signed up to height 7/m);
    expect((await start(signed, false)).said).not.toContain("has signed");
    expect((await start(() => undefined)).said).not.toContain("has signed");
  });

  test("files that CometBFT's settings have elsewhere → looked at there", async () => {
    const state = (text: string) => (home: Home) => {
      mkdirSync(join(home.path, "signed"));
      writeFileSync(join(home.path, "signed/state.json"), text);
      rmSync(home.lastSignedFile);
      writeFileSync(home.nodeKeyFile, "");
      const lines = ['priv_validator_state_file = "signed/state.json"', 'node_key_file = "/none/key.json"', ""];
      writeFileSync(join(home.configFolder, "config.toml"), lines.join("\n"));
    };
    const whole = await start(state('{ "height": "3", "round": 0, "step": 3 }'), false);
    expect(whole).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
    expect(await start(state(""), false)).toMatchObject({ error: { code: "UPG_STORE_CORRUPT" }, hasStarted: false });
  });

  test("no keys at all → they are CometBFT's to make", async () => {
    const without = (home: Home) => {
      for (const file of [home.nodeKeyFile, home.validatorKeyFile, home.lastSignedFile]) rmSync(file);
    };
    expect(await start(without, false)).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
  });
});
