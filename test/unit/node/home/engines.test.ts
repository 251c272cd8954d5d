/** A home belongs to the engine that decided its blocks; the embedded one gives the application what CometBFT would. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { AppPort } from "../../../../host/chain/app/app-port.js";
import type { BlockInfo } from "../../../../host/chain/app/block-info.js";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import type { Module } from "../../../../host/chain/app/module.js";
import { consensusParamsHash } from "../../../../host/chain/comet-types/consensus-params.js";
import { exportGenesis } from "../../../../host/cli/offline/export.js";
import { rollback } from "../../../../host/cli/offline/rollback.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { logicalClock } from "../../../../host/node/embedded/clock.js";
import type { EmbeddedNode } from "../../../../host/node/embedded/embedded-node.js";
import { NodeService } from "../../../../host/node/embedded/node-service.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { OpenHome } from "../../../../host/node/open/open-home.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { failureOf } from "../../../scenario/chain.js";
import { genesisDocument, genesisText } from "../../../scenario/genesis-text.js";
import { memberGenesis } from "../../../scenario/members.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-engines-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function homeOf(name: string): string {
  const home = join(root, name);
  makeHome(home, genesisText());
  return home;
}

const clock = logicalClock(5_000_000_000n);
const log = () => undefined;
const options = (home: string, chain = exampleChain) => ({ chain, home, handlers: join(home, "none"), log });
const signed = (home: string) => {
  const file = join(home, "data/priv_validator_state.json");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

function embedded<T>(home: string, use: (node: EmbeddedNode) => T, chain = exampleChain): T {
  const open = openNode({ ...options(home, chain), clock });
  try {
    return use(open.node);
  } finally {
    open.close();
  }
}

/** Blocks as CometBFT would have them made; hex of the app hash. */
function comet(home: string, blocks: number): string {
  const held = OpenHome.holdForComet(options(home));
  try {
    const { app, genesis, alongsideFirst } = held.openApp();
    const port = new AppPort({ app, genesis, ...(alongsideFirst ? { alongsideFirst } : {}) });
    for (let made = 0; made < blocks; made++) {
      const height = app.nextHeight;
      const time = height === 1n ? genesis.time : clock.after(app.lastBlockTime);
      port.finalizeBlock({ height, time });
      port.commit();
    }
    return toHex(app.lastCommitID.hash);
  } finally {
    held.close();
  }
}

