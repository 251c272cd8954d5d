/** Chains taken back over an upgrade, and made again by the programs of then. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeFileAtomically } from "../../../../host/base/files/atomic-file.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { rollback, rollbackHome } from "../../../../host/cli/offline/rollback.js";
import { lossInWords, rollbackLoss } from "../../../../host/cli/offline/rollback-loss.js";
import { exportSnapshot, listSnapshots } from "../../../../host/cli/offline/snapshots.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { endRollback, type LastState, noteRollback } from "../../../../host/node/blocks/rollback-note.js";
import { Home } from "../../../../host/node/home/home.js";
import { DIST, TestHome } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, withNode } from "../../../e2e/prepared-home.js";
import { chaindHere } from "../../../in-process.js";

const HANDLERS = join(DIST, "handlers");
const UPGRADE = { name: "v2", height: 6n };
const silent = () => undefined;

/** App hashes after each height, as the programs make them: version 1 up to 5, then the one with the handler. */
function goOn(home: TestHome, upTo: bigint): void {
  const open = { path: home.path, handlers: HANDLERS };
  if (BigInt(home.last.height) < 5n) withNode({ ...open, appVersion: 1n }, (node) => makeBlocksUpTo(node, 5n));
  withNode(open, (node) => makeBlocksUpTo(node, upTo));
}

function upgraded(upTo = 9n): TestHome {
  const home = new TestHome().schedule(UPGRADE, 5n);
  withNode({ path: home.path, handlers: HANDLERS }, (node) => makeBlocksUpTo(node, upTo));
  return home;
}

const hashAt = (home: TestHome, height: bigint) =>
  withNode({ path: home.path, handlers: HANDLERS }, (node) => toHex(node.app.multiStore.at(height).appHash));

