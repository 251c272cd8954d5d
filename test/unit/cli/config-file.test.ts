import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { plainList, writeSetting } from "../../../host/base/terminal/config-edit.js";
import { configPath, configValue, readConfig } from "../../../host/base/terminal/config-file.js";
import { writeDefaultConfig } from "../../../host/cli/commands/config-defaults.js";

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

  test("a comment beside the value, its quotes, blanks and line ends → stay", () => {
    const layout =
      "# top\r\nnode  =  'old'   # beside\r\n\r\n  [api] # of REST\r\n  address = \"a\"# tight\r\n# end\r\n";
    writeFileSync(configPath(home, "client"), layout);
    writeSetting(home, "client", "node", "new");
    writeSetting(home, "client", "api.address", "b");
    expect(text()).toBe(layout.replace("'old'", "'new'").replace('"a"', '"b"'));
  });

  test("a list → stays a list, of what is between commas", () => {
    writeFileSync(configPath(home, "client"), "# before\nlist = [] # beside\n# after\n");
    writeSetting(home, "client", "list", "https://a, https://b");
    expect(readConfig(home, "client")).toEqual({ list: ["https://a", "https://b"] });
    expect(text()).toMatch(/^# before\nlist = \[.*\] # beside\n# after\n$/);
    writeSetting(home, "client", "list", "");
    expect(readConfig(home, "client")).toEqual({ list: [] });
  });

  test("plainList() of a list as the file has it, and as flags take it → the latter; of another setting → as it is", () => {
    const table = { list: ["x"], rpc: { list: [] }, text: "" };
    expect(plainList(table, "list", "a,b")).toBe("a,b");
    expect(plainList(table, "list", "[]")).toBe("");
    expect(plainList(table, "rpc.list", `['a', "b", ]`)).toBe("a,b");
    expect(plainList(table, "text", "[::1]")).toBe("[::1]");
    for (const wrong of ["[", "[a]", "[1]", '["a,b"]', '["a"]\nb = 1', "[[]]"]) {
      expect(() => plainList(table, "list", wrong)).toThrow(expect.objectContaining({ code: "UPG_INVALID_CONFIG" }));
    }
  });

  test("a number beyond what TOML's readers take exactly → text, which reads as that number", () => {
    writeSetting(home, "client", "count", "9007199254740993");
    expect(configValue(readConfig(home, "client"), "count")).toBe("9007199254740993");
  });

  test.each([
    ["a list with comments inside", 'list = [ "a", # one\n  "b" ]\n', "list", "z"],
    ["a table of that name", "[node]\nx = 1\n", "node", "z"],
    ["a value where the table would be", "api = 1\n", "api.address", "z"],
  ])("%s → as asked, or UPG_INVALID_CONFIG and the file as it was", (_, before, key, value) => {
    writeFileSync(configPath(home, "client"), before);
    try {
      writeSetting(home, "client", key, value);
    } catch (error) {
      expect(error).toMatchObject({ code: "UPG_INVALID_CONFIG" });
      expect(text()).toBe(before);
      return;
    }
    expect(configValue(readConfig(home, "client"), key)).toBe(value);
  });

  test("any settings, one after the other → each has its value, and every comment is still there", () => {
    const word = fc.string({ unit: "grapheme", maxLength: 20 }).filter((each) => !/[\u0000-\u001f\u007f]/.test(each));
    const keys = ["node", "count", "api.enable", "api.address", "rpc.laddr", "fresh", "grpc.address"] as const;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...keys), word), { maxLength: 4 }), (changes) => {
        writeFileSync(configPath(home, "client"), TEXT);
        for (const [key, value] of changes) writeSetting(home, "client", key, value);
        const table = readConfig(home, "client");
        for (const [key, value] of new Map(changes)) expect(configValue(table, key)).toBe(value);
        for (const comment of ["# a comment\n", "# beside\n", "# inside\n"]) expect(text()).toContain(comment);
      }),
      { numRuns: 30 },
    );
  });

  test("init with a name of any characters → settings that read as that name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (moniker) => {
        const fresh = mkdtempSync(join(home, "fresh-"));
        writeDefaultConfig("chaind", fresh, "demo-1", moniker);
        expect(readConfig(fresh, "app")["moniker"]).toBe(moniker);
      }),
      { numRuns: 20, examples: [["a\u007fb"], ['"\\\n\u0001']] },
    );
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
