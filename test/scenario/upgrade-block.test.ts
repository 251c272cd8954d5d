/** The upgrade block itself: no transaction runs in it, a halt ends the process, and every run gives the same hashes. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../host/base/errors/errors.js";
import { toHex, utf8 } from "../../host/base/text/bytes.js";
import { bankOf } from "../../host/chain/modules/bank/bank.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { haltRecord } from "../../host/upgrade/module/halt.js";
import { V1 } from "../example-chain.js";
import { temporaryDirectory } from "../unit/state/store/support.js";
import { Chain, type ChainOptions, failureOf, type Process } from "./chain.js";
import { testAddress } from "./genesis-text.js";
import { splitBalances } from "./versions.js";

const NEW = { handlers: [splitBalances()] };

/** A chain of version 1 whose next block is before block 4, where `v2` is due. */
function beforeTheHeight(options: ChainOptions = {}): { chain: Chain; old: Process } {
  const chain = new Chain(options);
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  return { chain, old: old.upTo(3n) };
}

const TXS = [utf8("one"), utf8("two"), new Uint8Array(0)];

const REFUSED = {
  code: 61,
  codespace: "upgrade",
  data: new Uint8Array(),
  log: expect.stringContaining("UPG_BLOCK_IS_UPGRADE"),
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
};

describe("finalizeBlock() of a decided upgrade block with transactions", () => {
  test("that applies → each gets UPG_BLOCK_IS_UPGRADE, and the app hash is that of the block without them", () => {
    const plain = beforeTheHeight().chain.start(NEW).block();
    expect(plain.txResults).toEqual([]);
    const full = beforeTheHeight().chain.start(NEW).block({ txs: TXS });
    expect(full.txResults).toEqual([REFUSED, REFUSED, REFUSED]);
    expect(toHex(full.appHash)).toBe(toHex(plain.appHash));
  });

  test("that skips → the same", () => {
    const skipping = () => beforeTheHeight().chain.start({ ...NEW, skipHeights: [4n] });
    const full = skipping().block({ txs: TXS });
    expect(full.txResults).toEqual([REFUSED, REFUSED, REFUSED]);
    expect(toHex(full.appHash)).toBe(toHex(skipping().block().appHash));
  });

  test("and a direct change → it does not run either", () => {
    const next = beforeTheHeight().chain.start(NEW);
    let hasRun = false;
    const change = () => {
      hasRun = true;
    };
    next.block({ changes: [change] });
    expect(hasRun).toBe(false);
    next.block({ changes: [change] });
    expect(hasRun).toBe(true);
  });

  test("isUpgradeBlockNext → says so before the block, and no longer after it", () => {
    const { chain, old } = beforeTheHeight();
    expect(old.app.isUpgradeBlockNext).toBe(true);
    const next = chain.start(NEW);
    expect(next.app.isUpgradeBlockNext).toBe(true);
    next.block();
    expect(next.app.isUpgradeBlockNext).toBe(false);
  });
});

describe("after a halt", () => {
  test("no later block runs in that app, of whatever height, and nothing can be committed", () => {
    const { chain, old } = beforeTheHeight();
    const halt = old.untilHalt();
    const before = chain.contents();
    chain.files.remove("upgrade-info.json");
    for (const height of [4n, 5n, 1n]) expect(failureOf(() => old.block({ height }))).toBe(halt);
    expect(failureOf(() => old.app.commit())).toBe(halt);
    expect(chain.contents()).toEqual(before);
    expect(chain.files.contents).toEqual([]);
  });

  test("halting again → the same record, but for its time", () => {
    const { chain } = beforeTheHeight();
    const records = [1, 2].map((second) => {
      const process = chain.start({ versions: [V1] });
      const { version, hash } = process.app.lastCommitID;
      return haltRecord(process.untilHalt(), {
        lastCommittedHeight: version,
        nextHeight: process.app.nextHeight,
        appHash: hash,
        time: `2026-01-01T00:00:0${second}Z`,
      });
    });
    expect(records[0]).toEqual({
      v: 1,
      code: "UPG_HALT_UPGRADE_NEEDED",
      cause: "state",
      plan: { name: "v2", height: "4", info: "" },
      handler: null,
      height: "4",
      last_committed_height: "3",
      app_hash: expect.stringMatching(/^[0-9A-F]{64}$/),
      message: 'UPGRADE "v2" NEEDED at height: 4: ',
      next:
        'Start the version that has the handler for "v2" on this home; it applies the upgrade and goes on: ' +
        "`chaind start --home '<home>'`. Where the handler came as a file, put it into " +
        "<home>/handlers/staged before; a version that has its own is not disturbed by it.",
      commands: ["chaind start --home '<home>'"],
      time: "2026-01-01T00:00:01Z",
    });
    expect({ ...records[1], time: "" }).toEqual({ ...records[0], time: "" });
  });

  test("a disk that refuses the commit → the app has ended; the next process makes the same block", () => {
    const undisturbed = beforeTheHeight().chain.start(NEW).block();
    const { chain } = beforeTheHeight();
    const before = chain.contents();
    const next = chain.start(NEW);
    chain.database.refusal = new UpgradeError("UPG_STORE_FULL", "no space left");
    expect(failureOf(() => next.block())).toMatchObject({ code: "UPG_STORE_FULL", kind: { exit: 30 } });
    expect(chain.contents()).toEqual(before);
    expect(failureOf(() => next.block())).toMatchObject({ code: "UPG_STORE_FULL" });
    expect(failureOf(() => next.app.commit())).toMatchObject({ code: "UPG_STORE_FULL" });
    expect(toHex(chain.start(NEW).block().appHash)).toBe(toHex(undisturbed.appHash));
  });
});

/** Blocks that each change the state. */
function mintUpTo(process: Process, height: bigint): Process {
  const bank = bankOf(process.app.version);
  while (process.height < height) {
    process.block({
      changes: [
        (context) => bank.mint(context.stores, testAddress("new"), [{ denom: "ustake", amount: context.height }]),
      ],
    });
  }
  return process;
}

describe("two runs on the same input", () => {
  /** Every app hash of a chain that is upgraded at 4, restarted in between, and goes on to 9. */
  function hashesOf(options: ChainOptions): string[] {
    const { chain, old } = beforeTheHeight(options);
    expect(old.untilHalt()).toMatchObject({ code: "UPG_HALT_UPGRADE_NEEDED" });
    const next = chain.start(NEW);
    next.block();
    mintUpTo(next, 6n);
    const last = mintUpTo(chain.start(NEW), 9n);
    const heights = Array.from({ length: 9 }, (_, index) => BigInt(index + 1));
    const hashes = heights.map((height) => toHex(last.app.multiStore.at(height).appHash));
    chain.stop();
    return hashes;
  }

  test("in memory, in memory again, and over LMDB → the same app hash at every height", () => {
    const path = join(temporaryDirectory(), "chain.mdb");
    const first = hashesOf({});
    expect(new Set(first).size).toBe(7);
    expect(hashesOf({})).toEqual(first);
    expect(hashesOf({ database: () => new LmdbDatabase(path) })).toEqual(first);
    expect(hashesOf({ versionsKept: 8 })).toEqual(first);
  });
});