describe("a home", () => {
  test("of CometBFT's blocks, opened with the embedded engine → UPG_INVALID_CONFIG that names the flag, nothing signed", () => {
    const home = homeOf("comet");
    comet(home, 2);
    const before = signed(home);
    const error = failureOf(() => embedded(home, (node) => node.makeBlock()));
    expect(error).toMatchObject({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining("--engine cometbft") });
    expect(signed(home)).toBe(before);
    comet(home, 1);
  });

  test("of the embedded engine's blocks, opened for CometBFT → UPG_INVALID_CONFIG; the embedded engine goes on", () => {
    const home = homeOf("embedded");
    embedded(home, (node) => node.makeBlock());
    const error = failureOf(() => comet(home, 1));
    expect(error).toMatchObject({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining("--engine embedded") });
    expect(embedded(home, (node) => node.makeBlock().stored.header.height)).toBe(2n);
  });

  test("of several validators whose power is not this key's, the engine assumed → UPG_INVALID_CONFIG, nothing signed, CometBFT begins", () => {
    const own = consensusKey(new Uint8Array(32).fill(1)).publicKey.bytes;
    const others = [2, 3].map((seed) => consensusKey(new Uint8Array(32).fill(seed)).publicKey.bytes);
    type Powers = readonly (readonly [key: Uint8Array, power: bigint])[];
    const homeWith = (name: string, powers: Powers) => {
      const home = join(root, name);
      const members = powers.map(([key, power]) => ({ key, tokens: power * 1_000_000n }));
      makeHome(home, JSON.stringify(memberGenesis(genesisDocument(), members)));
      return home;
    };
    const lines: string[] = [];
    const begin = (home: string, isEngineAssumed = true) => {
      const log = (_level: string, line: string) => void lines.push(line);
      const open = openNode({ ...options(home), log, clock, isEngineAssumed });
      try {
        return open.node.makeBlock().stored.header.height;
      } finally {
        open.close();
      }
    };
    const [one = own, two = own] = others;
    const refusal = { code: "UPG_INVALID_CONFIG", message: expect.stringContaining("--engine cometbft") };
    const home = homeWith("three", [
      [own, 10n],
      [one, 10n],
      [two, 10n],
    ]);
    const before = signed(home);
    const error = failureOf(() => begin(home));
    expect(error).toMatchObject(refusal);
    expect(error.message).toContain("power to 3 validators, and this node's consensus key has 10 of 30");
    expect(signed(home)).toBe(before);
    comet(home, 2);
    for (const powers of [
      [
        [one, 10n],
        [two, 1n],
      ],
      [
        [own, 20n],
        [one, 10n],
      ],
    ] as Powers[]) {
      const refused = homeWith(`refused-${powers.length}-${powers[0]?.[1]}`, powers);
      expect(failureOf(() => begin(refused))).toMatchObject(refusal);
      expect(begin(refused, false)).toBe(1n);
    }
    expect(
      begin(
        homeWith("more", [
          [own, 21n],
          [one, 10n],
        ]),
      ),
    ).toBe(1n);
    expect(lines.filter((line) => line.includes("--engine cometbft"))).toEqual([]);
    expect(begin(homeWith("sole-other", [[one, 10n]]))).toBe(1n);
    expect(lines.filter((line) => line.includes("--engine cometbft"))).toHaveLength(1);
  });

  test("without a key of a validator → CometBFT's all the same; the facts of genesis stay after the file is gone", () => {
    const home = homeOf("no key");
    rmSync(join(home, "config/priv_validator_key.json"));
    comet(home, 1);
    copyFileSync(join(home, "config/genesis.json"), join(home, "genesis.kept"));
    rmSync(join(home, "config/genesis.json"));
    comet(home, 1);
  });

  test("of CometBFT's blocks → verify, export and rollback work without blocks; the block that was taken back is made again", () => {
    const home = homeOf("offline");
    const hash = comet(home, 3).toUpperCase();
    const lines: string[] = [];
    expect(verifyHome(home, (line) => lines.push(line))).toMatchObject({ ok: true, height: "3", app_hash: hash });
    expect(lines).toContain("blocks: CometBFT keeps them in its own database, which is not checked here");
    const file = join(root, "exported.json");
    exportGenesis(exampleChain, home, { height: 0n, outputDocument: file }, log);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ genesis_time: "2026-01-01T00:00:10Z" });
    expect(rollback(home)).toMatchObject({ height: "2", removed: "3" });
    expect(comet(home, 1).toUpperCase()).toBe(hash);
  });

  test("the same blocks on both engines → the same app hash", () => {
    const [one, other] = [homeOf("one"), homeOf("other")];
    const hash = embedded(one, (node) => [1, 2, 3].map(() => toHex(node.makeBlock().stored.appHash)).at(-1));
    expect(comet(other, 3)).toBe(hash);
  });
});

/** Lowers the gas of blocks by one in every block, and remembers what it saw. */
function ownChain(seen: BlockInfo[]) {
  const key = Uint8Array.of(1);
  const own: Module = {
    name: "own",
    consensusVersion: 1n,
    isBounded: true,
    beginBlock: (context) => {
      seen.push(context.block);
      const [count = 0] = context.store("own").get(key) ?? [];
      context.store("own").set(key, Uint8Array.of(count + 1));
    },
    consensusParams: (stores, genesis) => {
      const [count = 0] = stores.store("own").get(key) ?? [];
      return { ...genesis, block: { ...genesis.block, maxGas: 1_000_000n - BigInt(count) } };
    },
  };
  return defineChain({ name: "ownd", modules: [...exampleChain.modules, own] });
}

test("the embedded engine: parameters of state in each header from the next block on, proposer and last commit in each block", () => {
  const seen: BlockInfo[] = [];
  const chain = ownChain(seen);
  const home = homeOf("own");
  const stop = (count: number) =>
    embedded(
      home,
      (node) => {
        const service = new NodeService(node, {
          nodeId: "",
          moniker: "",
          genesis: { text: () => Promise.reject(new Error("none")) },
        });
        for (let made = 0; made < count; made++) {
          const { height, consensusHash } = node.makeBlock().stored.header;
          // Those for the block after it, which has one unit less.
          const { block, ...rest } = service.consensusParams;
          expect(block.maxGas).toBe(1_000_000n - height);
          const params = { ...rest, block: { ...block, maxGas: block.maxGas + 1n } };
          expect(toHex(consensusHash)).toBe(toHex(consensusParamsHash(sha256, params)));
        }
        return node.key.address;
      },
      chain,
    );
  const address = stop(2);
  // A process that begins later says the same of the block before.
  stop(1);
  const vote = { address, power: 10n, flag: "commit" };
  expect(seen).toEqual([
    { proposer: address, lastCommit: { round: 0, votes: [] }, misbehavior: [] },
    { proposer: address, lastCommit: { round: 0, votes: [vote] }, misbehavior: [] },
    { proposer: address, lastCommit: { round: 0, votes: [vote] }, misbehavior: [] },
  ]);
});
