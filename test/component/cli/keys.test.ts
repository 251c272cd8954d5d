import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandLine } from "../../e2e/command-line.js";

import { ADDRESS, MNEMONIC } from "../../e2e/known-key.js";

const PASSWORD = "correct horse";
const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? "";

describe("keys", () => {
  test("a sealed key from a mnemonic, both by pipe; used with its password, refused without", async () => {
    const line = new CommandLine();
    line.env["CHAIND_KEYRING_BACKEND"] = "file";
    const lines = `${MNEMONIC}\n${PASSWORD}\n${PASSWORD}\n`;
    const added = await line.run(["keys", "add", "alice", "--recover", "-o", "json"], lines);
    expect(added.exit, added.stderr).toBe(0);
    expect(JSON.parse(added.stdout)).toMatchObject({ name: "alice", address: ADDRESS });
    expect(added.stdout + added.stderr).not.toContain("abandon abandon");
    expect(await line.text("keys", "show", "alice", "-a")).toBe(`${ADDRESS}\n`);
    const words = ["keys", "export", "alice", "--unarmored-hex", "--unsafe"];
    expect((await line.run(words, `${PASSWORD}\n`)).stdout).toMatch(/^c4a48e2f[0-9a-f]{56}\n$/);
    for (const input of ["", "\n", "wrong password\n"]) {
      const refused = await line.run(words, input);
      expect([refused.exit, refused.stdout]).toEqual([2, ""]);
    }
    expect((await line.run(["keys", "export", "alice"])).exit).toBe(2);
  });

  test("keys add --help → its example that reads a file can be typed", async () => {
    const line = new CommandLine();
    delete line.env["CHAIND_KEYRING_BACKEND"];
    const help = await line.text("keys", "add", "--help");
    const [, words = ""] = /chaind (keys add alice --recover .*) < mnemonic\.txt/.exec(help) ?? [];
    const added = await line.run(words.split(" "), `${MNEMONIC}\n`);
    expect([added.exit, added.stderr]).toEqual([0, ""]);
    expect(added.stdout).toContain(ADDRESS);
  });

  test("keys delete of a sealed keyring → its password first, then a yes; with a wrong one nothing is deleted", async () => {
    const line = new CommandLine();
    line.env["CHAIND_KEYRING_BACKEND"] = "file";
    await line.run(["keys", "add", "dora"], `${PASSWORD}\n${PASSWORD}\n`);
    const committee = ["keys", "add", "committee", "--multisig", "dora", "--multisig-threshold", "1"];
    expect((await line.run(committee)).exit).toBe(0);
    for (const name of ["dora", "committee"]) {
      const wrong = await line.run(["keys", "delete", name, "--yes"], "wrong\n");
      expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining("password")]);
      expect((await line.run(["keys", "delete", name], `${PASSWORD}\nn\n`)).exit).toBe(2);
      expect((await line.run(["keys", "show", name])).exit).toBe(0);
    }
    expect((await line.run(["keys", "delete", "committee", "--yes"], `${PASSWORD}\n`)).exit).toBe(0);
    expect((await line.run(["keys", "delete", "dora"], `${PASSWORD}\ny\n`)).exit).toBe(0);
    expect((await line.text("keys", "list", "-n")).trim()).toBe("");
  });

  test("keys add → the mnemonic on stderr for people, in the answer for machines, and never again", async () => {
    const line = new CommandLine();
    const text = await line.run(["keys", "add", "alice"]);
    expect(lastLine(text.stderr).split(" ")).toHaveLength(24);
    expect(text.stdout).not.toContain(lastLine(text.stderr));
    const json = await line.json("keys", "add", "bob");
    expect(Object.keys(json)).toEqual(["name", "type", "address", "pubkey", "mnemonic"]);
    expect(await line.json("keys", "show", "bob")).not.toHaveProperty("mnemonic");
    expect((await line.run(["keys", "add", "bob"])).exit).toBe(2);
    expect((await line.run(["keys", "delete", "bob"], "n\n")).exit).toBe(2);
    expect((await line.run(["keys", "delete", "bob"], "y\n")).exit).toBe(0);
    expect((await line.run(["keys", "show", "bob"])).exit).toBe(3);
  });
});

describe("a keyring that simd wrote in the same folder", () => {
  const simd = JSON.parse(readFileSync("test/unit/cli/keyring/sdk-keyring.json", "utf8")) as {
    readonly files: Readonly<Record<string, string>>;
    readonly armor: string;
  };

  test("keys list, show and --from name its keys; migrate copies them; list reports what is left", async () => {
    const line = new CommandLine();
    for (const [file, text] of Object.entries(simd.files)) {
      mkdirSync(dirname(join(line.home, file)), { recursive: true });
      writeFileSync(join(line.home, file), text);
    }
    for (const words of ["keys list", "keys list -n", "keys show sk", `tx bank send sk ${ADDRESS} 1ustake --yes`]) {
      const refused = await line.run(words.split(" "));
      expect([refused.exit, refused.stdout], words).toEqual([3, ""]);
      expect(refused.stderr, words).toMatch(/ms, pub, sk.*keys migrate/);
    }
    expect((await line.run(["keys", "migrate", "absent"])).exit).toBe(3);
    expect(await line.json("keys", "migrate", "sk")).toMatchObject([{ name: "sk", type: "local", address: ADDRESS }]);
    const listed = await line.run(["keys", "list", "-n"]);
    expect([listed.exit, listed.stdout]).toEqual([0, "sk\n"]);
    expect(listed.stderr).toContain("wrote: ms, pub.");
    expect(await line.json("keys", "migrate")).toHaveLength(2);
    expect((await line.run(["keys", "migrate"])).exit).toBe(3);
    expect((await line.run(["keys", "list"])).stderr).toBe("");
  });

  test("keys import reads the armor of simd keys export", async () => {
    const line = new CommandLine();
    const file = join(line.home, "sk.armor");
    mkdirSync(line.home, { recursive: true });
    writeFileSync(file, simd.armor);
    expect((await line.run(["keys", "import", "sk", file], "wrong\n")).exit).toBe(2);
    expect((await line.run(["keys", "import", "sk", `${file}.absent`], "wrong\n")).exit).toBe(2);
    expect((await line.run(["keys", "import", "sk", file], "armour password\n")).exit).toBe(0);
    expect(await line.text("keys", "show", "sk", "-a")).toBe(`${ADDRESS}\n`);
  });
});

describe("a question that nobody answers", () => {
  test("keys add at the end of a pipe → 2, what was asked and how to answer it", async () => {
    const line = new CommandLine();
    await line.json("init", "one");
    const { exit, stderr } = await line.run(["keys", "add", "carol", "--keyring-backend", "file"], "");
    expect(exit).toBe(2);
    expect(stderr).toContain('no answer to "A new password for the keyring in ');
    expect(stderr).toContain("run the command at a terminal, or pipe the answers to it, a line each");
  });
});
