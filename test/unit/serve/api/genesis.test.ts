/** The genesis document that RPC serves: the one that the chain began with, or an error that says why not. */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fundedGenesis, type TestNode, useTestNode } from "./test-node.js";

const DOCUMENT = fundedGenesis();
const METHODS = ["genesis", "genesis_chunked"];

interface Answer {
  readonly result?: { readonly genesis: { readonly chain_id: string } };
  readonly error?: { readonly data: string };
}

const ask = async (node: TestNode, method: string) => (await (await fetch(`${node.rpc}/${method}`)).json()) as Answer;

/** Uses a node with the path of its genesis file. */
function useFile(use: (node: TestNode, file: string) => Promise<void>): Promise<void> {
  let file = "";
  const prepare = (home: string) => {
    file = join(home, "config", "genesis.json");
  };
  return useTestNode((node) => use(node, file), { prepare, genesis: DOCUMENT });
}

const instead = (make: (file: string) => void) => (file: string) => {
  rmSync(file);
  make(file);
};

/** What a file of this name is replaced by. */
const OTHERS: readonly (readonly [string, RegExp, (file: string) => void])[] = [
  [
    "another document",
    /not the document that the chain began with.*UPG_NOT_FOUND_GENESIS/,
    (file) => writeFileSync(file, '{"chain_id":"evil"}'),
  ],
  [
    "another one of the same length and times",
    /not the document that the chain began with.*UPG_NOT_FOUND_GENESIS/,
    (file) => {
      writeFileSync(file, DOCUMENT.replace("scenario-1", "scenario-2"));
      utimesSync(file, 1_700_000_000, 1_700_000_000);
    },
  ],
  [
    "bytes of the same length that are no JSON",
    /not the document that the chain began with.*UPG_NOT_FOUND_GENESIS/,
    (file) => writeFileSync(file, '{":'.padEnd(Buffer.byteLength(DOCUMENT), "{")),
  ],
  ["nothing", /no genesis\.json any more.*SHA-256.*UPG_NOT_FOUND_GENESIS/, instead(() => undefined)],
  ["a folder", /no regular file, but a folder.*UPG_STORE_IO/, instead((file) => mkdirSync(file))],
  ["a pipe", /no regular file, but a pipe.*UPG_STORE_IO/, instead((file) => void execFileSync("mkfifo", [file]))],
];

describe("genesis and genesis_chunked", () => {
  for (const [what, why, replace] of OTHERS) {
    test(`${what} in its place while the chain runs → an error that says why; the document again → served again`, () =>
      useFile(async (node, file) => {
        expect((await ask(node, "genesis")).result?.genesis.chain_id).toBe("scenario-1");
        replace(file);
        for (const method of METHODS) expect((await ask(node, method)).error?.data).toMatch(why);
        rmSync(file, { recursive: true, force: true });
        writeFileSync(file, DOCUMENT);
        expect((await ask(node, "genesis")).result?.genesis.chain_id).toBe("scenario-1");
        expect(node.bugs).toEqual([]);
      }));
  }

  test("the document by another file → the same bytes for all who ask", () =>
    useFile(async (node, file) => {
      const before = await ask(node, "genesis");
      writeFileSync(`${file}.new`, DOCUMENT);
      renameSync(`${file}.new`, file);
      expect(await ask(node, "genesis")).toEqual(before);
    }));
});
