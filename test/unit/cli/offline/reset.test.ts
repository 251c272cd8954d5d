/** Homes that are taken back to before their first block. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resetAll } from "../../../../host/cli/offline/reset.js";
import { exportSnapshot } from "../../../../host/cli/offline/snapshots.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { failureOf } from "../../../scenario/chain.js";
import { newPath } from "../../../test-folder.js";
import { blocks, newHome } from "../../node/snapshots/comet-home.js";

describe("resetAll()", () => {
  test("state, blocks, snapshots, CometBFT's databases and peers go; keys, settings and the record of signatures stay", async () => {
    const home = newHome();
    const hash = blocks(home, 2n);
    await exportSnapshot(home, 0n, () => undefined);
    const inData = (name: string) => join(home, "data", name);
    const record = JSON.stringify({ height: "9", round: 0, step: 3 });
    writeFileSync(inData("priv_validator_state.json"), record);
    for (const name of ["blockstore.db", "state.db", "cs.wal"]) mkdirSync(inData(name));
    writeFileSync(join(home, "config/addrbook.json"), "{}");
    const config = readdirSync(join(home, "config")).filter((name) => name !== "addrbook.json");
    const keys = ["priv_validator_key.json", "node_key.json"].map((name) => readFileSync(join(home, "config", name)));
    const done = resetAll(home, { keepAddrBook: false });
    expect(done.signed_height).toBe("9");
    expect(done.removed).toEqual(expect.arrayContaining([inData("chain.mdb"), inData("blockstore.db")]));
    expect(readdirSync(join(home, "data"))).toEqual(["priv_validator_state.json"]);
    expect(readFileSync(inData("priv_validator_state.json"), "utf8")).toBe(record);
    expect(readdirSync(join(home, "config"))).toEqual(config);
    expect(
      ["priv_validator_key.json", "node_key.json"].map((name) => readFileSync(join(home, "config", name))),
    ).toEqual(keys);
    expect(resetAll(home, { keepAddrBook: false }).removed).toEqual([]);
    expect(blocks(home, 2n)).toBe(hash);
  });

  test("databases in another folder → CometBFT's go, what else is there stays; --keep-addr-book keeps peers", () => {
    const home = newHome();
    const elsewhere = newPath("elsewhere");
    for (const name of ["blockstore.db", "tx_index.db", "photos"])
      mkdirSync(join(elsewhere, name), { recursive: true });
    writeFileSync(join(home, "config/config.toml"), `db_dir = "${elsewhere}"\n`);
    writeFileSync(join(home, "config/addrbook.json"), "{}");
    resetAll(home, { keepAddrBook: true });
    expect(readdirSync(elsewhere)).toEqual(["photos"]);
    expect(existsSync(join(home, "config/addrbook.json"))).toBe(true);
  });

  test("while a node runs, a record that cannot be read, no home → refused, and nothing is removed", () => {
    const home = newHome();
    blocks(home, 2n);
    const before = readdirSync(join(home, "data")).sort();
    const lock = HomeLock.acquire(join(home, "data/LOCK"));
    expect(failureOf(() => resetAll(home, { keepAddrBook: false })).code).toBe("UPG_STORE_LOCKED");
    lock.release();
    writeFileSync(join(home, "data/priv_validator_state.json"), "{");
    expect(failureOf(() => resetAll(home, { keepAddrBook: false })).code).toBe("UPG_STORE_CORRUPT");
    expect(readdirSync(join(home, "data")).sort()).toEqual(
      [...new Set([...before, "priv_validator_state.json"])].sort(),
    );
    expect(failureOf(() => resetAll(newPath("none"), { keepAddrBook: false })).code).toBe("UPG_INVALID_CONFIG");
  });
});
