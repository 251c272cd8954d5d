import "../../serve-chain.js";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { configPath, configValue, readConfig, writeSetting } from "../../../host/shell/config-file.js";

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-config-"));
const TEXT =
  '# a comment\nnode = "old" # beside\ncount = 3\n\n[api]\n# inside\nenable = true\naddress = "a"\n\n[rpc]\nladdr = "b"\n';
const text = () => readFileSync(configPath(home, "client"), "utf8");

beforeEach(() => {
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(configPath(home, "client"), TEXT);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("writeSetting()", () => {
  test("changes one line and leaves all others as they are", () => {
    writeSetting(home, "client", "api.address", "tcp://[::]:1");
    expect(text()).toBe(TEXT.replace('address = "a"', 'address = "tcp://[::]:1"'));
    writeSetting(home, "client", "count", "12");
    expect(text()).toContain("\ncount = 12\n");
    writeSetting(home, "client", "api.enable", "false");
    expect(text()).toContain("\nenable = false\n");
  });

  test("a setting that is absent is added to its table, and the table too", () => {
    writeSetting(home, "client", "fresh", 'a "quoted" \\ text');
    writeSetting(home, "client", "api.more", "1");
    writeSetting(home, "client", "grpc.address", "x");
    const table = readConfig(home, "client");
    expect(configValue(table, "fresh")).toBe('a "quoted" \\ text');
    expect(table["api"]).toEqual({ enable: true, address: "a", more: "1" });
    expect(table["grpc"]).toEqual({ address: "x" });
    expect(table["rpc"]).toEqual({ laddr: "b" });
  });

  test("in a home without the file it makes one", () => {
    rmSync(configPath(home, "client"));
    writeSetting(home, "client", "node", "n");
    expect(text()).toBe('node = "n"\n');
  });

  test.each(["", "a b", "a.b.c", "__proto__.x", "a\nb"])(
    "key %j → UPG_INVALID_CONFIG, or nothing but that key changes",
    (key) => {
      try {
        writeSetting(home, "client", key, "v");
      } catch (error) {
        expect(error).toMatchObject({ code: "UPG_INVALID_CONFIG" });
        expect(text()).toBe(TEXT);
        return;
      }
      expect(configValue(readConfig(home, "client"), key)).toBe("v");
    },
  );

  test("a broken file is refused and stays as it is", () => {
    writeFileSync(configPath(home, "client"), "node = \n");
    expect(() => writeSetting(home, "client", "node", "x")).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_CONFIG" }),
    );
    expect(text()).toBe("node = \n");
  });
});

describe("configValue()", () => {
  test("texts, numbers, switches and lists as text; strangers as nothing", () => {
    const table = { a: "x", b: 1, c: true, d: ["1", "2"], e: { f: "y" } };
    expect(["a", "b", "c", "d", "e.f"].map((key) => configValue(table, key))).toEqual(["x", "1", "true", "1,2", "y"]);
    expect(["z", "e.z", "z.z", "toString", "e.constructor"].map((key) => configValue(table, key))).toEqual(
      Array(5).fill(undefined),
    );
  });

  test("a setting that is a table or a date, a table that is none, a list of lists → UPG_INVALID_CONFIG with its name", () => {
    for (const [toml, key, named] of [
      ["keep = { a = 1 }", "keep", "keep"],
      ["keep = 1979-05-27T07:32:00Z", "keep", "keep"],
      ["keep = 07:32:00", "keep", "keep"],
      ["api = 5", "api.address", "api"],
      ["[[api]]\naddress = 'a'", "api.address", "api"],
      ["[api]\naddress = [1, { a = 1 }]", "api.address", "api.address"],
      ["[api]\naddress = [['a']]", "api.address", "api.address"],
    ] as const) {
      writeFileSync(configPath(home, "client"), toml);
      expect(() => configValue(readConfig(home, "client"), key), toml).toThrow(
        expect.objectContaining({
          code: "UPG_INVALID_CONFIG",
          message: expect.stringContaining(`the setting ${named} has a wrong type`),
        }),
      );
    }
  });
});
