/** The record of what the consensus key signed last. */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { UpgradeError } from "../../../../host/base/errors/errors.js";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { initHome } from "../../../../host/cli/commands/init.js";
import { resetAll } from "../../../../host/cli/offline/reset.js";
import { listSnapshots } from "../../../../host/cli/offline/snapshots.js";
import { LastSigned } from "../../../../host/node/blocks/last-signed.js";
import { OpenHome } from "../../../../host/node/open/open-home.js";
import { makeHome, withNode } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const fresh = () => join(root, `${++count}-state.json`);
const refused = (code: string) => expect.objectContaining({ code });
const vote = (height: bigint, text: string, txs: readonly Uint8Array[] = []) => ({
  ...{ height, signBytes: utf8(text), timestamp: { seconds: 1_700_000_000n, nanos: 5 }, txs },
});
const never = () => {
  throw new Error("was asked for a signature");
};

test("sign() → the signature, and a record in CometBFT's shape that is there before it is given", () => {
  const path = fresh();
  const signed = new LastSigned(path);
  expect(signed.height).toBe(0n);
  expect(signed.sign(vote(7n, "a"), () => Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2));
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    ...{ height: "7", round: 0, step: 3, signature: "AQI=", signbytes: "61" },
  });
  expect(new LastSigned(path).height).toBe(7n);
});

test("sign() of the same bytes again → the same signature, none is made; other bytes, or a lower height → UPG_STORE_SIGNED", () => {
  const path = fresh();
  new LastSigned(path).sign(vote(7n, "a"), () => Uint8Array.of(1, 2));
  const again = new LastSigned(path);
  expect(again.sign(vote(7n, "a"), never)).toEqual(Uint8Array.of(1, 2));
  expect(() => again.sign(vote(7n, "b"), never)).toThrow(refused("UPG_STORE_SIGNED"));
  expect(() => again.sign(vote(6n, "a"), never)).toThrow(refused("UPG_STORE_SIGNED"));
  expect(again.sign(vote(8n, "b"), () => Uint8Array.of(3))).toEqual(Uint8Array.of(3));
});

test("pending() → transactions and time of the block that was signed; of another height nothing", () => {
  const path = fresh();
  const signed = new LastSigned(path);
  const txs = [utf8("tx 1"), utf8("tx 2")];
  signed.sign(vote(7n, "a", txs), () => Uint8Array.of(1));
  expect(signed.pending(7n)).toEqual({ txs, timestamp: { seconds: 1_700_000_000n, nanos: 5 } });
  expect(signed.pending(8n)).toBeUndefined();
  signed.sign(vote(8n, "b"), () => Uint8Array.of(1));
  expect(signed.pending(8n)?.txs).toEqual([]);
});

test("requireGoesOn() from a database that lacks more than the block that was signed last → UPG_STORE_SIGNED", () => {
  const path = fresh();
  const signed = new LastSigned(path);
  signed.requireGoesOn(0n, "chain.mdb");
  signed.sign(vote(7n, "a"), () => Uint8Array.of(1));
  for (const last of [6n, 7n, 9n]) signed.requireGoesOn(last, "chain.mdb");
  for (const last of [0n, 5n]) {
    expect(() => signed.requireGoesOn(last, "chain.mdb")).toThrow(refused("UPG_STORE_SIGNED"));
  }
});

