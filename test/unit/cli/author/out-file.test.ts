/** Where `--out` may write: an ordinary file, a link to one, or a new one; never a pipe, and nothing that is read for it. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { outFile, writeOutFile } from "../../../../host/cli/author/out-file.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-out-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string) => join(root, name);
const refusal = (words: string) =>
  expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(words) });

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  writeFileSync(at("old"), "old");
});

describe("writeOutFile()", () => {
  test("a new file, an ordinary one → written, replaced", () => {
    for (const name of ["new", "old"]) {
      writeOutFile(at(name), utf8("new"));
      expect(readFileSync(at(name), "utf8")).toBe("new");
    }
    expect(statSync(at("new")).mode & 0o777).toBe(0o644);
  });

  test("a file in a missing folder, or below a file → UPG_INVALID_ARGUMENT, and no folder is created", () => {
    expect(() => writeOutFile(at("a/b/new"), utf8("new"))).toThrow(refusal(`the folder ${at("a/b")} does not exist`));
    expect(() => writeOutFile(at("old/new"), utf8("new"))).toThrow(refusal(`${at("old")} is not a folder`));
    expect(() => writeOutFile(at("old/b/new"), utf8("new"))).toThrow(refusal("is not a folder"));
    expect(existsSync(at("a"))).toBe(false);
  });

  test("a link to an ordinary file → that file is replaced, and the link stays", () => {
    symlinkSync("old", at("link"));
    writeOutFile(at("link"), utf8("new"));
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("old"), "utf8")).toBe("new");
    expect(lstatSync(at("old")).isFile()).toBe(true);
  });

  test("a pipe, a link to one, a socket, a folder, a link to nothing → UPG_INVALID_ARGUMENT with what it is, and it stays", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    symlinkSync("pipe", at("to-pipe"));
    symlinkSync("nowhere", at("to-nothing"));
    mkdirSync(at("folder"));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("socket"), () => resolve()));
    const kinds = {
      pipe: "a pipe",
      "to-pipe": "a pipe",
      folder: "a folder",
      socket: "a socket",
      "to-nothing": "a link",
    };
    for (const [name, kind] of Object.entries(kinds)) {
      const before = lstatSync(at(name)).ino;
      expect(() => writeOutFile(at(name), utf8("new"))).toThrow(refusal(`cannot write ${at(name)}: it is ${kind}`));
      expect(lstatSync(at(name)).ino).toBe(before);
    }
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(existsSync(at("nowhere"))).toBe(false);
  });
});

describe("outFile()", () => {
  test("an input, by its name, a link or another name of the same file → UPG_INVALID_ARGUMENT, which names the input", () => {
    symlinkSync("old", at("link"));
    linkSync(at("old"), at("second"));
    for (const name of ["old", "link", "second"]) {
      expect(() => outFile(at(name), [at("absent"), at("old")])).toThrow(refusal(`it is ${at("old")}, which is read`));
    }
    expect(() => outFile(at("old"), [at("link")])).toThrow(refusal(at("link")));
  });

  test("inputs that are other files or absent → the file that is to be written", () => {
    writeFileSync(at("other"), "");
    expect(outFile(at("new"), [at("old")])).toBe(at("new"));
    expect(outFile(at("old"), [at("other"), at("absent")])).toMatch(/old$/);
  });
});