describe("rollbackHome()", () => {
  test("over an upgrade → the old program goes on, the upgrade is applied again, every app hash is the same", () => {
    const home = upgraded();
    const { last } = home;
    const hashes = [4n, 5n, 6n, 7n].map((height) => hashAt(home, height));
    const loss = rollbackLoss(home.path, { to: 3n });
    expect(loss).toMatchObject({
      from: "9",
      to: "3",
      blocks: "6",
      engine: "embedded",
      upgrades: ["v2"],
      signed_up_to: "9",
    });
    expect(loss.upgrade_heights).toEqual(["6"]);
    const words = lossInWords(loss, "chaind start --home node").join("\n");
    expect(words).toContain("upgrades that are taken back: v2");
    expect(words).toMatch(
      /^warning: "v2" is due again at height 6, .*`chaind start --home node --unsafe-skip-upgrades 6`$/m,
    );
    const ofComet = lossInWords({ ...loss, engine: "cometbft" }, "chaind start").join("\n");
    expect(ofComet).toMatch(/^warning: CometBFT keeps the blocks up to 9, .* exits with 18\. .*docs\/recovery\.md/m);
    expect(lossInWords({ ...loss, upgrades: [], upgrade_heights: [] }, "chaind start").join("\n")).not.toContain(
      "warning",
    );
    const receipt = new Home(home.path).receiptFile("v2");
    writeFileAtomically(receipt, new Uint8Array(1));
    expect(rollbackHome(home.path, loss)).toMatchObject({ height: "3", removed: "9", app_hash: loss.app_hash });
    expect(existsSync(receipt)).toBe(false);
    expect(verifyHome(home.path, silent)).toMatchObject({ height: "3", app_hash: loss.app_hash, blocks: "3" });
    expect(JSON.parse(readFileSync(home.data("priv_validator_state.json"), "utf8"))).toMatchObject({ height: "3" });
    goOn(home, 9n);
    expect(home.last).toEqual(last);
    expect([4n, 5n, 6n, 7n].map((height) => hashAt(home, height))).toEqual(hashes);
    expect(verifyHome(home.path, silent)).toMatchObject({ height: "9", blocks: "9" });
  });

  test("--blocks, the height before the upgrade, and one block after the other → the same state", () => {
    const [one, other] = [upgraded(8n), upgraded(8n)];
    rollbackHome(one.path, rollbackLoss(one.path, { blocks: 3n }));
    for (let i = 0; i < 3; i++) rollback(other.path);
    const [a, b] = [one, other].map(({ path }) => verifyHome(path, silent));
    expect(a).toMatchObject({ height: "5", app_hash: b?.app_hash, nodes: b?.nodes, index_entries: b?.index_entries });
  });

  test("heights without state, the last one, none, both flags, a home that went on → refused, nothing written", () => {
    const home = upgraded(8n);
    const data = () => readFileSync(home.data("chain.mdb"));
    const before = data();
    for (const target of [
      { to: 8n },
      { to: 99n },
      { to: 0n },
      { blocks: 8n },
      { blocks: 0n },
      {},
      { to: 3n, blocks: 1n },
    ]) {
      expect(() => rollbackLoss(home.path, target)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    }
    expect(() => rollbackHome(home.path, { from: "7", to: "3" })).toThrow("the last height is 8 now, it was 7");
    expect(data().equals(before)).toBe(true);
    const few = new TestHome();
    withNode({ path: few.path, handlers: HANDLERS, versionsKept: 2, appVersion: 1n }, (node) =>
      makeBlocksUpTo(node, 9n),
    );
    expect(() => rollbackLoss(few.path, { to: 4n })).toThrow(
      expect.objectContaining({ code: "UPG_NOT_FOUND_VERSION", message: expect.stringContaining("kept are 7 to 9") }),
    );
  });

  test("snapshots of heights after it, one that is not whole → named before, gone after; those up to it stay", async () => {
    const home = upgraded(7n);
    await exportSnapshot(home.path, 7n, silent);
    await exportSnapshot(home.path, 5n, silent);
    mkdirSync(home.data("snapshots/6/3.part"), { recursive: true });
    const loss = rollbackLoss(home.path, { to: 5n });
    expect(loss.snapshots).toEqual(["7", "6"]);
    expect(lossInWords(loss, "chaind start").join("\n")).toContain("snapshots that are removed, of heights 7, 6");
    rollbackHome(home.path, loss);
    expect(readdirSync(home.data("snapshots"))).toEqual(["5"]);
    expect(listSnapshots(home.path).map(({ height }) => height)).toEqual(["5"]);
  });

  test("records of a halt and of a plan after the height → gone; those up to it stay", () => {
    const home = upgraded(7n);
    const [halt, info] = [home.data("halt.json"), home.data("upgrade-info.json")];
    writeFileSync(halt, JSON.stringify({ v: 1, height: "5" }));
    writeFileSync(info, JSON.stringify({ name: "v2", height: 6 }));
    rollbackHome(home.path, rollbackLoss(home.path, { to: 5n }));
    expect([existsSync(halt), existsSync(info)]).toEqual([true, false]);
  });
});

describe("endRollback()", () => {
  test("another record, another state, no note → the record stays, the note goes", () => {
    const home = upgraded(8n);
    const [record, note] = [home.data("priv_validator_state.json"), home.data("rollback.json")];
    const kept = readFileSync(record);
    const at = (height: bigint, byte: number) => ({ height, appHash: new Uint8Array(32).fill(byte) });
    const end = (state: LastState) => endRollback(new Home(home.path), state);
    end(at(4n, 1));
    for (const other of [at(5n, 1), at(4n, 2)]) {
      noteRollback(new Home(home.path), at(4n, 1));
      end(other);
      expect([existsSync(note), readFileSync(record).equals(kept)]).toEqual([false, true]);
    }
    noteRollback(new Home(home.path), at(4n, 1));
    writeFileSync(record, `${kept} `);
    end(at(4n, 1));
    expect(readFileSync(record, "utf8")).toBe(`${kept} `);
    noteRollback(new Home(home.path), at(4n, 1));
    end(at(4n, 1));
    expect(JSON.parse(readFileSync(record, "utf8"))).toMatchObject({ height: "4" });
  });
});

describe("chaind rollback --to, killed", () => {
  const ROLLBACK = ["rollback", "--to", "4", "--yes", "--home"];

  const FILES = { "rollback.json": ["half", "renamed"], "priv_validator_state.json": ["half", "synced", "renamed"] };
  const MOMENTS = Object.entries(FILES).flatMap(([file, moments]) => moments.map((moment) => `${moment} ${file}`));
  const signed = (home: TestHome) =>
    BigInt(JSON.parse(readFileSync(home.data("priv_validator_state.json"), "utf8")).height);

  test("while it writes its note and what the key signed → the old chain or the new one, whole; never a record older than the blocks; it goes on", () => {
    for (const moment of MOMENTS) {
      const home = upgraded(8n);
      const { last } = home;
      const end = spawnSync(
        process.execPath,
        [
          "--import",
          join(import.meta.dirname, "../../../e2e/kill-at.mjs"),
          join(DIST, "chaind.js"),
          ...ROLLBACK,
          home.path,
        ],
        { env: { ...process.env, CHAIND_TEST_KILL_AT: moment } },
      );
      expect(end.signal, end.stderr.toString()).toBe("SIGKILL");
      const height = BigInt(verifyHome(home.path, silent).height);
      expect(height, moment).toBe(moment.endsWith("rollback.json") ? 8n : 4n);
      expect(signed(home), moment).toBe(moment === "renamed priv_validator_state.json" ? 4n : 8n);
      // The next process ends what was begun.
      expect(home.last.height, moment).toBe(String(height));
      expect([signed(home), existsSync(home.data("rollback.json"))], moment).toEqual([height, false]);
      if (height === 8n)
        expect(rollbackHome(home.path, rollbackLoss(home.path, { to: 4n }))).toMatchObject({ height: "4" });
      goOn(home, 8n);
      expect(home.last, moment).toEqual(last);
    }
  });

  test("without --yes and without a person → refused; --dry-run → what would be lost, nothing written", async () => {
    const home = upgraded(8n);
    const run = (...args: string[]) => chaindHere(["rollback", "--home", home.path, "--to", "4", ...args]);
    const asked = await run();
    expect(asked.status).not.toBe(0);
    expect(asked.stderr).toContain("4 blocks with 0 transactions are lost");
    expect(asked.stderr).toContain("give --yes");
    expect(JSON.parse((await run("--dry-run", "-o", "json")).stdout)).toMatchObject({
      from: "8",
      to: "4",
      upgrades: ["v2"],
    });
    expect(home.last.height).toBe("8");
    expect(JSON.parse((await run("--yes", "-o", "json")).stdout)).toMatchObject({ height: "4", removed: "8" });
  });
});