test.runIf(existsSync("/proc/self/fd"))(
  "requireGoesOn(), sign() below the signed height while another process has files of the home open → the error names it first",
  async () => {
    const folder = mkdtempSync(join(root, "used-"));
    const path = join(folder, "state.json");
    const signed = new LastSigned(path);
    signed.sign(vote(7n, "a"), () => Uint8Array.of(1));
    const failures = [() => signed.requireGoesOn(1n, "chain.mdb"), () => signed.sign(vote(6n, "b"), never)];
    for (const fail of failures) expect(fail).toThrow(/may be writing to this home \(`lsof \+D .*`.*stop it first/);
    const child = spawn("tail", ["-f", path], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      await new Promise((resolve) => child.stdout.once("data", resolve));
      const named = new RegExp(`process ${child.pid} has files in ${folder} open. Stop it first`);
      for (const fail of failures) {
        expect(fail).toThrow(
          expect.objectContaining({ details: expect.objectContaining({ holder: String(child.pid) }) }),
        );
        expect(fail).toThrow(named);
      }
    } finally {
      child.kill("SIGKILL");
    }
  },
);

test("requireGoesOn() beside data of before a rollback → the failure names the newest", () => {
  const home = mkdtempSync(join(root, "kept-"));
  const signed = new LastSigned(fresh());
  signed.sign(vote(7n, "a"), () => Uint8Array.of(1));
  const folders = ["data", "data-before-rollback-1", "data-before-rollback-2", "data-empty", "database-2"];
  for (const [at, name] of folders.entries()) {
    mkdirSync(join(home, name), { recursive: true });
    if (name === "data-empty") continue;
    writeFileSync(join(home, name, "chain.mdb"), "");
    utimesSync(join(home, name, "chain.mdb"), at + 1, at + 1);
  }
  const details = () => {
    try {
      return signed.requireGoesOn(1n, join(home, "data/chain.mdb"));
    } catch (error) {
      return (error as UpgradeError).details;
    }
  };
  expect(details()).toEqual({ signed_height: "7", kept_data: join(home, "data-before-rollback-2") });
});

describe("a home whose data was moved away", () => {
  const moved = (to: string) => {
    const home = { path: mkdtempSync(join(root, "moved-")), handlers: join(root, "none") };
    makeHome(home.path, genesisText());
    for (let made = 0; made < 3; made++) withNode(home, (node) => void node.makeBlock());
    renameSync(join(home.path, "data"), join(home.path, to));
    return home;
  };

  test.each(["data-before-rollback-1", "data.restoring"])(
    "start, init of a home without its genesis → UPG_STORE_SIGNED by the record in %s, and no data is made",
    (to) => {
      const home = moved(to);
      const expected = { code: "UPG_STORE_SIGNED", details: { signed_height: "3", kept_data: join(home.path, to) } };
      const start = () => withNode(home, (node) => void node.makeBlock());
      expect(start).toThrow(expect.objectContaining(expected));
      expect(() => OpenHome.holdForComet({ chain: exampleChain, home: home.path, log: () => undefined })).toThrow(
        expect.objectContaining(expected),
      );
      rmSync(join(home.path, "config", "genesis.json"));
      expect(() => initHome(exampleChain, { home: home.path })).toThrow(expect.objectContaining(expected));
      expect([existsSync(join(home.path, "data")), existsSync(join(home.path, "config", "genesis.json"))]).toEqual([
        false,
        false,
      ]);
    },
  );

  test("the database is put back without its record → UPG_STORE_SIGNED when another record has later blocks", () => {
    const home = moved("data-before-rollback-1");
    mkdirSync(join(home.path, "data"));
    cpSync(join(home.path, "data-before-rollback-1", "chain.mdb"), join(home.path, "data", "chain.mdb"));
    withNode(home, (node) => void node.makeBlock());
    const kept = join(home.path, "data-before-rollback-1", "priv_validator_state.json");
    writeFileSync(kept, JSON.stringify({ height: "40", round: 0, step: 3 }));
    withNode(home, (node) => void node.makeBlock());
    rmSync(join(home.path, "data", "priv_validator_state.json"));
    expect(() => withNode(home, () => undefined)).toThrow(refused("UPG_STORE_SIGNED"));
  });

  test("init --overwrite makes another key → nothing is refused", () => {
    const home = moved("data-old");
    initHome(exampleChain, { home: home.path, overwrite: true });
    expect(readFileSync(join(home.path, "data", "priv_validator_state.json"), "utf8")).toContain('"0"');
  });

  test("a rollback was interrupted → start, init and reset refuse with the command that completes it, and nothing is made", () => {
    const home = moved("data.restoring");
    mkdirSync(join(home.path, "cosmovisor"));
    writeFileSync(join(home.path, "cosmovisor", "rollback.json"), "{}");
    rmSync(join(home.path, "data.restoring"), { recursive: true });
    const commands = [
      () => withNode(home, () => undefined),
      () => initHome(exampleChain, { home: home.path, overwrite: true }),
      () => resetAll(home.path, { keepAddrBook: true }),
      () => listSnapshots(home.path),
    ];
    for (const command of commands) {
      expect(command).toThrow(refused("UPG_INVALID_CONFIG"));
      expect(command).toThrow(/rollback .* was interrupted .*chainvisor --home .* rollback`/);
    }
    expect(existsSync(join(home.path, "data"))).toBe(false);
  });
});

test("requireSameBlock() of the block that was signed → goes on; of another one of that height → UPG_STORE_SIGNED", () => {
  const home = { path: join(root, "home"), handlers: join(root, "none") };
  makeHome(home.path, genesisText());
  for (let made = 0; made < 2; made++) withNode(home, (node) => void node.makeBlock());
  const record = join(home.path, "data", "priv_validator_state.json");
  const state = JSON.parse(readFileSync(record, "utf8")) as { height: string; signbytes: string };
  writeFileSync(record, JSON.stringify({ ...state, signbytes: state.signbytes.replace(/.{64}$/, "00".repeat(32)) }));
  const go = () => withNode(home, () => undefined);
  expect(go).toThrow(refused("UPG_STORE_SIGNED"));
  expect(go).toThrow(/block 2 of .*chain\.mdb is not the one that this key signed at that height/);
  writeFileSync(record, JSON.stringify({ height: state.height, round: 0, step: 3 }));
  go();
});

test("rollBackTo() → blocks after it may be signed again, and no other", () => {
  const signed = new LastSigned(fresh());
  signed.sign(vote(7n, "a"), () => Uint8Array.of(1));
  signed.rollBackTo(6n);
  expect(signed.pending(6n)).toBeUndefined();
  expect(() => signed.sign(vote(5n, "c"), never)).toThrow(refused("UPG_STORE_SIGNED"));
  expect(signed.sign(vote(7n, "b"), () => Uint8Array.of(2))).toEqual(Uint8Array.of(2));
});

test("a record that is not JSON, or of another shape → UPG_STORE_CORRUPT, never a signature", () => {
  for (const text of ["", "{", "{}", '{"height":7,"round":0,"step":3}x', '{"height":"-1","round":0,"step":3}']) {
    const path = fresh();
    writeFileSync(path, text);
    expect(() => new LastSigned(path).sign(vote(9n, "a"), never)).toThrow(refused("UPG_STORE_CORRUPT"));
  }
});

test("a record whose signature is not base64 → UPG_STORE_CORRUPT, never another signature", () => {
  const path = fresh();
  const signed = new LastSigned(path);
  signed.sign(vote(7n, "a"), () => Uint8Array.of(1));
  writeFileSync(path, readFileSync(path, "utf8").replace('"AQ=="', '"AQ*="'));
  expect(() => signed.sign(vote(7n, "a"), never)).toThrow(refused("UPG_STORE_CORRUPT"));
});

test("a record whose time is none → UPG_STORE_CORRUPT that names the file", () => {
  const path = fresh();
  for (const timestamp of [{ seconds: "99999999999999999999", nanos: 0 }, { seconds: "1", nanos: -1 }, {}, "noon"]) {
    writeFileSync(
      path,
      JSON.stringify({ height: "7", round: 0, step: 3, signature: "AQI=", signbytes: "61", timestamp }),
    );
    expect(() => new LastSigned(path).pending(7n)).toThrow(refused("UPG_STORE_CORRUPT"));
    expect(() => new LastSigned(path).pending(7n)).toThrow(path);
  }
});
