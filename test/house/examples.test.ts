/** The example chains are what a chain developer would write; a message is known in one place. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

function sourcesOf(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
}

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const importsOf = (path: string) => Array.from(read(path).matchAll(/\bfrom "([^"]+)"/g), ([, from = ""]) => from);

/** What anybody may import: this package's entries, the packages that a page says to install, Node, files beside it. */
const PUBLIC = /^(chain-upgrade(\/node|\/test)?|@bufbuild\/protobuf(\/\w+)?|node:\w+|\.\/[\w/]+\.js)$/;

describe("example chains", () => {
  test.each(["examples/chain", "examples/notes-chain"])("%s → public names alone", (folder) => {
    const imports = sourcesOf(folder).flatMap((path) => importsOf(path).map((from) => `${path} imports ${from}`));
    expect(imports.length).toBeGreaterThan(3);
    expect(imports.filter((line) => !PUBLIC.test(line.split(" imports ")[1] ?? ""))).toEqual([]);
  });

  test("examples/notes-chain → at most 120 lines that somebody wrote", () => {
    const own = sourcesOf("examples/notes-chain").filter((path) => !path.includes("/gen/"));
    const lines = own.reduce((sum, path) => sum + read(path).trimEnd().split("\n").length, 0);
    expect(lines).toBeLessThanOrEqual(120);
  });
});

/** Names of messages in the sources, without comments and the type URLs in examples of help texts. */
function messagesIn(path: string): Set<string> {
  const code = read(path).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"/g, "");
  const names = Array.from(code.matchAll(/\b(Msg[A-Z]\w*?)(Response)?(Schema)?\b/g), ([, name = ""]) => name);
  return new Set(names);
}

describe("messages", () => {
  test("each one → known by one folder of host", () => {
    const folders = new Map<string, Set<string>>();
    for (const path of sourcesOf("host").filter((each) => !each.startsWith("host/base/gen/"))) {
      for (const message of messagesIn(path)) {
        const known = folders.get(message) ?? new Set();
        known.add(relative("host", dirname(path)));
        folders.set(message, known);
      }
    }
    for (const message of ["MsgSend", "MsgVote", "MsgSoftwareUpgrade"]) expect([...folders.keys()]).toContain(message);
    expect(Object.fromEntries([...folders].map(([message, known]) => [message, [...known]]))).toEqual(
      Object.fromEntries(
        [...folders].map(([message, known]) => [
          message,
          [[...known].find((each) => each.startsWith("chain/modules/"))],
        ]),
      ),
    );
  });
});
