/** Blocks that are run again: the same hashes, or the first that differs. */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { replay } from "../../../../host/cli/offline/replay/replay.js";
import { BlockStore } from "../../../../host/node/blocks/block-store.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { DIST, run, TestHome } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { govHome, HANDLERS } from "./gov-home.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const silent = () => undefined;
const whole = govHome(14n);

/** Another home with the same files. */
function copied(home: TestHome): TestHome {
  const copy = new TestHome();
  rmSync(copy.path, { recursive: true });
  cpSync(home.path, copy.path, { recursive: true });
  return copy;
}

/** Changes what the blocks say that they gave. */
function rewritten(height: bigint, change: (stored: ReturnType<BlockStore["at"]>) => object): TestHome {
  const home = copied(whole);
  const database = new LmdbDatabase(home.data("chain.mdb"));
  const blocks = new BlockStore(database);
  const [stored, bytes] = [blocks.at(height), database.get(keyOf(height)) as Uint8Array];
  const results = blocks.results(height);
  database.transaction((batch) => blocks.put(batch, { ...stored, ...change(stored) }, bytes, results));
  database.close();
  return home;
}

const keyOf = (height: bigint) => Uint8Array.of(98, 98, 0, 0, 0, 0, 0, 0, 0, Number(height));

describe("replay()", () => {
  test("from genesis over an upgrade by governance → every hash is the same, and the home is as it was", async () => {
    const before = readdirSync(join(whole.path, "data")).map((name) => [name, readOf(join(whole.path, "data", name))]);
    const lines: string[] = [];
    const replayed = await replay(
      exampleChain,
      { from: whole.path, handlers: HANDLERS },
      (line) => void lines.push(line),
    );
    // A replay has none by its nature: nothing of the home is missing.
    expect(lines.join("\n")).not.toContain("upgrade-info.json");
    expect(replayed).toMatchObject({ ok: true, from: "1", to: "14", blocks: "14", upgrades: ["v2"] });
    expect(readdirSync(join(whole.path, "data")).map((name) => [name, readOf(join(whole.path, "data", name))])).toEqual(
      before,
    );
  });

  test("--to before the upgrade, into a folder, which then goes on → the rest; a folder of something else → refused", async () => {
    const into = join(folder, "into");
    const flags = { from: whole.path, into, handlers: HANDLERS };
    expect(await replay(exampleChain, { ...flags, to: 6n }, silent)).toMatchObject({
      ok: true,
      to: "6",
      blocks: "6",
      upgrades: [],
    });
    expect(await replay(exampleChain, flags, silent)).toMatchObject({
      ok: true,
      from: "7",
      to: "14",
      blocks: "8",
      upgrades: ["v2"],
    });
    expect(await replay(exampleChain, flags, silent)).toMatchObject({ ok: true, blocks: "0" });
    const refused = { code: "UPG_INVALID_ARGUMENT" };
    await expect(replay(exampleChain, { ...flags, to: 99n }, silent)).rejects.toMatchObject(refused);
    await expect(replay(exampleChain, { ...flags, into: whole.path }, silent)).rejects.toMatchObject(refused);
  });

  test("old blocks pruned → from the lowest that is kept with its state; beside a node that makes blocks → the same", async () => {
    const home = govHome(130n, { minRetainBlocks: 10 });
    const lines: string[] = [];
    const replayed = await replay(
      exampleChain,
      { from: home.path, handlers: HANDLERS },
      (line) => void lines.push(line),
    );
    expect(replayed).toMatchObject({ ok: true, to: "130" });
    expect(BigInt(replayed.from)).toBeGreaterThan(9n);
    expect(lines.join("\n")).toContain("the blocks from genesis on are not kept");
    const running = copied(whole);
    const node = running.startSlowly("--handlers", HANDLERS);
    await node.says("block made");
    expect(await replay(exampleChain, { from: running.path, handlers: HANDLERS }, silent)).toMatchObject({
      ok: true,
      upgrades: ["v2"],
    });
    node.child.kill("SIGTERM");
    await node.end;
  });

  test.each(["missing", "staged"])("a skipped upgrade whose handler is %s → is skipped again", async (where) => {
    const home = copied(whole);
    expect((await run(join(DIST, "chaind.js"), ["rollback", "--to", "8", "--yes", "--home", home.path]).end).exit).toBe(
      0,
    );
    const skipping = home.start("--unsafe-skip-upgrades", "9", "--max-blocks", "3", "--handlers", join(folder));
    expect((await skipping.end).exit).toBe(0);
    const staged = join(home.path, "handlers/staged");
    if (where === "staged") cpSync(HANDLERS, staged, { recursive: true });
    const lines: string[] = [];
    const replayed = await replay(exampleChain, { from: home.path, handlers: folder }, (line) => void lines.push(line));
    expect(replayed).toMatchObject({ ok: true, to: "11", upgrades: [] });
    expect(lines).toContain('the chain skipped the upgrade "v2" at height 9, and so does the replay');
  });

  test("a block whose app hash was another → its height, both hashes and the stores; results → the same of them", async () => {
    const hash = new Uint8Array(32).fill(7);
    const other = rewritten(11n, () => ({ appHash: hash }));
    expect(await replay(exampleChain, { from: other.path, handlers: HANDLERS }, silent)).toMatchObject({
      ...{ ok: false, to: "11" },
      difference: { height: "11", what: "app hash", expected: "07".repeat(32), stores: [] },
    });
    const results = rewritten(10n, () => ({ lastResultsHash: hash }));
    expect(await replay(exampleChain, { from: results.path, handlers: HANDLERS }, silent)).toMatchObject({
      difference: { height: "10", what: "results", expected: "07".repeat(32) },
    });
  });

  test("what no transaction did → the first block that has it, and the store whose root differs", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 9n }, 4n);
    withNode({ path: home.path, handlers: HANDLERS, appVersion: 1n }, (node) => makeBlocksUpTo(node, 6n));
    const { difference } = await replay(exampleChain, { from: home.path, handlers: HANDLERS }, silent);
    expect(difference).toMatchObject({ height: "1", what: "app hash", stores: [{ store: "upgrade" }] });
  });

  test("no program that applies the upgrade → its halt; --program of its plan → that one goes on, and the counts are of both", async () => {
    const only = { from: whole.path, handlers: folder };
    await expect(replay(exampleChain, only, silent)).rejects.toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    const program = join(folder, "v2.sh");
    const chaind = `"${process.execPath}" "${join(DIST, "chaind.js")}" "$@" --handlers "${HANDLERS}"`;
    writeFileSync(program, `#!/bin/sh\nexec ${chaind}\n`, { mode: 0o755 });
    const programs = new Map([["v2", program]]);
    expect(await replay(exampleChain, { ...only, programs }, silent)).toMatchObject({
      ...{ ok: true, from: "1", to: "14", blocks: "14", upgrades: ["v2"] },
    });
    const broken = new Map([["v2", "/bin/false"]]);
    await expect(replay(exampleChain, { ...only, programs: broken }, silent)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
    });
  });
});

/** "" of a folder. */
function readOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
