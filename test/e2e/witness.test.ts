/** Witnesses of a home: made beside a node, by it and by a command, and run again from the node's own headers. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import { decodeWitness } from "../../host/state/witness/decode.js";
import { reExecute } from "../../host/verify/re-execute.js";
import { DIST, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";
import { withNode } from "./prepared-home.js";

vi.setConfig({ testTimeout: 120_000 });

const HANDLERS = join(DIST, "handlers");
const HANDLER = join(HANDLERS, "split-balances.wasm");

test("upgrade witness, beside a node and by `start --witness` → the same file, which leads to the next header's app hash", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  const line = new CommandLine();
  const at = ["--home", home.path];
  const node = home.startSlowly();
  await node.says('"height":"6"');
  const out = join(home.path, "v2.witness");
  const made = await line.json("upgrade", "witness", "v2", ...at, "--out", out);
  expect(made).toMatchObject({ plan: "v2", height: "4", file: out, other_writes: [] });
  expect(node.child.exitCode).toBeNull();
  node.child.kill("SIGTERM");
  expect((await node.end).exit).toBe(0);
  expect(existsSync(home.data("witness"))).toBe(false);

  const witnessing = home.startSlowly("--witness");
  await witnessing.says('witness of \\"v2\\"');
  witnessing.child.kill("SIGTERM");
  expect((await witnessing.end).exit).toBe(0);
  const witness = readFileSync(home.data("witness/v2.bin"));
  expect(witness.equals(readFileSync(out))).toBe(true);

  const headers = withNode({ path: home.path, handlers: HANDLERS }, ({ blocks }) => ({
    block: blocks.at(4n).header,
    next: blocks.at(5n).header,
  }));
  const result = reExecute({ witness, maxBytes: 1_000_000, handler: readFileSync(HANDLER), headers, sha256 });
  expect(toHex(result.appHash)).toBe(toHex(headers.next.appHash));
});

test("a file in the witness's place that is none → a warning names it, the state before stays, `start --witness` replaces it", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  const file = home.data("witness/v2.bin");
  expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  mkdirSync(home.data("witness"));
  writeFileSync(file, "");
  const pruning = await home.startHere("--max-blocks", "20", "--keep-versions", "5");
  expect(pruning.exit).toBe(0);
  expect(pruning.stdout + pruning.stderr).toContain(`${file} is no witness of the upgrade`);

  const witnessing = home.startSlowly("--witness");
  await witnessing.says('witness of \\"v2\\"');
  await witnessing.says("bytes in");
  witnessing.child.kill("SIGTERM");
  expect((await witnessing.end).exit).toBe(0);
  expect(decodeWitness(readFileSync(file), { maxBytes: 1_000_000, sha256 }).height).toBe(4n);
});

test("upgrade witness and forget → codes for what is absent; after forget the state before is pruned", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  const line = new CommandLine();
  const at = ["--home", home.path];
  expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  const unknown = await line.run(["upgrade", "witness", "v9", ...at]);
  expect(unknown).toMatchObject({ exit: 3 });
  expect(unknown.stderr).toContain("[UPG_NOT_FOUND_RECEIPT]");
  expect((await line.run(["upgrade", "forget", "v9", ...at])).stderr).toContain("[UPG_NOT_FOUND_VERSION]");
  const other = join(import.meta.dirname, "../../build/examples/re-key.wasm");
  expect((await line.run(["upgrade", "witness", "v2", ...at, "--handler", other])).stderr).toContain(
    "[UPG_HANDLER_HASH]",
  );
  const inside = await line.run(["upgrade", "witness", "v2", ...at, "--out", join(home.path, "data", "chain.mdb")]);
  expect(inside.stderr).toContain("[UPG_INVALID_ARGUMENT]");
  const asked = await line.run(["upgrade", "forget", "v2", ...at]);
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining("cannot go back over the upgrade")]);
  expect(await line.text("upgrade", "forget", "v2", "--yes", ...at)).toMatch(
    /^The state of height 3, before the upgrade "v2", is let go: .* `rollback --to` cannot go back over the upgrade\.\n$/,
  );
  expect(await line.json("upgrade", "forget", "v2", "--yes", ...at)).toEqual({
    plan: "v2",
    height: "3",
    witness: false,
  });
  expect((await home.startHere("--max-blocks", "20", "--keep-versions", "5")).exit).toBe(0);
  const gone = await line.run(["upgrade", "witness", "v2", ...at]);
  expect(gone.stderr).toContain("[UPG_NOT_FOUND_VERSION]");
});
